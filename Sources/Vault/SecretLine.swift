import Foundation

/// A file that a person has put a secret in: a password, a token or a key.
package enum SecretLine {
  /// The bytes of a file, without the line ends at its end, which editors add. Of a file that is longer than `limit` and a
  /// line end no more is read than tells that.
  package static func bytes(ofFile path: String, atMost limit: Int) throws -> ArraySlice<UInt8> {
    let file = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
    defer { try? file.close() }
    // A line end may have two bytes.
    return trimmed([UInt8](try file.read(upToCount: limit + 3) ?? Data()))
  }

  /// Bytes without the line ends at their end.
  static func trimmed(_ bytes: [UInt8]) -> ArraySlice<UInt8> {
    let end = bytes.lastIndex { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }.map { $0 + 1 } ?? 0
    return bytes[..<end]
  }
}
