import Flux
import PodfluxCore

/// Checks that hosts are left alone which have asked for it, by what they have sent.
extension InvariantChecker {
  /// What hosts have asked for.
  struct RestingHosts {
    /// How long the host of an attempt wants to be left alone, which has ended and is not committed yet.
    fileprivate var asked: [AttemptID: (host: String, milliseconds: Int64)] = [:]
    /// Until when.
    fileprivate var ends: [String: Timestamp] = [:]

    fileprivate mutating func rest(_ host: String, until moment: Timestamp) {
      ends[host] = max(moment, ends[host] ?? moment)
    }
  }

  /// An attempt ends with a failure behind an answer.
  func noteEnd(of attempt: SimulatedAttempt) {
    guard let answer = attempt.lastAnswer, answer.failure == nil, answer.status == 429 || answer.status == 503,
      let seconds = answer.fields.first(where: { $0.name == "Retry-After" }).flatMap({ Int64($0.value) })
    else { return }
    resting.asked[attempt.attempt.id] = (attempt.attempt.address.host, max(1, seconds) * 1_000)
  }

  /// The engine knows since this batch what the hosts of its attempts have asked for.
  func noteRests(_ batch: Batch, _ rowsBefore: [DownloadID: Download]) {
    let now = batch.clock.wall
    // Only a clock that was wrong can have set a moment more than two days ahead.
    resting.ends = resting.ends.filter { $0.value > now && $0.value <= now.advanced(byDays: 2) }
    for (action, outcome) in zip(batch.actions, batch.turnout.outcomes) {
      guard case .handled = outcome else { continue }
      switch action {
      case .attempt(let report):
        guard report.news.isEnd, let asked = resting.asked.removeValue(forKey: report.attempt) else { continue }
        guard case .failed(let error, _, _) = report.news, error.status == 429 || error.status == 503,
          rowsBefore[report.attempt.download]?.state.kind == .running
        else { continue }
        resting.rest(asked.host, until: now.advanced(byMilliseconds: asked.milliseconds))
      // A person wants to know what the host says by now.
      case .intent(.downloads(.retry(.one(let id)))): [rowsBefore[id], rows[id]].forEach { forgetRest(of: $0) }
      default: break
      }
    }
  }

  private func forgetRest(of row: Download?) {
    if let row { resting.ends[row.source.host] = nil }
  }

  /// An attempt is about to start.
  func checkRest(of attempt: Attempt, at now: Timestamp) throws {
    guard let end = resting.ends[attempt.address.host], end > now else { return }
    throw Violation(
      .cooldown,
      "\(attempt.id.download) starts on \(attempt.address.host), which has asked to be left alone until \(end)")
  }
}
