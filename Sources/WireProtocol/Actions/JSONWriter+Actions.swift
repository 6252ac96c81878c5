import Flux
import Foundation
import PodfluxCore

/// What the lines of facts hold.
extension JSONWriter {
  mutating func members(of action: Action) {
    switch action {
    case .downloads(let intent): members(of: intent)
    case .updateSettings(let patch): members(of: patch)
    case .filters(let intent): members(of: intent)
    case .stop(let mode): member("mode", mode.rawValue)
    case .recovered(let recovery): array("published", recovery.published) { $1.element($0.description) }
    case .attempt(let report): members(of: report)
    case .deleted(let key), .notDeleted(let key): member("deletion", key)
    case .verified(let verification, let verdict): members(of: verification, verdict)
    case .cleanup(.run(let options)): members(of: options)
    case .looked(let run, let news): members(of: news, run)
    case .cleaned(let step, let outcome): members(of: outcome, step)
    case .cleanup(.cancel), .timeCame: break
    }
  }

  mutating func members(of event: Announcement.Event) {
    switch event {
    case .started(let attempt):
      member("attempt", attempt.generation)
      member("id", attempt.download.description)
    case .waiting(let id, let waiting):
      object("error") { $0.members(of: waiting.error) }
      member("id", id.description)
      member("reason", waiting.reason.rawValue)
      member("until", waiting.until)
    case .removed(let id): member("id", id.description)
    }
  }

  // MARK: Attempts

  private mutating func members(of report: AttemptReport) {
    member("attempt", report.attempt.generation)
    let id = report.attempt.download.description
    switch report.news {
    case .reading: member("id", id)
    case .checkpoint(let record):
      member("durable", record.durable)
      member("id", id)
      member(record)
    case .restarting(let bytes, let cause):
      member("because", cause.rawValue)
      member("discarded", bytes)
      member("id", id)
    case .publishing(let file, let kept):
      object("file") { $0.members(of: file) }
      member("id", id)
      member(kept)
    case .finished(let file):
      object("file") { $0.members(of: file) }
      member("id", id)
    case .failed(let error, let kept, let retryAfter):
      object("error") { $0.members(of: error) }
      member("id", id)
      if let kept { member(kept) }
      if let retryAfter { member("retryAfterMilliseconds", retryAfter) }
    case .stopped(let kept):
      member("id", id)
      if let kept { member(kept) }
    }
  }

  mutating func member(_ record: ResumeRecord) {
    member("resumeData", record.redacted.resumeData)
  }

  /// The inode is a text: few readers of JSON keep 64 bits of a number.
  private mutating func members(of file: PublishedFile) {
    member("inode", String(file.inode))
    member("length", file.length)
    member("path", file.path.description)
    if let sha256 = file.sha256 { member("sha256", sha256) }
  }

  private mutating func members(of error: DownloadError) {
    if let cause = error.cause { member("cause", cause.rawValue) }
    member("code", error.code.rawValue)
    member("message", error.message)
    if let status = error.status { member("status", status) }
  }

  // MARK: Verifications

  private mutating func members(of verification: Verification, _ verdict: Verification.Verdict) {
    object("file") { $0.members(of: verification.file) }
    member("id", verification.download.description)
    switch verdict {
    case .intact: member("verdict", VerdictName.intact.rawValue)
    case .damaged(let message, let remains):
      member("message", message)
      if let remains { object("remains") { $0.members(of: remains) } }
      member("verdict", VerdictName.damaged.rawValue)
    case .unreadable(let message):
      member("message", message)
      member("verdict", VerdictName.unreadable.rawValue)
    }
    member("verification", verification.key)
  }

  // MARK: Cleaning up

  private mutating func members(of news: CleanupNews, _ run: CleanupRun.Key) {
    switch news {
    case .progress: member("run", run)
    case .found(let steps):
      member("news", NewsName.found.rawValue)
      member("run", run)
      member("steps", encoded: steps.map(StepForm.init))
    case .looked(let usage, let remark):
      member("news", NewsName.looked.rawValue)
      if let remark { member("remark", remark) }
      member("run", run)
      member("usage", encoded: usage)
    case .refused(let message):
      member("message", message)
      member("news", NewsName.refused.rawValue)
      member("run", run)
    case .failed(let message):
      member("message", message)
      member("news", NewsName.failed.rawValue)
      member("run", run)
    }
  }

  private mutating func members(of outcome: CleanupStep.Outcome, _ step: CleanupStep.Key) {
    switch outcome {
    case .done: member("outcome", OutcomeName.done.rawValue)
    case .left(let message):
      member("message", message)
      member("outcome", OutcomeName.left.rawValue)
    }
    member("step", step)
  }

  private mutating func member(_ key: StaticString, encoded value: some Encodable) {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    guard let json = try? encoder.encode(value) else { preconditionFailure("steps and sizes can always be written") }
    member(key, json: json)
  }
}

/// What reading a file came to, as lines call it.
enum VerdictName: String, CaseIterable {
  case intact, damaged, unreadable
}

/// What the cleanup tells, as lines call it.
enum NewsName: String, CaseIterable {
  case found, looked, refused, failed
}

/// What became of a step, as lines call it.
enum OutcomeName: String, CaseIterable {
  case done, left
}

/// A step in the form in which it is written down.
struct StepForm: Codable {
  var because: String
  var decision: CleanupStep.Decision
  var key: CleanupStep.Key
  var matter: CleanupStep.Matter
  var status: CleanupStep.Status

  init(_ step: CleanupStep) {
    because = step.because
    decision = step.decision
    key = step.key
    matter = step.matter
    status = step.status
  }
}

extension WebAddress {
  /// The same as `redacted`, without looking where there can be nothing to hide.
  var shown: String {
    let mayHide =
      description.utf8.withContiguousStorageIfAvailable { bytes in
        bytes.baseAddress.map { memchr($0, CInt(UInt8(ascii: "@")), bytes.count) != nil } ?? false
      } ?? true
    return mayHide ? redacted : description
  }
}

extension ResumeRecord {
  /// The record without user and password in its URL.
  fileprivate var redacted: ResumeRecord {
    guard url.utf8.contains(UInt8(ascii: "@")) else { return self }
    var record = self
    record.url = (try? WebAddress(url))?.redacted ?? ""
    return record
  }
}
