/// A download's id, chosen by the client or made by the engine; it never changes.
///
/// 1 to 128 characters of `A-Z a-z 0-9 . _ - :`, the first one no dot, so that it can be a file's name.
///
/// Use: `DownloadID("night-1")`, nil for a text that is none; `download.id` is that of a row.
public struct DownloadID: Hashable, Sendable, Comparable, CustomStringConvertible {
  /// The longest id, in bytes (all characters are ASCII).
  public static let maximumLength = IdentifierText.maximumLength

  public let description: String

  /// Nil if the text is not a valid id.
  public init?(_ text: String) {
    guard IdentifierText.isValid(text) else { return nil }
    description = text
  }

  /// Makes an id from random draws: 80 bits, so that a million of them collide with a probability below 10⁻¹².
  package init(from generator: inout some RandomNumberGenerator) {
    description = IdentifierText.drawn(prefix: "d-", from: &generator)
  }

  public static func < (lhs: Self, rhs: Self) -> Bool {
    lhs.description < rhs.description
  }
}

/// Identifies an attempt: the engine drops a late report of an older attempt by its generation.
package struct AttemptID: Hashable, Sendable {
  package var download: DownloadID
  /// The sequence number of the action that started it: unique within a library.
  package var generation: Int64

  package init(download: DownloadID, generation: Int64) {
    self.download = download
    self.generation = generation
  }
}
