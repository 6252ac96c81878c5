import Foundation
import WireProtocol

/// The file that a journal is written to, and those before it: `FILE`, then `FILE.1` … `FILE.4`, then they are gone.
///
/// Not thread safe.
struct JournalFile: ~Copyable {
  /// Why something cannot be done with a journal's file.
  struct Failure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
      self.description = description
    }

    init(_ operation: String, _ path: String) {
      description = "\(operation) of \"\(path)\": \(String(cString: strerror(errno)))"
    }
  }

  /// How many full files are kept.
  static let keptFiles = 4
  /// As much of a file is looked at to tell whether it is a journal.
  private static let lookedAtBytes = 64 << 10
  private static let mode: mode_t = 0o600

  let path: String
  /// Whether it was made just now.
  let isNew: Bool
  private var descriptor: Int32
  private(set) var length: Int64
  /// Whether a process that died has left half a line at the end.
  private var endsInsideLine: Bool

  /// Opens a journal's file to write on, or makes one. Nothing is written.
  ///
  /// - Throws: `Failure` if it is something else than a journal that nobody else writes. It is as it was then.
  init(path: String) throws(Failure) {
    self.path = path
    var isNew = false
    var descriptor = open(path, O_RDWR | O_APPEND | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW)
    if descriptor < 0, errno == ENOENT {
      descriptor = open(path, O_RDWR | O_APPEND | O_CLOEXEC | O_CREAT | O_EXCL, Self.mode)
      isNew = true
    }
    guard descriptor >= 0 else { throw Failure("the opening", path) }
    do throws(Failure) {
      (length, endsInsideLine) = try Self.checked(descriptor, path)
    } catch {
      close(descriptor)
      if isNew { unlink(path) }
      throw error
    }
    self.descriptor = descriptor
    self.isNew = isNew
  }

  deinit {
    if descriptor >= 0 { close(descriptor) }
  }

  private static func checked(_ descriptor: Int32, _ path: String) throws(Failure) -> (Int64, Bool) {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw Failure("the reading", path) }
    guard status.st_mode & S_IFMT == S_IFREG else { throw Failure("\"\(path)\" is not a regular file") }
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      throw Failure("another engine writes \"\(path)\"; give each its own journal")
    }
    let length = Int64(status.st_size)
    guard length > 0 else { return (0, false) }
    guard isJournal(descriptor) else {
      throw Failure("\"\(path)\" is not a journal of Podflux; it is left as it is, choose another name")
    }
    var last: UInt8 = 0
    guard pread(descriptor, &last, 1, off_t(length - 1)) == 1 else { throw Failure("the reading", path) }
    return (length, last != UInt8(ascii: "\n"))
  }

  private static func isJournal(_ descriptor: Int32) -> Bool {
    var beginning = [UInt8](repeating: 0, count: lookedAtBytes)
    let count = pread(descriptor, &beginning, beginning.count, 0)
    guard count > 0, let end = beginning[..<count].firstIndex(of: UInt8(ascii: "\n")) else { return false }
    if case .journal = try? ActionLineDecoder().decode(Array(beginning[..<end])) { return true }
    return false
  }

  /// Writes behind what there is. When it returns the bytes are the kernel's: the end of this process does not harm them.
  mutating func append(_ bytes: [UInt8]) throws(Failure) {
    if endsInsideLine { try write([UInt8(ascii: "\n")]) }
    endsInsideLine = false
    try write(bytes)
  }

  private mutating func write(_ bytes: [UInt8]) throws(Failure) {
    var written = 0
    while written < bytes.count {
      let count = bytes.withUnsafeBytes {
        Foundation.write(descriptor, $0.baseAddress?.advanced(by: written), $0.count - written)
      }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else {
        let failure = Failure("the writing", path)
        // No half a line: what is there stays readable.
        _ = ftruncate(descriptor, off_t(length))
        throw failure
      }
      written += count
    }
    length += Int64(written)
  }

  /// Moves what is there out of the way, and begins an empty file.
  mutating func rotate() throws(Failure) {
    for number in (0..<Self.keptFiles).reversed() {
      let (from, to) = (Self.path(path, number), Self.path(path, number + 1))
      guard rename(from, to) == 0 || errno == ENOENT else { throw Failure("the moving", from) }
    }
    close(descriptor)
    descriptor = open(path, O_RDWR | O_APPEND | O_CLOEXEC | O_CREAT | O_EXCL, Self.mode)
    guard descriptor >= 0, flock(descriptor, LOCK_EX | LOCK_NB) == 0 else { throw Failure("the making", path) }
    length = 0
  }

  /// Takes back that it was made.
  consuming func discard() {
    if isNew { unlink(path) }
  }

  /// The name of a full file; 0 for the one that is written.
  static func path(_ path: String, _ number: Int) -> String {
    number == 0 ? path : "\(path).\(number)"
  }
}
