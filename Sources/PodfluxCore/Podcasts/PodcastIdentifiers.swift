/// A feed's id, chosen by the client or made by the engine; it never changes, wherever the feed moves.
///
/// It follows the rule for a download's id.
///
/// Use: `FeedID("night-trains")`, nil for a text that is none; `feed.id` is that of a row.
public struct FeedID: Hashable, Sendable, Comparable, CustomStringConvertible {
  /// The longest id, in bytes (all characters are ASCII).
  public static let maximumLength = IdentifierText.maximumLength

  public let description: String

  /// Nil if the text is not a valid id.
  public init?(_ text: String) {
    guard IdentifierText.isValid(text) else { return nil }
    description = text
  }

  /// Makes an id from random draws, as a download's.
  package init(from generator: inout some RandomNumberGenerator) {
    description = IdentifierText.drawn(prefix: "f-", from: &generator)
  }

  public static func < (lhs: Self, rhs: Self) -> Bool {
    lhs.description < rhs.description
  }
}

/// An episode's id: `e` and its number, which the library gives once.
///
/// Use: `EpisodeID("e42")`, nil for a text that is none; `episode.id` is that of a row.
public struct EpisodeID: Hashable, Sendable, Comparable, CustomStringConvertible {
  /// The numbers that a library gives: JSON readers keep each of them (RFC 8259 section 6).
  public static let numbers: ClosedRange<Int64> = 1...(1 << 53)

  /// The number, that of its row.
  public let number: Int64

  public init(number: Int64) {
    self.number = number
  }

  /// Nil if the text is not an id as `description` writes it.
  public init?(_ text: String) {
    guard text.utf8.first == UInt8(ascii: "e"), let number = Int64(text.dropFirst()), Self.numbers.contains(number)
    else { return nil }
    self.number = number
    guard description == text else { return nil }
  }

  public var description: String { "e\(number)" }

  public static func < (lhs: Self, rhs: Self) -> Bool {
    lhs.number < rhs.number
  }
}
