extension CleanupRun {
  /// The results of a run for one kind of finding and one decision. Empty partial files are not in it: a download that
  /// starts between the survey and the step has one too, and no user misses what had no bytes.
  package struct Deed: Hashable, Sendable, Codable {
    package var finding: CleanupStep.Finding.Kind
    package var decision: CleanupStep.Decision
    /// How many steps were done.
    package var done = 0
    /// How many bytes on the disk those concern.
    package var bytes: Int64 = 0
    /// How many planned steps were left.
    package var left = 0

    /// Whether to notify the user: not of a corrected length of a partial file.
    package var isNews: Bool { decision != .correct && done + left > 0 }

    package init(_ finding: CleanupStep.Finding.Kind, _ decision: CleanupStep.Decision) {
      self.finding = finding
      self.decision = decision
    }
  }

  /// The results in the order of their first step; at most one for each kind and decision.
  package var deeds: [Deed] { keptDeeds ?? [] }

  /// Whether to notify users who see no snapshot: the run changed a file or row that they could miss or notice, or
  /// failed to.
  package var isNews: Bool {
    switch stage {
    case .refused, .failed: true
    case .waiting, .looking, .acting, .done, .cancelled:
      deeds.contains(where: \.isNews)
    }
  }

  mutating func note(_ step: CleanupStep, as status: CleanupStep.Status) {
    guard step.isDeed, status != .planned else { return }
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
