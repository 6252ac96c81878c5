import Flux
import Testing

@testable import PodfluxCore

/// Short forms of test values.
extension DownloadID {
  static func named(_ text: String) throws -> DownloadID {
    try #require(DownloadID(text))
  }
}

extension WebAddress {
  static func on(_ host: String, _ path: String = "episode.mp3") throws -> WebAddress {
    try WebAddress("https://\(host)/\(path)")
  }
}

extension PublishedFile {
  static func sample(_ name: String = "episode.mp3", length: Int64 = 1_000, inode: UInt64 = 77) throws -> PublishedFile
  {
    PublishedFile(path: try LibraryPath(validating: "Show/\(name)"), length: length, inode: inode)
  }
}

extension ResumeRecord {
  static func sample(durable: Int64, total: Int64? = 1_000) -> ResumeRecord {
    ResumeRecord(
      url: "https://a.example/episode.mp3", strongETag: "\"v1\"", lastModified: nil, total: total, durable: durable,
      tailHash: String(repeating: "0", count: 64), bootID: "boot", savedAt: World.beginning)
  }
}

extension Download.Discarded {
  /// Bytes for one cause.
  static func bytes(_ bytes: Int64, _ cause: RestartCause) -> Self {
    var discarded = Self()
    discarded.add(bytes, because: cause)
    return discarded
  }
}

extension DownloadError {
  static let lost = DownloadError(.connectionLost, "the connection was lost")
  static let missing = DownloadError(.notFound, "the server has no such file", status: 404)
}

extension World {
  /// Enqueues a download with this id.
  @discardableResult
  func enqueue(
    _ name: String, host: String = "a.example", priority: Priority = .normal, paused: Bool = false,
    resume: ResumeRecord? = nil, at sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> DownloadID {
    let id = try DownloadID.named(name)
    try send(
      .downloads(
        .enqueue(
          .init(id: id, address: try .on(host, name), priority: priority, isPaused: paused, resume: resume))),
      at: sourceLocation)
    return id
  }

  /// Sends a report of the living attempt.
  func report(
    _ id: DownloadID, _ news: AttemptReport.News, at sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let attempt = try #require(attempts[id], "no attempt of \(id) is alive", sourceLocation: sourceLocation)
    try send(.attempt(AttemptReport(attempt: attempt.id, news: news)), at: sourceLocation)
  }

  /// Lets the running attempt publish and finish its file.
  func finish(_ id: DownloadID, as file: PublishedFile) throws {
    try report(id, .publishing(file, kept: .sample(durable: file.length, total: file.length)))
    try report(id, .finished(file))
  }

  /// Executes and reports all issued deletions, until none is left.
  func carryOutDeletions() throws {
    while let key = downloads.deletions.underWay.keys.min() {
      try send(.deleted(key))
    }
  }

  func download(_ id: DownloadID) throws -> Download? {
    try database.read { try $0.download(id) }
  }

  func row(_ id: DownloadID, at sourceLocation: SourceLocation = #_sourceLocation) throws -> Download {
    try #require(try download(id), "there is no row for \(id)", sourceLocation: sourceLocation)
  }

  func state(_ id: DownloadID, at sourceLocation: SourceLocation = #_sourceLocation) throws -> DownloadState {
    try row(id, at: sourceLocation).state
  }

  /// The downloads that the last turn started, in order.
  var started: [String] {
    effects.compactMap { if case .start(let attempt) = $0 { attempt.id.download.description } else { nil } }
  }

  /// The attempts that the last turn stopped.
  var stopped: [AttemptID] {
    effects.compactMap { if case .stop(let attempt) = $0 { attempt } else { nil } }
  }

  /// The attempts that the last turn allowed to proceed.
  var proceeding: [AttemptID] {
    effects.compactMap { if case .proceed(let attempt) = $0 { attempt } else { nil } }
  }

  /// The deletions that the last turn issued.
  var deletions: [Deletion] {
    effects.compactMap { if case .delete(let deletion) = $0 { deletion } else { nil } }
  }

  /// The downloads whose verifications the last turn issued, in order.
  var verifying: [String] {
    effects.compactMap { if case .verify(let verification) = $0 { verification.download.description } else { nil } }
  }

  /// Reports the result of a verification of this download.
  func verified(
    _ id: DownloadID, _ verdict: Verification.Verdict, at sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let verification = try #require(
      verifications.values.first { $0.download == id }, "\(id) is not read again", sourceLocation: sourceLocation)
    try send(.verified(verification, verdict), at: sourceLocation)
  }

  /// The wake-ups that the last turn requested.
  var wakes: [Timestamp?] {
    effects.compactMap { if case .wake(let at) = $0 { .some(at) } else { nil } }
  }
}

/// The refusal code of the body; nil if it was not refused.
func refusalCode(_ body: () throws -> Void) throws -> Refusal.Code? {
  do {
    try body()
    return nil
  } catch let refusal as Refusal {
    return refusal.code
  }
}
