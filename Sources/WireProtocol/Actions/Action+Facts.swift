import Flux
import Foundation
import PodfluxCore

/// What services and the engine itself tell.
extension Action {
  /// Reads a fact; nil if there is none of this name.
  init?(fact type: String, _ payload: JSONObject, line: [UInt8]) throws(Refusal) {
    if let news = try AttemptReport.News(type, payload) {
      let fields = Fields(anyOf: payload)
      self = .attempt(
        AttemptReport(
          attempt: AttemptID(
            download: try fields.required("id").downloadID(),
            generation: try fields.required("attempt").integer(in: Self.numbers)),
          news: news, fetched: try fields["fetched"]?.integer(in: Self.numbers) ?? 0))
      return
    }
    switch type {
    case "engine/recovered": self = .recovered(try Recovery(payload))
    case "network/changed":
      self = .path(try NetworkPath(Fields(payload, at: Request.payloadPath, knowing: NetworkPath.keys)))
    case "engine/localTime":
      self = .localTime(try LocalTime(Fields(payload, at: Request.payloadPath, knowing: LocalTime.keys)))
    case "engine/roomCame":
      let fields = try Fields(payload, at: Request.payloadPath, knowing: ["freeBytes"])
      self = .roomCame(try fields.required("freeBytes").integer(in: Self.numbers))
    case "engine/timeCame":
      _ = try Fields(payload, at: Request.payloadPath, knowing: [])
      self = .timeCame
    case "engine/lookedAfter":
      let fields = try Fields(payload, at: Request.payloadPath, knowing: ["gone"])
      var gone: [LibraryPath] = []
      for element in try fields.required("gone").elements(atMost: UpkeepStore.perRound) {
        gone.append(try element.libraryPath())
      }
      self = .upkeepDone(gone: gone)
    case "downloads/deleted": self = .deleted(try Self.deletion(payload))
    case "downloads/notDeleted":
      let fields = try Fields(payload, at: Request.payloadPath, knowing: ["deletion", "message"])
      self = .notDeleted(
        try fields.required("deletion").integer(in: Self.numbers), because: try fields["message"]?.string())
    case "downloads/verified": self = try Self.verified(payload)
    case "cleanup/looked": self = try Self.surveyed(payload, line)
    case "cleanup/cleaned": self = try Self.cleaned(payload)
    default: return nil
    }
  }

  /// Numbers of rows, runs and attempts.
  private static let numbers: ClosedRange<Int64> = 0...(.max)

  private static func deletion(_ payload: JSONObject) throws(Refusal) -> Deletion.Key {
    try Fields(payload, at: Request.payloadPath, knowing: ["deletion"]).required("deletion").integer(in: numbers)
  }

  private static func verified(_ payload: JSONObject) throws(Refusal) -> Action {
    let fields = try Fields(
      payload, at: Request.payloadPath,
      knowing: ["file", "found", "id", "message", "remains", "verdict", "verification"])
    let verdict: Verification.Verdict
    switch try fields.required("verdict").choice() as VerdictName {
    case .intact: verdict = .intact
    case .damaged:
      verdict = .damaged(
        try fields.required("message").string(), remains: try fields["remains"]?.publishedFile())
    case .unreadable: verdict = .unreadable(try fields.required("message").string())
    case .modified: verdict = .modified(try fields.required("found").publishedFile())
    }
    let verification = Verification(
      key: try fields.required("verification").integer(in: numbers),
      download: try fields.required("id").downloadID(), file: try fields.required("file").publishedFile())
    return .verified(verification, verdict)
  }

  private static func surveyed(_ payload: JSONObject, _ line: [UInt8]) throws(Refusal) -> Action {
    let fields = try Fields(
      payload, at: Request.payloadPath, knowing: ["message", "news", "remark", "run", "steps", "usage"])
    let news: CleanupNews
    switch try fields.required("news").choice() as NewsName {
    case .found: news = .found(try fields.required("steps").decoded(FoundLine.self, from: line).payload.steps.map(step))
    case .looked:
      let usage = try fields.required("usage").decoded(UsageLine.self, from: line).payload.usage
      news = .complete(usage, remark: try fields["remark"]?.string())
    case .refused: news = .refused(try fields.required("message").string())
    case .failed: news = .failed(try fields.required("message").string())
    }
    return .surveyed(try fields.required("run").integer(in: numbers), news)
  }

  private static func step(_ form: StepForm) -> CleanupStep {
    CleanupStep(
      key: form.key, finding: form.finding, decision: form.decision, because: form.because, status: form.status,
      holder: form.holder)
  }

  private static func cleaned(_ payload: JSONObject) throws(Refusal) -> Action {
    let fields = try Fields(payload, at: Request.payloadPath, knowing: ["message", "outcome", "step"])
    let step = try fields.required("step").integer(in: numbers)
    switch try fields.required("outcome").choice() as OutcomeName {
    case .done: return .cleaned(step, .done)
    case .left: return .cleaned(step, .left(try fields.required("message").string()))
    }
  }
}

extension Recovery {
  fileprivate init(_ payload: JSONObject) throws(Refusal) {
    let fields = try Fields(
      payload, at: Request.payloadPath, knowing: ["detected", "localTime", "published", "reported"])
    var ids: [DownloadID] = []
    // As many as can run at once.
    for element in try fields.required("published").elements(atMost: Settings.Limits.maxConcurrent.upperBound) {
      ids.append(try element.downloadID())
    }
    self.init(
      published: ids, detectedPath: try fields["detected"]?.networkPath(),
      reportedPath: try fields["reported"]?.networkPath(),
      localTime: try fields["localTime"]?.localTime())
  }
}

