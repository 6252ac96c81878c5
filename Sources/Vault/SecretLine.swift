import Foundation

/// A file that a person has put a secret in: a password, a token or a key.
package enum SecretLine {
  /// Why a file cannot be read, in the system's words.
  package struct Fault: Error, Hashable, CustomStringConvertible {
    let code: Int32

    package var description: String { String(cString: strerror(code)) }
  }

  /// The bytes of a file, without the line ends at its end, which editors add. Of a file that is longer than `limit`
  /// and a line end no more is read than tells that.
  ///
  /// - Parameter waits: Whether it may be a pipe, whose writer has to be waited for; otherwise only a regular file will
  ///   do.
  package static func bytes(ofFile path: String, atMost limit: Int, waits: Bool) throws -> ArraySlice<UInt8> {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | (waits ? 0 : O_NONBLOCK))
    guard descriptor >= 0 else { throw Fault(code: errno) }
    let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    defer { try? file.close() }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw Fault(code: errno) }
    guard status.st_mode & S_IFMT != S_IFDIR else { throw Fault(code: EISDIR) }
    guard waits || status.st_mode & S_IFMT == S_IFREG else { throw Fault(code: EINVAL) }
    // A line end may have two bytes.
    guard let bytes = try? file.read(upToCount: limit + 3) ?? Data() else { throw Fault(code: EIO) }
    return trimmed([UInt8](bytes))
  }

  /// Bytes without the line ends at their end.
  static func trimmed(_ bytes: [UInt8]) -> ArraySlice<UInt8> {
    let end = bytes.lastIndex { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }.map { $0 + 1 } ?? 0
    return bytes[..<end]
  }
}
