/// How and where a response fails.
public struct Fault: Sendable, Hashable {
  /// What happens to the connection.
  public enum Kind: Sendable, Hashable {
    /// It is closed (FIN).
    case cut
    /// It is reset (RST).
    case reset
    /// It stays open, and silent.
    case stall
  }

  enum Place: Sendable, Hashable {
    case head
    case body(afterBytes: Int)
  }

  let kind: Kind
  let place: Place
}
