import PodfluxCore

/// Cleaning up as clients see it.
extension JSONWriter {
  mutating func members(of cleanup: CleanupSnapshot) {
    member("next", cleanup.next?.text)
    object("run", ifAny: cleanup.run) { $0.members(of: $1, cleanup.progress) }
    array("steps", cleanup.steps) { step, steps in
      steps.object { $0.members(of: step) }
    }
    object("waiting", ifAny: cleanup.waiting) { $0.members(of: $1, nil) }
  }

  private mutating func members(of run: CleanupRun, _ progress: CleanupProgress?) {
    member("askedAt", run.askedAt)
    member("cause", run.cause.rawValue)
    member("deep", run.options.isDeep)
    member("endedAt", run.endedAt)
    if !run.isCleanup { member("feed", (run.renaming?.feed ?? run.adopting?.feed)?.description) }
    object("findings") { findings in
      for kind in CleanupStep.Finding.Kind.allCases.sorted(by: { $0.rawValue < $1.rawValue }) {
        guard let tally = run.tallies[kind] else { continue }
        findings.key(named: kind.rawValue)
        findings.object { $0.members(of: tally) }
      }
    }
    if let adopting = run.adopting { member("folder", adopting.folder?.description) }
    member("freedBytes", bytes: run.freedBytes)
    member("id", run.key)
    member("missing", run.options.missing.rawValue)
    member("mode", run.options.mode.rawValue)
    member("orphans", run.options.orphans.rawValue)
    object("progress", ifAny: progress) { shown, progress in
      shown.member("files", progress.files)
      shown.member("readBytes", bytes: progress.readBytes)
    }
    member("reason", run.reason)
    member("state", run.stage.rawValue)
    if run.renaming != nil { member("task", "rename") }
    if run.adopting != nil { member("task", "adopt") }
    object("usage", ifAny: run.usage) { shown, usage in
      shown.member("database", bytes: usage.database)
      shown.member("media", bytes: usage.media)
      shown.member("other", bytes: usage.other)
      shown.member("partial", bytes: usage.partial)
      shown.member("quarantine", bytes: usage.quarantine)
    }
  }

  private mutating func members(of tally: CleanupRun.Tally) {
    member("bytes", bytes: tally.bytes)
    member("count", tally.found)
    member("done", tally.done)
    member("left", tally.left)
  }

  private mutating func members(of step: CleanupStep) {
    member("because", step.because)
    if let pairing = step.finding.pairing {
      array("by", pairing.evidence.map(\.rawValue)) { $1.element($0) }
    }
    member("bytes", bytes: step.finding.bytes)
    member("decision", step.decision.rawValue)
    member("download", step.download?.description)
    if let pairing = step.finding.pairing {
      array("episodes", pairing.episodes.map(\.description)) { $1.element($0) }
    }
    member("finding", step.finding.kind.rawValue)
    member("path", step.finding.place?.text)
    member("status", step.status.rawValue)
    if let pairing = step.finding.pairing { member("sure", pairing.confidence.rawValue) }
    member("to", step.finding.destination?.description)
  }

  /// A number of bytes as far as readers of JSON keep it: sparse files of other programs can seem to have more.
  private mutating func member(_ key: StaticString, bytes: Int64) {
    member(key, min(bytes, Settings.Limits.volume.upperBound))
  }

  /// An object, or null where there is none.
  private mutating func object<Value>(
    _ key: StaticString, ifAny value: Value?, _ writeMembers: (inout JSONWriter, Value) -> Void
  ) {
    guard let value else { return member(key, nil as String?) }
    object(key) { writeMembers(&$0, value) }
  }
}
