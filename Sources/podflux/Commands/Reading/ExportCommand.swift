import ArgumentParser
import Foundation
import PodfluxEngine
import PodfluxPeople
import Terminal

/// `podflux export`: the subscriptions as OPML.
struct ExportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "export",
    abstract: "Prints all subscriptions as OPML, which other programs import.",
    discussion: """
      podflux export > subscriptions.opml
      podflux export -o subscriptions.opml --with-secrets

      User names, passwords and what may be a token in addresses are left out unless --with-secrets says otherwise. What
      sessions log in with stays in the library in any case.
      """)

  @OptionGroup var folder: LibraryOption
  @OptionGroup var engine: SocketOption
  @OptionGroup var console: ConsoleOptions

  @Option(
    name: [.customShort("o"), .long], help: "A file to write, which is replaced; - for stdout.", completion: .file())
  var output: String?

  @Flag(help: "Leave nothing out: with this file others can listen as you.")
  var withSecrets = false

  func run() throws {
    let console = Console(console)
    try console.reporting {
      let place = try folder.place(of: engine)
      let opml = try LibraryReader.opml(
        ofLibraryAt: place.library, stateFolder: place.state, includingSecrets: withSecrets)
      let text = console.options.json ? try Self.json(opml) : opml
      guard let output, output != "-" else { return _ = console.write(Array(text.utf8)) }
      do {
        // A file with secrets is for its owner alone.
        try SecretFile.write(text, to: output)
      } catch {
        console.complain("\"\(output)\" cannot be written: \(error.systemWords)")
        throw ExitCode.failure
      }
    }
  }

  private static func json(_ opml: String) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .withoutEscapingSlashes
    return String(decoding: try encoder.encode(["opml": opml]), as: UTF8.self) + "\n"
  }
}

/// A file that only its owner may read.
private enum SecretFile {
  private static let mode: mode_t = 0o600

  /// Writes a file, or puts a new one in its place once that is whole: what was there stays if the disk is full. What
  /// is no regular file, such as a terminal, is written to.
  static func write(_ text: String, to path: String) throws {
    var status = stat()
    let isThere = stat(path, &status) == 0
    if isThere, status.st_mode & S_IFMT != S_IFREG {
      return try write(text, into: try open(path, O_WRONLY))
    }
    let target = isThere ? URL(fileURLWithPath: path).resolvingSymlinksInPath().path : path
    let new = target + ".\(getpid()).new"
    do {
      let file = try open(new, O_WRONLY | O_CREAT | O_EXCL)
      try write(text, into: file)
      guard rename(new, target) == 0 else { throw failure() }
    } catch {
      unlink(new)
      throw error
    }
  }

  private static func open(_ path: String, _ flags: Int32) throws -> FileHandle {
    let descriptor = Foundation.open(path, flags | O_CLOEXEC, mode)
    guard descriptor >= 0 else { throw failure() }
    return FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
  }

  private static func write(_ text: String, into file: FileHandle) throws {
    try file.write(contentsOf: Data(text.utf8))
    // fsync(2) fails with EINVAL for a file without a disk behind it.
    guard fsync(file.fileDescriptor) == 0 || errno == EINVAL else { throw failure() }
    try file.close()
  }

  private static func failure() -> POSIXError { POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
}
