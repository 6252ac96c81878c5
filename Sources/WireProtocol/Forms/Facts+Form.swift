import Flux
import PodfluxCore

/// What the engine has found when it opened its library.
extension Recovery {
  static let template = Recovery(published: [])

  mutating func exchange<Coder: PayloadCoder>(with coder: inout Coder) throws(Coder.Fault) {
    try coder.optional("cleanup", &mayCleanUp, .boolean, omitting: true)
    try coder.optional("deletions", &mayDeleteOwed, .boolean, omitting: true)
    try coder.optional("detected", &detectedPath, .object)
    try coder.optional("downloads", &mayDownload, .boolean, omitting: true)
    try coder.optional("localTime", &localTime, .object)
    try coder.required("published", &published, .runningIDs)
    try coder.optional("reported", &reportedPath, .object)
  }
}

extension LocalTime: FormedPayload {
  static let template = LocalTime(seconds: 0)
  static let keys = templateKeys

  mutating func exchange<Coder: PayloadCoder>(with coder: inout Coder) throws(Coder.Fault) {
    try coder.required("changes", &changes, .objects(atMost: LocalTime.maximumChanges))
    try coder.required("knownUntil", &knownUntil, .instant)
    try coder.required("seconds", &seconds, .offsetSeconds)
  }
}

extension LocalTime.Offset: FormedPayload {
  static let template = LocalTime.Offset(from: Timestamp(milliseconds: 0), seconds: 0)
  static let keys = templateKeys

  mutating func exchange<Coder: PayloadCoder>(with coder: inout Coder) throws(Coder.Fault) {
    try coder.required("from", &from, .instant)
    try coder.required("seconds", &seconds, .offsetSeconds)
  }
}

/// The result of a verification as members say it.
struct VerdictForm {
  private enum Name: String, CaseIterable {
    case intact, damaged, unreadable, modified
  }

  private var name: Name
  private var message: String?
  private var found: PublishedFile?
  private var remains: PublishedFile?

  init(_ verdict: Verification.Verdict) {
    switch verdict {
    case .intact: name = .intact
    case .damaged(let message, let remains): (name, self.message, self.remains) = (.damaged, message, remains)
    case .unreadable(let message): (name, self.message) = (.unreadable, message)
    case .modified(let found): (name, self.found) = (.modified, found)
    }
  }

  mutating func exchange<Coder: PayloadCoder>(
    of verification: inout Verification, with coder: inout Coder
  ) throws(Coder.Fault) {
    try coder.required("file", &verification.file, .object)
    try coder.optional("found", &found, .object)
    try coder.required("id", &verification.download, .downloadID)
    try coder.optional("message", &message, .text)
    try coder.optional("remains", &remains, .object)
    try coder.required("verdict", &name, .choice)
    try coder.required("verification", &verification.key, .number)
    try coder.check { [name] fields throws(Refusal) in
      switch name {
      case .intact: break
      case .damaged, .unreadable: _ = try fields.required("message")
      case .modified: _ = try fields.required("found")
      }
    }
  }

  var verdict: Verification.Verdict {
    switch (name, found) {
    case (.intact, _): .intact
    case (.modified, let found?): .modified(found)
    case (.damaged, _): .damaged(message ?? "", remains: remains)
    default: .unreadable(message ?? "")
    }
  }
}

extension Verification {
  static let template = Verification(key: 0, download: .template, file: .template)
}

/// What a cleanup reports as members say it.
struct NewsForm {
  private enum Name: String, CaseIterable {
    case found, looked, refused, failed
  }

  private var name = Name.found
  private var message: String?
  private var remark: String?
  private var steps: [StepForm]?
  private var usage: CleanupRun.Usage?

  init(_ news: CleanupNews) {
    switch news {
    // A reading: no line tells it.
    case .progress: break
    case .found(let steps): self.steps = steps.map(StepForm.init)
    case .complete(let usage, let remark): (name, self.usage, self.remark) = (.looked, usage, remark)
    case .refused(let message): (name, self.message) = (.refused, message)
    case .failed(let message): (name, self.message) = (.failed, message)
    }
  }

  mutating func exchange<Coder: PayloadCoder>(
    of run: inout CleanupRun.Key, with coder: inout Coder
  ) throws(Coder.Fault) {
    try coder.optional("message", &message, .text)
    try coder.required("news", &name, .choice)
    try coder.optional("remark", &remark, .text)
    try coder.required("run", &run, .number)
    try coder.stored("steps", &steps)
    try coder.stored("usage", &usage)
    try coder.check { [name] fields throws(Refusal) in
      switch name {
      case .found: _ = try fields.required("steps")
      case .looked: _ = try fields.required("usage")
      case .refused, .failed: _ = try fields.required("message")
      }
    }
  }

  var news: CleanupNews {
    switch (name, usage) {
    case (.looked, let usage?): .complete(usage, remark: remark)
    case (.refused, _): .refused(message ?? "")
    case (.failed, _): .failed(message ?? "")
    default: .found((steps ?? []).map(\.step))
    }
  }
}

/// What became of a step as members say it.
struct OutcomeForm {
  private enum Name: String, CaseIterable {
    case done, moved, left
  }

  private var name = Name.done
  private var message: String?
  private var madeFolders: [LibraryPath]?

  init(_ outcome: CleanupStep.Outcome) {
    switch outcome {
    case .done: break
    case .moved(let folders): (name, madeFolders) = (.moved, folders)
    case .left(let message): (name, self.message) = (.left, message)
    }
  }

  mutating func exchange<Coder: PayloadCoder>(
    of step: inout CleanupStep.Key, with coder: inout Coder
  ) throws(Coder.Fault) {
    try coder.optional("madeFolders", &madeFolders, .goneFolders)
    try coder.optional("message", &message, .text)
    try coder.required("outcome", &name, .choice)
    try coder.required("step", &step, .number)
    try coder.check { [name] fields throws(Refusal) in
      if name == .left { _ = try fields.required("message") }
    }
  }

  var outcome: CleanupStep.Outcome {
    switch name {
    case .done: .done
    case .moved: .moved(madeFolders: madeFolders ?? [])
    case .left: .left(message ?? "")
    }
  }
}

/// A step in the form in which the core stores it.
private struct StepForm: Codable {
  var because: String
  var decision: CleanupStep.Decision
  var holder: DownloadID?
  var key: CleanupStep.Key
  var finding: CleanupStep.Finding
  var status: CleanupStep.Status

  private enum CodingKeys: String, CodingKey {
    case because, decision, holder, key, status
    case finding = "matter"
  }

  init(_ step: CleanupStep) {
    because = step.because
    decision = step.decision
    holder = step.holder
    key = step.key
    finding = step.finding
    status = step.status
  }

  var step: CleanupStep {
    CleanupStep(
      key: key, finding: finding, decision: decision, because: because, status: status, holder: holder)
  }
}
