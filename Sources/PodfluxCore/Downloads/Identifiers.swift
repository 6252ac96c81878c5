/// A download's id, chosen by the client or made by the engine; it never changes.
///
/// 1 to 128 characters of `A-Z a-z 0-9 . _ - :`, the first one no dot, so that it can be a file's name.
public struct DownloadID: Hashable, Sendable, Comparable, CustomStringConvertible {
  /// The longest id, in bytes (all characters are ASCII).
  public static let maximumLength = 128

  public let description: String

  /// Nil if the text is not a valid id.
  public init?(_ text: String) {
    let bytes = text.utf8
    guard (1...Self.maximumLength).contains(bytes.count), bytes.first != UInt8(ascii: "."),
      bytes.allSatisfy(Self.isAllowed)
    else { return nil }
    description = text
  }

  /// Makes an id from random draws: 80 bits, so that a million of them collide with a probability below 10⁻¹².
  public init(from generator: inout some RandomNumberGenerator) {
    var text = Array("d-".utf8)
    for _ in 0..<2 {
      var bits = generator.next()
      for _ in 0..<8 {
        text.append(Self.alphabet[Int(bits & 31)])
        bits >>= 5
      }
    }
    description = String(decoding: text, as: UTF8.self)
  }

  private static let alphabet = Array("0123456789abcdefghjkmnpqrstvwxyz".utf8)

  public static func < (lhs: Self, rhs: Self) -> Bool {
    lhs.description < rhs.description
  }

  private static func isAllowed(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"),
      UInt8(ascii: ":"):
      true
    default: false
    }
  }
}

/// Identifies an attempt: the engine drops a late report of an older attempt by its generation.
public struct AttemptID: Hashable, Sendable {
  public var download: DownloadID
  /// The sequence number of the action that started it: unique within a library.
  public var generation: Int64

  public init(download: DownloadID, generation: Int64) {
    self.download = download
    self.generation = generation
  }
}
