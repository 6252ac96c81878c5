import Flux
import PodfluxCore

/// A download as clients see it (PROTOCOL.md section 2): every key is always there.
extension JSONWriter {
  mutating func members(of item: DownloadsSnapshot.Item) {
    let download = item.download
    member("addedAt", download.dates.added)
    member("attempt", download.attempt)
    object("bytes") { bytes in
      bytes.member("discarded", download.progress.discarded.total)
      bytes.member(discardedByCause: download.progress.discarded)
      bytes.member("durable", download.progress.durable)
      bytes.member("received", item.received)
      bytes.member("total", download.total)
    }
    member("error", download.state.error)
    member("eta", item.secondsLeft)
    member("finishedAt", download.dates.finished)
    member("id", download.id.description)
    member("network", Self.network)
    member("origin", download.origin.rawValue)
    member("path", download.state.published?.path.description)
    member("phase", item.phase?.name)
    member("podcast", download.description.podcast)
    member("position", download.rank.position)
    member("priority", download.rank.priority.rawValue)
    member("rate", item.rate)
    member("reason", item.waitingReason)
    member("resumable", download.isResumable)
    member("retryAt", item.retryAt)
    member("sha256", download.state.published?.sha256)
    member("startedAt", download.dates.started)
    member("state", item.kind.rawValue)
    member("title", download.description.title)
    member("url", download.address.redacted)
  }

  /// What a download says of the network as long as it cannot say anything of its own.
  private static let network = "inherit"

  private mutating func member(_ key: StaticString, _ error: DownloadError?) {
    guard let error else { return member(key, String?.none) }
    object(key) { members in
      if let cause = error.cause { members.member("cause", cause.rawValue) }
      members.member("code", error.code.rawValue)
      members.member("message", error.message)
      if let status = error.status { members.member("status", status) }
    }
  }
}

extension DownloadsSnapshot.Item {
  fileprivate var received: Int64 { live?.received ?? download.progress.durable }

  /// The attempt knows better than the row. One that has been told to stop may outlive its row's running.
  fileprivate var phase: DownloadState.Phase? {
    guard case .running(let phase) = download.state else { return nil }
    return live?.phase ?? phase
  }

  /// What is queued and cannot be started because its host wants to be left alone waits, as clients see it. Its row need
  /// not know: there may be a million of them.
  fileprivate var kind: DownloadState.Kind { hostUntil == nil ? download.state.kind : .waiting }
  fileprivate var waitingReason: String? { hostUntil == nil ? download.state.waitingReason : "host" }
  fileprivate var retryAt: Timestamp? { hostUntil ?? download.state.retryAt }

  fileprivate var rate: Int64 { phase == nil ? 0 : live?.rate ?? 0 }

  /// Rounded up, so that nothing is about to be done in no time.
  fileprivate var secondsLeft: Int64? {
    guard rate > 0, let total = download.total, total >= received else { return nil }
    let (seconds, rest) = (total - received).quotientAndRemainder(dividingBy: rate)
    return rest > 0 ? seconds + 1 : seconds
  }
}

extension Download {
  fileprivate var total: Int64? { progress.total ?? description.expectedLength }

  /// The number of the attempt that runs or comes next, or of the last if there is none to come.
  fileprivate var attempt: Int {
    if case .failed = state { max(1, failures) } else { max(1, failures + 1) }
  }

  fileprivate var isResumable: Bool {
    state.published == nil && progress.resume != nil && progress.durable > 0
  }
}

extension DownloadState {
  fileprivate var published: PublishedFile? {
    if case .completed(let file) = self { file } else { nil }
  }

  fileprivate var waitingReason: String? {
    if case .waiting(let waiting) = self { waiting.reason } else { nil }
  }

  fileprivate var retryAt: Timestamp? {
    if case .waiting(let waiting) = self { waiting.until } else { nil }
  }

  /// What failed it, or its last attempt.
  fileprivate var error: DownloadError? {
    switch self {
    case .failed(let error): error
    case .waiting(let waiting): waiting.error
    case .queued, .running, .paused, .completed: nil
    }
  }
}

extension JSONWriter {
  /// What was thrown away, a number for each cause that there was.
  mutating func member(discardedByCause discarded: Download.Discarded) {
    object("discardedBecause") { causes in
      for amount in discarded.amounts { causes.member(named: amount.cause.rawValue, amount.bytes) }
    }
  }
}
