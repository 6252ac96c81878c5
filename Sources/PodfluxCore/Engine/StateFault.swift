/// The tables hold what cannot be: rows that do not go together, or not with what the store has made of them.
///
/// Whoever throws it has its turn undone as a whole; nothing is half-done. It is no refusal: whoever asked has asked for
/// nothing wrong.
public struct StateFault: Error, CustomStringConvertible {
  /// One sentence for people, without values that may be secrets.
  public let description: String

  /// Says what cannot be.
  public init(_ description: String) {
    self.description = description
  }
}
