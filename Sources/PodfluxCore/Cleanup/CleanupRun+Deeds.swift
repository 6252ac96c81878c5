extension CleanupRun {
  /// What a run did about one kind of finding, decided in one way.
  public struct Deed: Hashable, Sendable, Codable {
    /// What was found.
    public var finding: CleanupStep.Finding.Kind
    /// What was to be done.
    public var decision: CleanupStep.Decision
    /// How many steps were carried out.
    public var done = 0
    /// How many bytes on the disk those concern.
    public var bytes: Int64 = 0
    /// How many were not carried out, though they were planned.
    public var left = 0

    /// Whether people are to be told of it: not that a row says again how long its partial file is, nor that a partial file
    /// has gone that had nothing in it. Nobody misses those.
    public var isNews: Bool {
      switch (finding, decision) {
      case (_, .correct): false
      case (.orphanPartial, .delete): bytes > 0 || left > 0
      default: done + left > 0
      }
    }

    /// Of nothing yet.
    public init(_ finding: CleanupStep.Finding.Kind, _ decision: CleanupStep.Decision) {
      self.finding = finding
      self.decision = decision
    }
  }

  /// What it did, in the order in which it first did so. As many as there are kinds of findings and decisions.
  public var deeds: [Deed] { keptDeeds ?? [] }

  /// Whether people are to be told of it who look at no snapshot: it changed something that they could miss or wonder at, or
  /// could not.
  public var isNews: Bool {
    switch stage {
    case .refused, .failed: true
    case .waiting, .looking, .acting, .done, .cancelled:
      deeds.contains(where: \.isNews)
    }
  }

  mutating func note(_ step: CleanupStep, as status: CleanupStep.Status) {
    guard step.decision.isAct, status != .planned else { return }
    var deeds = deeds
    let index = deeds.firstIndex { ($0.finding, $0.decision) == (step.finding.kind, step.decision) } ?? deeds.endIndex
    if index == deeds.endIndex { deeds.append(Deed(step.finding.kind, step.decision)) }
    if status == .done {
      deeds[index].done += 1
      deeds[index].bytes = deeds[index].bytes.addingClamped(step.finding.bytes)
    } else {
      deeds[index].left += 1
    }
    keptDeeds = deeds
  }
}
