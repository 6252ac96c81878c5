/// Facts whose commit has failed. They are delivered again, before all later ones: what a service found out happened,
/// whether or not the disk was full at that moment.
///
/// Readings are dropped instead: the next one says more.
public struct UndeliveredFacts<Action: ActionProtocol>: Sendable {
  private var facts: [Action] = []

  /// Starts with none.
  public init() {}

  /// Whether there are none.
  public var isEmpty: Bool { facts.isEmpty }

  /// Keeps what could not be committed.
  public mutating func note(failed: [Action]) {
    facts += failed.filter { !$0.isReading }
  }

  /// Takes all of them out, in front of what has come later: another delivery between now and their success must neither
  /// lose nor repeat them.
  public mutating func take(with later: [Action] = []) -> [Action] {
    defer { facts = [] }
    return facts + later
  }
}
