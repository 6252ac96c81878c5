import Flux
import GRDB
import PodfluxCore
import Texts

/// A download on its way to or from its row: its state is spread over several columns.
struct DownloadColumns {
  var download: Download
  var state: StateColumns
  /// The traits of the row; nil where it is not written.
  private let traits: PackedTraits?

  /// What is written of a download.
  init(_ download: Download, _ traits: PackedTraits) {
    (self.download, self.traits) = (download, traits)
    state = StateColumns(download.state)
  }

  /// Any download with this id; a reader replaces the rest.
  init(id: DownloadID) {
    download = Download(
      id: id, address: .anywhere, description: .init(), rank: .init(priority: .normal, position: 0), origin: .user,
      state: .queued, progress: .init(), failures: 0, dates: .init(added: Timestamp(milliseconds: 0)), isHeld: false)
    state = StateColumns(.queued)
    traits = nil
  }

  /// The columns that a part of the row has.
  static func list(_ part: DownloadRow.Part) -> ColumnList {
    ColumnList { columns in
      var row = DownloadColumns(id: .any)
      row.exchange(part, with: &columns)
    }
  }
}

/// The form of the row.
extension DownloadColumns {
  mutating func exchange<Coder: ColumnCoder>(
    _ part: DownloadRow.Part, with columns: inout Coder
  ) throws(Coder.Fault) {
    switch part {
    case .id:
      var id = download.id
      try columns.text("id", &id, { DownloadID($0) }, \.description)
    case .identity: try exchangeIdentity(with: &columns)
    case .rank:
      try columns.integer("priority", &download.rank.priority, { Priority(code: Int($0)) }, { Int64($0.code) })
      try columns.integer("position", &download.rank.position, in: .position)
    case .phase: try columns.text("phase", &state.phase)
    case .kind: try columns.text("state", &state.kind, { DownloadState.Kind(rawValue: $0) }, \.rawValue)
    case .wait: try state.wait.exchange(with: &columns)
    case .file: try columns.file(&state.file)
    case .round:
      try columns.integer("failures", &download.failures, in: .failures)
      try columns.integer("fresh_addresses", &download.freshAddresses, in: .failures)
      try columns.integer("restarts", &download.restarts, in: .failures)
      try columns.derived("home_host", download.round.source == 0 ? nil : download.address.host)
      try columns.integer("source", &download.round.source, in: .source)
      try columns.boolean("may_pass", &download.round.mayPass)
    case .dates:
      try columns.moment("started_at", &download.dates.started)
      try columns.moment("finished_at", &download.dates.finished)
      try columns.moment("modified_at", &download.dates.modified)
    case .hold: try columns.boolean("held", &download.isHeld)
    case .amounts:
      try columns.integer("durable", &download.progress.durable, in: .length)
      try columns.integer("total", &download.progress.total, in: .length)
    case .discards:
      try columns.derived("discarded", download.progress.discarded.total)
      var discarded = download.progress.discarded.total > 0 ? download.progress.discarded : nil
      try columns.text("discards", &discarded, Download.Discarded.init(stored:), { try $0.stored })
      download.progress.discarded = discarded ?? .init()
    case .resume:
      let durable = download.progress.durable
      try columns.text(
        "resume", &download.progress.resume, { ResumeRecord(stored: $0) ?? .ofNoUse(durable: durable) },
        { try StoredJSON.text($0) })
    case .network:
      try columns.integer("network", &download.networks.own, { NetworkPolicy(rowCode: $0) }, \.rowCode)
      try columns.integer("podcast_network", &download.networks.podcast, { NetworkPolicy(rowCode: $0) }, \.rowCode)
    case .tagging: try exchangeTagging(with: &columns)
    case .session: try columns.integer("session", &download.session, in: .session)
    case .namer:
      try columns.integer("named", &download.namer, { AddressNamer(rowCode: Int($0)) }, { Int64($0.rowCode) })
    case .traits: try columns.derived("class", traits?.code)
    case .length: try columns.derived("length", download.length)
    }
  }

