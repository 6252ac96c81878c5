import Foundation
import WireProtocol

/// Reads a journal's lines, the oldest file first. Memory: one line.
struct JournalReader: ~Copyable {
  /// A line, without its line feed.
  struct Line {
    var bytes: [UInt8]
    var file: String
    /// Counted from 1 in its file.
    var number: Int
    /// Whether it ends with a line feed. If the last one does not, a crash has truncated it.
    var isComplete: Bool

    /// Whether it may be a truncated line. An incomplete line may lack only its line feed.
    var mayBeCutOff: Bool {
      switch LineSeal.verdict(on: bytes) {
      case .intact: !isComplete || !bytes.starts(with: LineSeal.head)
      case .cutOff: true
      case .changed: false
      }
    }
  }

  /// How many bytes one read(2) requests.
  private static let readSize = 256 << 10

  private var files: ArraySlice<String>
  private var descriptor: Int32 = -1
  private var file = ""
  private var number = 0
  private var buffer: [UInt8] = []
  private var position = 0

  init(path: String) throws(JournalError) {
    let paths = (0...JournalFile.keptFiles).reversed().map { JournalFile.path(path, $0) }
    files = paths.filter { access($0, F_OK) == 0 }[...]
    guard files.last == path else { throw .missing("there is no journal \"\(path)\"") }
  }

  deinit {
    if descriptor >= 0 { close(descriptor) }
  }

  /// The next line; nil at the end.
  mutating func next() throws(JournalError) -> Line? {
    var bytes: [UInt8] = []
    while true {
      if let end = buffer[position...].firstIndex(of: UInt8(ascii: "\n")) {
        bytes += buffer[position..<end]
        position = end + 1
        number += 1
        return Line(bytes: bytes, file: file, number: number, isComplete: true)
      }
      bytes += buffer[position...]
      guard bytes.count <= ActionLineDecoder.maximumLineBytes else {
        throw .damaged("line \(number + 1) of \"\(file)\" is longer than \(ActionLineDecoder.maximumLineBytes) bytes")
      }
      if try readMore() { continue }
      if !bytes.isEmpty {
        number += 1
        return Line(bytes: bytes, file: file, number: number, isComplete: false)
      }
      guard try openNext() else { return nil }
    }
  }

  private mutating func readMore() throws(JournalError) -> Bool {
    position = 0
    buffer.removeAll(keepingCapacity: true)
    guard descriptor >= 0 else { return false }
    var count = 0
    var code: Int32 = 0
    buffer = [UInt8](unsafeUninitializedCapacity: Self.readSize) { [descriptor] room, filled in
      repeat {
        count = read(descriptor, room.baseAddress, room.count)
        code = errno
      } while count < 0 && code == EINTR
      filled = max(0, count)
    }
    guard count >= 0 else { throw .missing("\"\(file)\" cannot be read: \(String(cString: strerror(code)))") }
    return count > 0
  }

  private mutating func openNext() throws(JournalError) -> Bool {
    if descriptor >= 0 { close(descriptor) }
    descriptor = -1
    guard let next = files.popFirst() else { return false }
    file = next
    number = 0
    descriptor = open(next, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw .missing("\"\(file)\" cannot be opened: \(String(cString: strerror(errno)))") }
    return true
  }
}

/// Why a journal cannot be replayed. Its `description` is one sentence for people:
///
/// ```swift
/// do { snapshot = try JournalReplay.snapshot(of: source, .init()) } catch { print(error.description) }
/// ```
package enum JournalError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The journal is missing or unreadable.
  case missing(String)
  /// No engine wrote these lines.
  case damaged(String)
  /// Actions are missing.
  case gap(String)
  /// The journal does not begin at the database's position.
  case wrongBeginning(String)
  /// Its actions do not fit the database.
  case diverged(String)
  /// The copy of the database cannot be read.
  case unreadableLibrary(String)

  /// One sentence for people.
  package var description: String {
    switch self {
    case .missing(let reason), .damaged(let reason), .gap(let reason), .wrongBeginning(let reason),
      .diverged(let reason), .unreadableLibrary(let reason):
      reason
    }
  }
}
