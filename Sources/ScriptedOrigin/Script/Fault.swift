/// How and where a response fails.
package struct Fault: Sendable, Hashable {
  /// What happens to the connection.
  package enum Kind: Sendable, Hashable {
    /// The connection is closed (FIN).
    case cut
    /// The connection is reset (RST).
    case reset
    /// The connection stays open, and no further byte is sent.
    case stall
  }

  enum Place: Sendable, Hashable {
    case head
    case body(afterBytes: Int)
  }

  let kind: Kind
  let place: Place
}