  private mutating func exchangeIdentity<Coder: ColumnCoder>(with columns: inout Coder) throws(Coder.Fault) {
    try columns.text("url", &download.address, { try? WebAddress($0) }, \.description)
    try columns.derived("url_hash", DownloadRow.hash(download.address))
    try columns.derived("host", download.source.host)
    try columns.text("podcast", &download.description.podcast)
    try columns.text("title", &download.description.title)
    try columns.derived("title_key", DownloadRow.text(download.description.title).map(FoldedText.of))
    try columns.publicationDate(&download.description.published)
    try columns.text("wanted_path", &download.description.path, { try? LibraryPath(validating: $0) }, \.description)
    try columns.list("headers", &download.description.headers, { $0.areNamed ? $0 : nil }, { $0 })
    try columns.list("mirrors", &download.description.mirrors, WebAddress.all(of:), \.description)
    try columns.text("integrity", &download.description.integrity, { Integrity($0) }, \.description)
    try columns.integer("expected_length", &download.description.expectedLength, in: .length)
    try columns.text("origin", &download.origin, { Origin(rawValue: $0) }, \.rawValue)
    try columns.moment("added_at", &download.dates.added)
  }

  private mutating func exchangeTagging<Coder: ColumnCoder>(with columns: inout Coder) throws(Coder.Fault) {
    var (length, sha256) = (download.original?.length, download.original?.sha256)
    try columns.integer("original_length", &length, in: .length)
    try columns.digest("original_sha256", &sha256)
    var reason: String? = if case .untagged(let reason) = download.tagging { reason } else { nil }
    try columns.text("untagged", &reason)
    download.tagging =
      if let length { .tagged(.init(length: length, sha256: sha256)) } else { reason.map { .untagged(because: $0) } }
  }
}

/// The columns of fields that only some states have.
struct StateColumns {
  /// The reason for which a download waits or has failed.
  struct Wait: Equatable {
    var reason: String?
    var retryAt: Timestamp?
    var error: DownloadError?
  }

  var kind: DownloadState.Kind
  var phase: String?
  var wait = Wait()
  var file: PublishedFile?

  init(_ state: DownloadState) {
    kind = state.kind
    switch state {
    case .queued, .paused: break
    case .waiting(let waiting):
      wait = Wait(reason: waiting.reason.rawValue, retryAt: waiting.until, error: waiting.error)
    case .running(let phase):
      self.phase = phase.name
      if case .publishing(let file) = phase { self.file = file }
    case .completed(let file): self.file = file
    case .failed(let error): wait.error = error
    }
  }
}

extension StateColumns.Wait {
  fileprivate mutating func exchange<Coder: ColumnCoder>(with columns: inout Coder) throws(Coder.Fault) {
    try columns.text("reason", &reason)
    try columns.moment("retry_at", &retryAt)
    var (code, message) = (error?.code.rawValue, error?.message)
    var (status, cause, short) = (error?.status, error?.cause?.rawValue, error?.shortBytes)
    try columns.text("error_code", &code)
    try columns.text("error_message", &message)
    try columns.integer("error_status", &status, in: .status)
    try columns.text("error_cause", &cause)
    try columns.integer("error_short", &short, in: .length)
    guard let code = code.flatMap(DownloadError.Code.init(rawValue:)), let message else { return error = nil }
    error = DownloadError(
      code, message, status: status, cause: cause.flatMap(DownloadError.Code.init(rawValue:)), shortBytes: short)
  }
}

extension Download.Discarded {
  /// Nil for damage.
  fileprivate init?(stored text: String) {
    self.init()
    guard let amounts = StoredJSON.value([String: Int64].self, of: text) else { return nil }
    for (name, bytes) in amounts {
      guard let cause = RestartCause(rawValue: name) else { return nil }
      add(bytes, because: cause)
    }
  }

  fileprivate var stored: String {
    get throws { try StoredJSON.text(amounts.reduce(into: [:]) { $0[$1.cause.rawValue] = $1.bytes }) }
  }
}

extension ResumeRecord {
  /// Nil for one of no use.
  fileprivate init?(stored text: String) {
    guard let record = StoredJSON.value(ResumeRecord.self, of: text), record.isPlausible,
      StoredNumber.moment.range.contains(record.savedAt.milliseconds)
    else { return nil }
    self = record
  }
}
