import PodfluxCore

/// Facts whose commit failed, kept as `EngineCore` keeps them.
struct UndeliveredFacts {
  private var facts: [Action] = []

  var isEmpty: Bool { facts.isEmpty }

  /// Takes them out, before what has come later.
  mutating func take(with later: [Action]) -> [Action] {
    defer { facts = [] }
    return facts + later
  }

  mutating func note(failed: [Action]) {
    facts += failed.filter { !$0.isReading }
  }
}
