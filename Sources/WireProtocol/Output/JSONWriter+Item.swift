import Flux
import PodfluxCore

/// A download as clients see it (the article Protocol): every key is there, unless a client has asked for some of them.
///
/// A key stands as a literal beside the case of its field, and a test compares them: written from the case's name, an
/// item takes a third longer.
extension JSONWriter {
  /// In the order of the alphabet.
  private static let itemFields = ItemField.allCases

  mutating func members(of item: DownloadsSnapshot.Item, showing fields: Set<ItemField>? = nil) {
    for field in Self.itemFields where fields?.contains(field) ?? true {
      member(field, of: item)
    }
  }

  /// All of a completed download, with its episode and feed, and the library to which its path is relative.
  mutating func members(ofCompleted item: DownloadsSnapshot.Item, _ episode: Episode?, _ feed: Feed?, library: String) {
    for field in Self.itemFields {
      switch field {
      case .error: member("episode", episode?.id.description)
      case .finishedAt: member("feed", feed?.id.description)
      case .modifiedAt: member("library", library)
      default: break
      }
      member(field, of: item)
    }
  }

  private mutating func member(_ field: ItemField, of item: DownloadsSnapshot.Item) {
    let download = item.download
    switch field {
    case .addedAt: member("addedAt", download.dates.added)
    case .attempt: member("attempt", download.attempt)
    case .bytes: member(bytesOf: item)
    case .detail: member("detail", item.wait)
    case .error: member("error", error: download.state.error)
    case .eta: member("eta", item.secondsLeft)
    case .finishedAt: member("finishedAt", download.dates.finished)
    case .id: member("id", download.id.description)
    case .modifiedAt: member("modifiedAt", download.dates.modified)
    case .network: member("network", download.networks.own.rawValue)
    case .origin: member("origin", download.origin.rawValue)
    case .path: member("path", download.state.published?.path.description)
    case .phase: member("phase", item.phase?.name)
    case .podcast: member("podcast", download.description.podcast)
    case .position: member("position", download.rank.position)
    case .priority: member("priority", download.rank.priority.rawValue)
    case .rate: member("rate", item.rate)
    case .reason: member("reason", item.waitingReason)
    case .resumable: member("resumable", item.isResumable)
    case .retryAt: member("retryAt", item.retryAt)
    case .sha256: member("sha256", download.original.map(\.sha256) ?? download.state.published?.sha256)
    case .startedAt: member("startedAt", download.dates.started)
    case .state: member("state", item.kind.rawValue)
    case .tagged: member(taggedFileOf: download)
    case .title: member("title", download.description.title)
    case .untagged:
      guard case .untagged(let reason) = download.tagging else { return member("untagged", String?.none) }
      member("untagged", reason)
    case .url: member("url", download.address.redacted)
    }
  }

  /// The tagged copy that lies in the library instead of what was downloaded; null if there is none.
  private mutating func member(taggedFileOf download: Download) {
    guard download.original != nil, let file = download.state.published else { return member("tagged", String?.none) }
    object("tagged") { members in
      members.member("length", file.length)
      members.member("sha256", file.sha256)
    }
  }

  private mutating func member(bytesOf item: DownloadsSnapshot.Item) {
    let progress = item.download.progress
    object("bytes") { bytes in
      bytes.member("discarded", progress.discarded.total)
      bytes.member(discardedByCause: progress.discarded)
      bytes.member("durable", progress.durable)
      bytes.member("received", item.received)
      bytes.member("total", item.download.total)
    }
  }

  /// Why an attempt or a refresh failed; null if it did not.
  mutating func member(_ key: StaticString, error: DownloadError?) {
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
  /// What a stopped attempt has fetched is kept: it is counted until the row knows it.
  fileprivate var received: Int64 { max(live?.received ?? 0, download.progress.durable, kept) }

  /// Whether there is something to go on with. What a stopped attempt has fetched is on its way there, and what a
  /// running one has found in the partial file is there.
  fileprivate var isResumable: Bool {
    guard let live else { return download.isResumable || kept > 0 }
    let isKept = live.isStopping && download.state.kind != .running || live.phase == .connecting
    return download.isResumable || kept > 0 || (isKept && live.received > 0)
  }

  /// The attempt knows better than the row. One that has been told to stop may outlive its row's running.
  fileprivate var phase: DownloadState.Phase? {
    guard case .running(let phase) = download.state else { return nil }
    return live?.phase ?? phase
  }

  /// What is queued and cannot be started because of an obstacle waits, as clients see it. Its row need not know: there
  /// may be a million of them.
  fileprivate var kind: DownloadState.Kind { obstacle == nil ? download.state.kind : .waiting }
  fileprivate var waitingReason: String? { obstacle?.reason.rawValue ?? download.state.waiting?.reason.rawValue }
  fileprivate var wait: Wait? { obstacle.map(Wait.init) ?? download.state.waiting.map(Wait.init) }

  fileprivate var retryAt: Timestamp? {
    if case .host(let until) = obstacle { until } else { download.state.waiting?.until }
  }

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

  fileprivate var waiting: Waiting? {
    if case .waiting(let waiting) = self { waiting } else { nil }
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
  /// Writes the discarded bytes, a number for each cause that occurred.
  mutating func member(discardedByCause discarded: Download.Discarded) {
    object("discardedBecause") { causes in
      for amount in discarded.amounts { causes.member(named: amount.cause.rawValue, amount.bytes) }
    }
  }
}
