/// The tables hold what cannot be: rows that do not go together, or not with what the store has made of them.
///
/// The turn in which it is thrown is undone as a whole; nothing is half-done. It is no refusal: the request was not
/// wrong.
package struct StateFault: Error, CustomStringConvertible {
  /// One sentence for people, without values that may be secrets.
  package let description: String

  /// Says what cannot be.
  package init(_ description: String) {
    self.description = description
  }
}
