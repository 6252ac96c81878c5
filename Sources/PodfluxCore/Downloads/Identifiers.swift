/// A download's name, chosen by the client or made by the engine; it never changes.
///
/// 1 to 128 characters of `A-Z a-z 0-9 . _ - :`, not beginning with a dot: it can name a file as it is.
public struct DownloadID: Hashable, Sendable, Comparable, CustomStringConvertible {
  /// The longest id, in bytes (all characters are ASCII).
  public static let maximumLength = 128

  /// The id as text.
  public let description: String

  /// Takes a checked text over; nil if it is not a valid id.
  public init?(_ text: String) {
    let bytes = text.utf8
    guard (1...Self.maximumLength).contains(bytes.count), bytes.first != UInt8(ascii: "."),
      bytes.allSatisfy(Self.isAllowed)
    else { return nil }
    description = text
  }

  /// Makes an id from random draws: 80 bits, so that a million of them collide with a chance below 10⁻¹².
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

  /// Orders ids by their bytes.
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

/// Names one attempt: a late answer of an older attempt is told by its generation and dropped.
public struct AttemptID: Hashable, Sendable {
  /// The download it works for.
  public var download: DownloadID
  /// The sequence number of the action that started it: unique within a library.
  public var generation: Int64

  /// Makes an attempt's name.
  public init(download: DownloadID, generation: Int64) {
    self.download = download
    self.generation = generation
  }
}