extension LocalTime {
  fileprivate static let keys = ["changes", "knownUntil", "seconds"]

  fileprivate init(_ fields: Fields) throws(Refusal) {
    var changes: [Offset] = []
    for element in try fields.required("changes").elements(atMost: Self.maximumChanges) {
      let fields = try Fields(element.object(), at: element.path, knowing: ["from", "seconds"])
      changes.append(
        Offset(
          from: try fields.required("from").instant(), seconds: try fields.required("seconds").integer(in: Self.seconds)
        ))
    }
    self.init(
      seconds: try fields.required("seconds").integer(in: Self.seconds), changes: changes,
      knownUntil: try fields.required("knownUntil").instant())
  }
}

extension AttemptReport.News {
  /// Reads what an attempt tells; nil if it is not named so.
  fileprivate init?(_ type: String, _ payload: JSONObject) throws(Refusal) {
    func fields(_ keys: String...) throws(Refusal) -> Fields {
      try Fields(payload, at: Request.payloadPath, knowing: ["attempt", "fetched", "id"] + keys)
    }
    switch type {
    case "downloads/checkpointed":
      self = .checkpoint(try fields("durable", "resumeData").required("resumeData").keptRecord())
    case "downloads/restarted":
      let fields = try fields("because", "discarded")
      self = .restarting(
        discarding: try fields.required("discarded").integer(in: 0...(.max)),
        because: try fields.required("because").choice())
    case "downloads/publishing":
      let fields = try fields("file", "resumeData")
      self = .publishing(
        try fields.required("file").publishedFile(), kept: try fields.required("resumeData").keptRecord())
    case "downloads/finished":
      let fields = try fields("file", "folders")
      var folders: [LibraryPath] = []
      for element in try fields["folders"]?.elements(atMost: LibraryPath.maximumComponents) ?? [] {
        folders.append(try element.libraryPath())
      }
      self = .finished(try fields.required("file").publishedFile(), madeFolders: folders)
    case "downloads/failed":
      let fields = try fields("error", "resumeData", "retryAfterMilliseconds")
      self = .failed(
        try fields.required("error").downloadError(), kept: try fields["resumeData"]?.keptRecord(),
        retryAfterMilliseconds: try fields["retryAfterMilliseconds"]?.integer(in: (.min)...(.max)))
    case "downloads/stopped": self = .stopped(kept: try fields("resumeData")["resumeData"]?.keptRecord())
    case "downloads/pathRefused": self = .pathRefused(kept: try fields("resumeData")["resumeData"]?.keptRecord())
    default: return nil
    }
  }
}

// MARK: - Values

extension Fields {
  /// The members of an object whose keys have been looked at.
  fileprivate init(anyOf object: JSONObject) {
    self.object = object
    path = Request.payloadPath
  }
}

extension Field {
  /// A record that the engine itself has written. Servers' words are in it as they came, so that it is not held to what a
  /// client's is.
  fileprivate func keptRecord() throws(Refusal) -> ResumeRecord {
    guard let json = Data(base64Encoded: try string()),
      let record = try? JSONDecoder().decode(ResumeRecord.self, from: json)
    else { throw mustBe("a resume record in base64") }
    return record
  }

  fileprivate func publishedFile() throws(Refusal) -> PublishedFile {
    let fields = try Fields(object(), at: path, knowing: ["inode", "length", "modified", "path", "sha256"])
    let inode = try fields.required("inode")
    guard let number = UInt64(try inode.string()) else { throw inode.mustBe("a number in decimal digits, as a string") }
    var modified: Int64?
    if let field = fields["modified"] {
      modified = Int64(try field.string())
      guard modified != nil else { throw field.mustBe("nanoseconds since 1970 in decimal digits, as a string") }
    }
    return PublishedFile(
      path: try fields.required("path").libraryPath(), length: try fields.required("length").integer(in: 0...(.max)),
      inode: number, sha256: try fields["sha256"]?.string(), modifiedNanoseconds: modified)
  }

  fileprivate func downloadError() throws(Refusal) -> DownloadError {
    let known = ["cause", "code", "lasting", "message", "shortBytes", "status"]
    let fields = try Fields(object(), at: path, knowing: known)
    return DownloadError(
      try fields.required("code").choice(), try fields.required("message").string(),
      status: try fields["status"]?.integer(in: (Int.min)...(.max)), cause: try fields["cause"]?.choice(),
      shortBytes: try fields["shortBytes"]?.integer(in: 0...(.max)),
      isLasting: try fields["lasting"]?.boolean() ?? false)
  }

  fileprivate func networkPath() throws(Refusal) -> NetworkPath {
    try NetworkPath(Fields(object(), at: path, knowing: NetworkPath.keys))
  }

  fileprivate func localTime() throws(Refusal) -> LocalTime {
    try LocalTime(Fields(object(), at: path, knowing: LocalTime.keys))
  }

  /// A moment as a number of milliseconds: not each that stands for the end of time can be written as a date.
  fileprivate func instant() throws(Refusal) -> Timestamp {
    Timestamp(milliseconds: try integer(in: (Int64.min)...(.max)))
  }

  /// Reads what was written in the form in which the core writes it down.
  fileprivate func decoded<Line: Decodable>(_ type: Line.Type, from line: [UInt8]) throws(Refusal) -> Line {
    do {
      return try JSONDecoder().decode(type, from: Data(line))
    } catch {
      throw mustBe("as the engine writes it: \(error)")
    }
  }
}

private struct FoundLine: Decodable {
  struct Payload: Decodable {
    var steps: [StepForm]
  }
  var payload: Payload
}

private struct UsageLine: Decodable {
  struct Payload: Decodable {
    var usage: CleanupRun.Usage
  }
  var payload: Payload
}
