/// Facts whose commit failed. The engine delivers them again, before all later ones: the reported event happened even
/// if the disk was full at that moment.
///
/// Readings are dropped: the next one replaces them.
///
/// ```swift
/// var undelivered = UndeliveredFacts<Counter.Action>()
/// undelivered.note(failed: [.add(1)])
/// print(undelivered.take(with: [.add(2)]).count)
/// ```
public struct UndeliveredFacts<Action: ActionProtocol>: Sendable {
  private var facts: [Action] = []

  public init() {}

  public var isEmpty: Bool { facts.isEmpty }

  /// Keeps the facts of a failed batch.
  public mutating func note(failed: [Action]) {
    facts += failed.filter { !$0.isReading }
  }

  /// Takes all of them out, before later facts: a delivery between now and their success must neither lose nor repeat
  /// them.
  public mutating func take(with later: [Action] = []) -> [Action] {
    defer { facts = [] }
    return facts + later
  }
}
