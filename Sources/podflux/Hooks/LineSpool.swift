import Foundation

/// A queue of lines of which some are in memory, and those behind them in a file without a name: it takes any number in
/// bounded memory, and nothing is left of it when the process has ended.
struct LineSpool {
  /// How many lines are in memory at most.
  static let memoryLines = 256

  /// Why a line cannot be kept.
  struct Failure: Error, CustomStringConvertible {
    let description: String

    /// What errno says.
    init(_ call: String) {
      description = "\(call): \(String(cString: strerror(errno)))"
    }
  }

  private var first: [[UInt8]] = []
  /// Of the file, which holds all lines behind those in memory; -1 without one.
  private var file: Int32 = -1
  /// The part of the file that has not been read.
  private var unread: Range<Int64> = 0..<0
  /// How many lines are in it.
  private var unreadLines = 0

  var count: Int { first.count + unreadLines }

  /// Appends a line, which ends with its line feed.
  mutating func append(_ line: [UInt8]) throws {
    guard unreadLines > 0 || first.count >= Self.memoryLines else { return first.append(line) }
    if file < 0 { file = try Self.makeFile() }
    var rest = line[...]
    var end = unread.upperBound
    while !rest.isEmpty {
      let written = rest.withUnsafeBytes { pwrite(file, $0.baseAddress, $0.count, off_t(end)) }
      guard written > 0 else {
        if written < 0, errno == EINTR { continue }
        throw Failure("write")
      }
      rest = rest.dropFirst(written)
      end += Int64(written)
    }
    unread = unread.lowerBound..<end
    unreadLines += 1
  }

  /// Takes the first line; nil if there is none.
  mutating func next() throws -> [UInt8]? {
    if first.isEmpty, unreadLines > 0 { try readSome() }
    return first.isEmpty ? nil : first.removeFirst()
  }

  /// Forgets all lines. Returns how many there were.
  mutating func removeAll() -> Int {
    defer { (first, unreadLines) = ([], 0) }
    if file >= 0 { close(file) }
    (file, unread) = (-1, 0..<0)
    return count
  }

  /// Reads lines of the file into memory, one by one from its unread part.
  private mutating func readSome() throws {
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    var line: [UInt8] = []
    var place = unread.lowerBound
    reading: while first.count < Self.memoryLines, unreadLines > 0 {
      let got = buffer.withUnsafeMutableBytes { pread(file, $0.baseAddress, $0.count, off_t(place)) }
      guard got > 0 else {
        if got < 0, errno == EINTR { continue }
        throw Failure("read")
      }
      for byte in buffer[..<got] {
        place += 1
        line.append(byte)
        guard byte == UInt8(ascii: "\n") else { continue }
        first.append(line)
        (line, unreadLines) = ([], unreadLines - 1)
        unread = place..<unread.upperBound
        if first.count == Self.memoryLines || unreadLines == 0 { break reading }
      }
    }
    guard unreadLines == 0 else { return }
    unread = 0..<0
    _ = ftruncate(file, 0)
  }

  /// A file without a name in the folder for temporary files.
  private static func makeFile() throws -> Int32 {
    var template = Array((NSTemporaryDirectory() + "/podflux-" + String(repeating: "X", count: 6)).utf8CString)
    let file = mkstemp(&template)
    guard file >= 0 else { throw Failure("mkstemp") }
    _ = fcntl(file, F_SETFD, FD_CLOEXEC)
    unlink(template)
    return file
  }
}
