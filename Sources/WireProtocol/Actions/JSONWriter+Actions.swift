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
    case .network(.report(let path)), .path(let path): members(ofReported: path)
    case .stop(.suspend): break
    case .stop(let mode): member("mode", mode.rawValue)
    case .recovered(let recovery): members(of: recovery)
    case .attempt(let report): members(of: report)
    case .deleted(let key): member("deletion", key)
    case .notDeleted(let key, let message):
      member("deletion", key)
      if let message { member("message", message) }
    case .verified(let verification, let verdict): members(of: verification, verdict)
    case .cleanup(.run(let options)): members(of: options)
    case .surveyed(let run, let news): members(of: news, run)
    case .cleaned(let step, let outcome): members(of: outcome, step)
    case .localTime(let zone): members(of: zone)
    case .roomCame(let bytes): member("freeBytes", bytes)
    case .upkeepDone(let gone): array("gone", gone) { $1.element($0.description) }
    case .cleanup(.cancel), .network(.auto), .timeCame: break
    }
  }

  mutating func members(of event: Announcement.Event) {
    switch event {
    case .started(let attempt):
      member("attempt", attempt.generation)
      member("id", attempt.download.description)
    case .waiting(let id, let waiting):
      object("detail") { $0.members(of: Wait(waiting)) }
      object("error") { $0.members(of: waiting.error) }
      member("id", id.description)
      member("reason", waiting.reason.rawValue)
      member("until", waiting.until)
    case .blocked(let id, let obstacle):
      if let wait = Wait(obstacle) { object("detail") { $0.members(of: wait) } }
      member("id", id.description)
      member("reason", obstacle.reason.rawValue)
    case .removed(let id): member("id", id.description)
    }
  }

  private mutating func members(of recovery: Recovery) {
    if let path = recovery.detectedPath { object("detected") { $0.members(ofReported: path) } }
    if let zone = recovery.localTime { object("localTime") { $0.members(of: zone) } }
    array("published", recovery.published) { $1.element($0.description) }
    if let path = recovery.reportedPath { object("reported") { $0.members(ofReported: path) } }
  }

  private mutating func members(of zone: LocalTime) {
    array("changes", zone.changes) { change, changes in
      changes.object { members in
        members.member("from", change.from.milliseconds)
        members.member("seconds", change.seconds)
      }
    }
    member("knownUntil", zone.knownUntil.milliseconds)
    member("seconds", zone.seconds)
  }

  // MARK: Attempts

  private mutating func members(of report: AttemptReport) {
    member("attempt", report.attempt.generation)
    switch report.news {
    case .checkpoint(let record): member("durable", record.durable)
    case .restarting(let bytes, let cause):
      member("because", cause.rawValue)
      member("discarded", bytes)
    case .failed(let error, _, _): object("error") { $0.members(of: error) }
    case .reading, .publishing, .finished, .stopped, .pathRefused: break
    }
    if report.fetched > 0 { member("fetched", report.fetched) }
    switch report.news {
    case .publishing(let file, _): object("file") { $0.members(of: file) }
    case .finished(let file, let folders):
      object("file") { $0.members(of: file) }
      if !folders.isEmpty { array("folders", folders) { $1.element($0.description) } }
    case .reading, .checkpoint, .restarting, .failed, .stopped, .pathRefused: break
    }
    member("id", report.attempt.download.description)
    switch report.news {
    case .checkpoint(let kept), .publishing(_, let kept): member(kept)
    case .failed(_, let kept, let retryAfter):
      if let kept { member(kept) }
      if let retryAfter { member("retryAfterMilliseconds", retryAfter) }
    case .stopped(let kept), .pathRefused(let kept): if let kept { member(kept) }
    case .reading, .restarting, .finished: break
    }
  }

  mutating func member(_ record: ResumeRecord) {
    member("resumeData", record.redacted.resumeData)
  }

  /// The inode and the time are texts: few readers of JSON keep 64 bits of a number.
  private mutating func members(of file: PublishedFile) {
    member("inode", String(file.inode))
    member("length", file.length)
    if let modified = file.modifiedNanoseconds { member("modified", String(modified)) }
    member("path", file.path.description)
    if let sha256 = file.sha256 { member("sha256", sha256) }
  }

  private mutating func members(of error: DownloadError) {
    if let cause = error.cause { member("cause", cause.rawValue) }
    member("code", error.code.rawValue)
    if error.isLasting { member("lasting", true) }
    member("message", error.message)
    if let short = error.shortBytes { member("shortBytes", short) }
    if let status = error.status { member("status", status) }
  }

  // MARK: Verifications

  private mutating func members(of verification: Verification, _ verdict: Verification.Verdict) {
    object("file") { $0.members(of: verification.file) }
    if case .modified(let found) = verdict { object("found") { $0.members(of: found) } }
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
    case .modified: member("verdict", VerdictName.modified.rawValue)
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
    case .complete(let usage, let remark):
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
  case intact, damaged, unreadable, modified
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
