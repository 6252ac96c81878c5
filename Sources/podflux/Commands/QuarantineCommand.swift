import ArgumentParser
import PodfluxCore
import PodfluxEngine
import WireProtocol

/// `podflux quarantine`: lists, restores and empties, without an engine or beside a running one.
struct QuarantineCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "quarantine",
    abstract: "Lists, restores or deletes the files in quarantine.",
    subcommands: [List.self, Restore.self, Empty.self])

  struct List: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "list",
      abstract: "Prints one line of JSON for each file in quarantine, and changes nothing.")

    @OptionGroup var folder: LibraryOption

    @Flag(help: "As with other lists; the lines are of JSON without it too.")
    var json = false

    func run() throws {
      try printing { quarantine, encoder throws(LibraryQuarantine.Failure) in
        try quarantine.forEachFile { encoder.quarantined($0) }
      }
    }
  }

  struct Restore: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "restore",
      abstract: "Restores a file to its former place, or to another one in the library; replaces nothing.")

    @OptionGroup var folder: LibraryOption

    @Argument(help: "The file's name in quarantine, as the list shows it.")
    var name: String

    @Option(help: "Where to put it, relative to the library.")
    var to: String?

    func run() throws {
      try printing { quarantine, encoder throws(LibraryQuarantine.Failure) in
        let destination = to.map { EntryPath(bytes: Array($0.utf8)) }
        let (place, bytes) = try quarantine.restore(name, to: destination)
        encoder.restored(name, to: place, bytes: bytes)
      }
    }
  }

  struct Empty: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "empty",
      abstract: "Deletes the files in quarantine for good, and prints their number and bytes.")
    private static let longestAgeDays = 36_500

    @OptionGroup var folder: LibraryOption

    @Option(help: "Only files that have been in quarantine for more days than this.")
    var olderThanDays: Int?

    func validate() throws {
      guard let olderThanDays, !(0...Self.longestAgeDays).contains(olderThanDays) else { return }
      throw ValidationError("--older-than-days takes 0 to \(Self.longestAgeDays)")
    }

    func run() throws {
      try printing { quarantine, encoder throws(LibraryQuarantine.Failure) in
        let (files, bytes) = try quarantine.empty(olderThanDays: olderThanDays)
        encoder.emptied(files: files, bytes: bytes)
      }
    }
  }
}

private protocol QuarantineSubcommand: ParsableCommand {
  var folder: LibraryOption { get }
}

extension QuarantineCommand.List: QuarantineSubcommand {}
extension QuarantineCommand.Restore: QuarantineSubcommand {}
extension QuarantineCommand.Empty: QuarantineSubcommand {}

extension QuarantineSubcommand {
  /// Opens the quarantine, and prints the body's encoded output after it has succeeded.
  fileprivate func printing(
    _ body: (LibraryQuarantine, inout LineEncoder) throws(LibraryQuarantine.Failure) -> Void
  ) throws {
    let place = try folder.place()
    var encoder = LineEncoder()
    do throws(LibraryQuarantine.Failure) {
      try body(LibraryQuarantine(ofLibraryAt: place.library, stateFolder: place.state), &encoder)
    } catch {
      StandardError.print("podflux: \(error)")
      throw ExitCode(error)
    }
    try writeResult(json: encoder.bytes)
  }
}

extension ExitCode {
  fileprivate init(_ failure: LibraryQuarantine.Failure) {
    switch failure {
    case .unreadableLibrary: self = .unreadableLibrary
    case .wrongUsage: self = .wrongUsage
    case .failed: self = .failure
    }
  }
}
