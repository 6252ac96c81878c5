import ArgumentParser
import Foundation
import PodfluxCore
import PodfluxPeople

/// `podflux adopt`: pairs files that are there with episodes.
struct AdoptCommand: EngineCommand {
  static let configuration = CommandConfiguration(
    commandName: "adopt",
    abstract: "Pairs files that are there with episodes: those of another program, or of an older library.",
    discussion: """
      podflux adopt --plan
      podflux adopt "Night Trains" --feed "Night Trains"

      Files are told by names, days, numbers and lengths. What is doubtful is listed and left. No file is moved, renamed or
      changed, and no rule deletes an adopted one.
      """)

  static let afterInterruption = RunReport.afterInterruption

  /// A download that runs could get no file.
  var awaits: AwaitedRequests { .refreshes }

  @OptionGroup var folder: LibraryOption
  @OptionGroup var engine: SocketOption
  @OptionGroup var console: ConsoleOptions

  @Argument(help: "Only the files in this folder of the library.", completion: .directory)
  var directory: String?

  @Option(help: "Only the episodes of this feed: its id, URL, or a part of its title.", completion: .titles(of: .feeds))
  var feed: String?

  @Flag(help: "Print what would be done, and change nothing.")
  var plan = false

  func run() throws {
    try withEngine { access, console in
      var request = AdoptRequest(folder: directory.map(Self.named), mode: plan ? .plan : .apply)
      request.feed = try feed.map(LibraryFinder(access.connection).feed)
      let report = try RunReport(of: .cleanup(.adopt(request)), with: access)
      let nothing =
        feed == nil
        ? "no file is there that no episode has"
        : "no file is there that no episode has and that is like one of the feed; with a folder all files in it are looked at"
      try report.tell(on: console, isPlan: plan, nothing: nothing)
    }
  }

  /// The folder as the engine knows it: an absolute path if it is one of the working directory's, or else one of the
  /// library's.
  private static func named(_ directory: String) -> String {
    var isDirectory: ObjCBool = false
    guard FileManager.default.fileExists(atPath: directory, isDirectory: &isDirectory), isDirectory.boolValue else {
      return directory
    }
    return URL(fileURLWithPath: directory).standardizedFileURL.path
  }
}
