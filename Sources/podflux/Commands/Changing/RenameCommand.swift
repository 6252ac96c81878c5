import ArgumentParser
import PodfluxCore
import PodfluxPeople

/// `podflux rename`: gives files the names that they would get now.
struct RenameCommand: EngineCommand {
  static let configuration = CommandConfiguration(
    commandName: "rename",
    abstract: "Gives files the names that they would get now: after a template has changed.",
    discussion: """
      podflux settings 'filenameTemplate={podcast}/[S{season:2}E{number:2} ]{title}'
      podflux rename --plan
      podflux rename --feed "Night Trains"

      A name that is taken gets an addition, and what another program has moved or changed is left. A file with a --path of
      its own keeps it.
      """)

  static let afterInterruption = RunReport.afterInterruption

  @OptionGroup var folder: LibraryOption
  @OptionGroup var engine: SocketOption
  @OptionGroup var console: ConsoleOptions

  @Option(help: "Only the files of this feed: its id, URL, or a part of its title.", completion: .titles(of: .feeds))
  var feed: String?

  @Flag(help: "Print what would be done, and change nothing.")
  var plan = false

  func run() throws {
    try withEngine { access, console in
      var request = RenameRequest(mode: plan ? .plan : .apply)
      request.feed = try feed.map(LibraryFinder(access.connection).feed)
      let report = try RunReport(of: .cleanup(.rename(request)), with: access)
      try report.tell(on: console, isPlan: plan, nothing: "all files have their names")
    }
  }
}
