/// A session's id, chosen by the client or made by the engine; it never changes.
///
/// It follows the rule for a download's id.
///
/// Use: `SessionID("club")`, nil for a text that is none; `session.id` is that of a row.
public struct SessionID: Hashable, Sendable, Comparable, CustomStringConvertible {
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
    description = IdentifierText.drawn(prefix: "s-", from: &generator)
  }

  public static func < (lhs: Self, rhs: Self) -> Bool {
    lhs.description < rhs.description
  }
}

/// Names a secret in the vault. It tells nothing of the secret: actions, rows and journals hold it in the secret's
/// place.
///
/// Use: `session.wish.secret`. The engine makes it: a client gives the secret itself, as a `SecretSource`.
public struct SecretReference: Hashable, Sendable, Comparable, CustomStringConvertible {
  /// The length of a reference: so many digits of base 16.
  package static let length = 32

  public let description: String

  /// Nil if the text is not a reference.
  package init?(_ text: String) {
    guard text.utf8.count == Self.length, text.utf8.allSatisfy(\.isHexadecimalDigit) else { return nil }
    description = text
  }

  /// Makes a reference from random draws: 128 bits.
  package init(from generator: inout some RandomNumberGenerator) {
    description = (0..<2).map { _ in Self.digits(of: generator.next() as UInt64) }.joined()
  }

  public static func < (lhs: Self, rhs: Self) -> Bool {
    lhs.description < rhs.description
  }

  private static func digits(of number: UInt64) -> String {
    let text = String(number, radix: 16)
    return String(repeating: "0", count: 16 - text.utf8.count) + text
  }
}
