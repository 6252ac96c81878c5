import ArgumentParser
import Foundation
import Terminal
import WireProtocol

/// `podflux diff`: shows the difference between two snapshots.
struct DiffCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "diff",
    abstract: "Prints what differs between two snapshots; exits with 0 if nothing does, with 1 if something does.")

  /// The longest snapshot that is read, in bytes: far more than a page of a thousand downloads.
  private static let maximumBytes = 256 << 20

  @Argument(help: "A file with one line, as `podflux snapshot` prints it or an engine replies it; - for stdin.")
  var before: String

  @Argument(help: "The other one.")
  var after: String

  func validate() throws {
    guard before == "-", after == "-" else { return }
    throw ValidationError("only one of the snapshots can come from stdin")
  }

  func run() throws {
    let difference: SnapshotDifference
    do throws(SnapshotDifference.Unreadable) {
      difference = try SnapshotDifference(read(before, number: 0), read(after, number: 1))
    } catch {
      let name = error.number == 0 ? before : after
      StandardError.print("podflux: \(name == "-" ? "stdin" : "\"\(name)\"") is no snapshot: \(error.reason)")
      throw ExitCode.unreadableLibrary
    }
    // Podcasts' titles may contain terminal control sequences, which are replaced.
    try writeResult(Array(difference.lines.map { $0.printable + "\n" }.joined().utf8))
    if !difference.lines.isEmpty { throw ExitCode.failure }
  }

  private func read(_ path: String, number: Int) throws(SnapshotDifference.Unreadable) -> [UInt8] {
    let data: Data?
    do {
      let file = path == "-" ? FileHandle.standardInput : try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
      data = try file.read(upToCount: Self.maximumBytes + 1)
    } catch {
      throw SnapshotDifference.Unreadable(number: number, reason: "it cannot be read")
    }
    var bytes = [UInt8](data ?? Data())
    guard bytes.count <= Self.maximumBytes else {
      throw SnapshotDifference.Unreadable(number: number, reason: "it has more than \(Self.maximumBytes) bytes")
    }
    if bytes.last == UInt8(ascii: "\n") { bytes.removeLast() }
    return bytes
  }
}
