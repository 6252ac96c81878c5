import Foundation
import WireProtocol

/// The files of a journal: `FILE`, then `FILE.1` … `FILE.4`; older ones are deleted.
///
/// Not thread safe.
struct JournalFile: ~Copyable {
  /// Why an operation on a journal's file failed.
  struct Failure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
      self.description = description
    }

    init(_ operation: String, _ path: String) {
      description = "\(operation) of \"\(path)\": \(String(cString: strerror(errno)))"
    }
  }

  static let keptFiles = 4
  /// How many bytes decide whether a file is a journal.
  private static let lookedAtBytes = 64 << 10
  private static let mode: mode_t = 0o600

  let path: String
  /// Whether this process created it.
  let isNew: Bool
  private var descriptor: Int32
  private(set) var length: Int64
  /// Whether a dead process left an incomplete line at the end.
  private var endsInsideLine: Bool

  /// Opens or creates a journal's file for appending. Writes nothing.
  ///
  /// - Throws: `Failure` if it is not a journal, or another process is writing it; it is unchanged then.
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

  /// Appends bytes. When it returns the kernel has them: they survive the end of this process.
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
        // Removes the incomplete line: the file stays readable.
        _ = ftruncate(descriptor, off_t(length))
        throw failure
      }
      written += count
    }
    length += Int64(written)
  }

  /// Renames the files, and starts an empty one.
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

  /// Deletes the file if this process created it.
  consuming func discard() {
    if isNew { unlink(path) }
  }

  /// The path of a full file; 0 for the current one.
  static func path(_ path: String, _ number: Int) -> String {
    number == 0 ? path : "\(path).\(number)"
  }
}
