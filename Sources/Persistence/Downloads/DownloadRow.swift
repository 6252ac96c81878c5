import Flux
import Foundation
import GRDB
import PodfluxCore
import Texts

/// Converts between a row of `downloads` and its value.
///
/// It validates rows like any other input: a value that the code never writes is a `DamagedRow`.
enum DownloadRow {
  /// Columns that change together. Unchanged parts are not written: SQLite rewrites every index on a column that a
  /// statement names, even if the value stays the same.
  enum Part: CaseIterable {
    case identity, rank, phase, kind, wait, file, round, dates, hold, amounts, discards, resume, network, tagging
    case session, namer, traits, length

    var columns: [String] {
      switch self {
      case .identity:
        [
          "id", "url", "url_hash", "host", "podcast", "title", "title_key", "published", "wanted_path", "headers",
          "mirrors", "integrity", "expected_length", "origin", "added_at", "published_offset",
        ]
      case .rank: ["priority", "position"]
      case .phase: ["phase"]
      case .kind: ["state"]
      case .wait:
        ["reason", "retry_at", "error_code", "error_message", "error_status", "error_cause", "error_short"]
      case .file: ["path", "file_length", "inode", "sha256", "mtime"]
      case .round: ["failures", "fresh_addresses", "restarts", "home_host", "source", "may_pass"]
      case .dates: ["started_at", "finished_at", "modified_at"]
      case .hold: ["held"]
      case .amounts: ["durable", "total"]
      case .discards: ["discarded", "discards"]
      case .resume: ["resume"]
      case .network: ["network", "podcast_network"]
      case .tagging: ["original_length", "original_sha256", "untagged"]
      case .session: ["session"]
      case .namer: ["named"]
      case .traits: ["class"]
      case .length: ["length"]
      }
    }
  }

  /// Derived columns are not read.
  private static let read = Part.allCases.filter { $0 != .traits && $0 != .length }.flatMap(\.columns)
  static let select = "SELECT key, " + read.joined(separator: ", ") + " FROM downloads "

  /// The statement that inserts a row, and the parts that it binds, in order.
  ///
  /// Most inserted downloads are new: half of their columns have constant values, which the statement contains as
  /// literals, since each bound value costs time.
  static func insertion(of download: Download) -> (sql: String, parts: [Part]) {
    // In parts: the compiler needs seconds for the whole.
    let isUntried = download.failures == 0 && download.freshAddresses == 0 && download.restarts == 0
    let isUntouched = download.progress == .init() && download.round == .init()
    let isNew = download.dates == .init(added: download.dates.added)
    let isFresh = isUntried && isUntouched && isNew && !download.isHeld && download.session == nil
    let hasPolicy = download.networks != .init() || download.namer != .person
    switch download.state {
    case .queued where isFresh && !hasPolicy: return (insertQueued, freshParts)
    case .queued where isFresh: return (insertQueuedWithPolicy, freshPartsWithPolicy)
    case .paused where isFresh && !hasPolicy: return (insertPaused, freshParts)
    default: return (insert, Part.allCases)
    }
  }

  private static let insert = insertion(of: Part.allCases, and: [])
  private static let freshParts: [Part] = [.identity, .rank, .traits, .length]
  private static let freshPartsWithPolicy = freshParts + [.network, .namer]
  private static let insertQueued = insertion(of: freshParts, and: fresh("queued"))
  private static let insertQueuedWithPolicy = insertion(of: freshPartsWithPolicy, and: fresh("queued"))
  private static let insertPaused = insertion(of: freshParts, and: fresh("paused"))

  private static func fresh(_ state: String) -> [(String, String)] {
    [("state", "'\(state)'"), ("failures", "0"), ("held", "0"), ("durable", "0"), ("discarded", "0")]
  }

  private static func insertion(of parts: [Part], and literals: [(column: String, value: String)]) -> String {
    let columns = parts.flatMap(\.columns)
    let values = columns.map { _ in "?" } + literals.map(\.value)
    return "INSERT INTO downloads (" + (columns + literals.map(\.column)).joined(separator: ", ") + ") VALUES ("
      + values.joined(separator: ", ") + ")"
  }

  /// The statement that updates some parts; it binds the parts' values in order, then the id.
  static func update(_ parts: [Part]) -> String {
    "UPDATE downloads SET " + parts.map { assignments[$0, default: ""] }.joined(separator: ", ") + " WHERE id = ?"
  }

  private static let assignments = Dictionary(
    uniqueKeysWithValues: Part.allCases.map { ($0, $0.columns.map { "\($0) = ?" }.joined(separator: ", ")) })

  /// The parts in which two values of one download differ.
  static func difference(_ old: Download, _ new: Download) -> [Part] {
    let (oldState, newState) = (StateColumns(old.state), StateColumns(new.state))
    return Part.allCases.filter { part in
      switch part {
      case .identity: !hasSameIdentity(old, new)
      case .rank: old.rank != new.rank
      case .phase: oldState.phase != newState.phase
      case .kind: old.state.kind != new.state.kind
      case .wait: oldState.wait != newState.wait
      case .file: oldState.file != newState.file
      // The address belongs to it: its host is `home_host` while a mirror is the source.
      case .round:
        old.failures != new.failures || old.freshAddresses != new.freshAddresses || old.restarts != new.restarts
          || old.round != new.round || old.address != new.address
      case .dates:
        old.dates.started != new.dates.started || old.dates.finished != new.dates.finished
          || old.dates.modified != new.dates.modified
      case .hold: old.isHeld != new.isHeld
      case .amounts: old.progress.durable != new.progress.durable || old.progress.total != new.progress.total
      case .discards: old.progress.discarded != new.progress.discarded
      case .resume: old.progress.resume != new.progress.resume
      case .network: old.networks != new.networks
      case .tagging: old.tagging != new.tagging
      case .session: old.session != new.session
      case .namer: old.namer != new.namer
      // The caller, who knows the day, compares them.
      case .traits: false
      case .length: old.length != new.length
      }
    }
  }

  private static func hasSameIdentity(_ old: Download, _ new: Download) -> Bool {
    old.id == new.id && old.address == new.address && old.description == new.description && old.origin == new.origin
      && old.dates.added == new.dates.added && old.source.host == new.source.host
      // Swift treats canonically equivalent texts as equal; a change from one to the other must be written.
      && hasSameTexts(old, new) && old.address.description.utf8.elementsEqual(new.address.description.utf8)
  }

  /// Whether title and podcast are equal byte for byte.
  static func hasSameTexts(_ old: Download, _ new: Download) -> Bool {
    old.description.title == new.description.title && old.description.podcast == new.description.podcast
      && zip(texts(of: old), texts(of: new)).allSatisfy { $0.utf8.elementsEqual($1.utf8) }
  }

  private static func texts(of download: Download) -> [String] {
    [download.description.title ?? "", download.description.podcast ?? ""]
  }

  // MARK: Writing

  /// Binds the values of some parts of a row of this class.
  static func write(
    _ download: Download, _ row: PackedTraits, _ parts: [Part], to arguments: inout ArgumentWriter
  ) throws {
    let state = StateColumns(download.state)
    for part in parts { try write(download, state, row, part, to: &arguments) }
  }

  private static func write(
    _ download: Download, _ state: StateColumns, _ row: PackedTraits, _ part: Part, to arguments: inout ArgumentWriter
  ) throws {
    switch part {
    case .identity: try writeIdentity(of: download, to: &arguments)
    case .rank:
      try arguments.write(download.rank.priority.code)
      try arguments.write(download.rank.position)
    case .phase: try arguments.write(state.phase)
    case .kind: try arguments.write(download.state.kind.rawValue)
    case .wait:
      let (wait, error) = (state.wait, state.wait.error)
      try arguments.write(wait.reason)
      try arguments.write(wait.retryAt?.milliseconds)
      try arguments.write(error?.code.rawValue)
      try arguments.write(text(error?.message))
      try arguments.write(error?.status)
      try arguments.write(error?.cause?.rawValue)
      try arguments.write(error?.shortBytes)
    case .file:
      try arguments.write(state.file?.path.description)
      try arguments.write(state.file?.length)
      try arguments.write(state.file.map { Int64(bitPattern: $0.inode) })
      try arguments.write(state.file?.sha256)
      try arguments.write(state.file?.modifiedNanoseconds)
    case .round:
      let round = download.round
      try arguments.write(download.failures)
      try arguments.write(download.freshAddresses)
      try arguments.write(download.restarts)
      try arguments.write(round.source == 0 ? nil : download.address.host)
      try arguments.write(round.source)
      try arguments.write(round.mayPass ? 1 : 0)
    case .dates:
      try arguments.write(download.dates.started?.milliseconds)
      try arguments.write(download.dates.finished?.milliseconds)
      try arguments.write(download.dates.modified?.milliseconds)
    case .hold: try arguments.write(download.isHeld ? 1 : 0)
    case .amounts:
      try arguments.write(download.progress.durable)
      try arguments.write(download.progress.total)
    case .discards:
      let discarded = download.progress.discarded
      try arguments.write(discarded.total)
      try arguments.write(try discards(discarded))
    case .resume: try arguments.write(try download.progress.resume.map { try StoredJSON.text($0) })
    case .network:
      try arguments.write(download.networks.own.rowCode)
      try arguments.write(download.networks.podcast.rowCode)
    case .tagging:
      try arguments.write(download.original?.length)
      try arguments.write(download.original?.sha256)
      guard case .untagged(let reason) = download.tagging else { return try arguments.write(String?.none) }
      try arguments.write(text(reason))
    case .session: try arguments.write(download.session)
    case .namer: try arguments.write(download.namer.rowCode)
    case .traits: try arguments.write(row.code)
    case .length: try arguments.write(download.length)
    }
  }

  private static func writeIdentity(of download: Download, to arguments: inout ArgumentWriter) throws {
    let description = download.description
    try arguments.write(download.id.description)
    try arguments.write(download.address.description)
    try arguments.write(hash(download.address))
    try arguments.write(download.source.host)
    try arguments.write(text(description.podcast))
    let title = text(description.title)
    try arguments.write(title)
    try arguments.write(title.map(FoldedText.of))
    try arguments.write(description.published?.moment.milliseconds)
    try arguments.write(description.path?.description)
    try arguments.write(description.headers.isEmpty ? nil : try StoredJSON.text(description.headers))
    try arguments.write(
      description.mirrors.isEmpty ? nil : try StoredJSON.text(description.mirrors.map(\.description)))
    try arguments.write(description.integrity?.description)
    try arguments.write(description.expectedLength)
    try arguments.write(download.origin.rawValue)
    try arguments.write(download.dates.added.milliseconds)
    try arguments.write(description.published.flatMap { $0.offsetSeconds == 0 ? nil : $0.offsetSeconds })
  }

  private static func discards(_ discarded: Download.Discarded) throws -> String? {
    guard discarded.total > 0 else { return nil }
    return try StoredJSON.text(discarded.amounts.reduce(into: [:]) { $0[$1.cause.rawValue] = $1.bytes })
  }

  /// SQLite's text ends at a NUL: without this, the rest would get lost silently.
  static func text(_ text: String?) -> String? {
    guard var text, text.withUTF8({ $0.contains(0) }) else { return text }
    return text.replacing("\u{0}", with: "\u{FFFD}")
  }

  /// FNV-1a of the URL, to look up one of a million URLs without storing each twice.
  ///
  /// Source: RFC 9923 (the FNV non-cryptographic hash), 64-bit parameters. On a collision, the URL itself decides.
  static func hash(_ address: WebAddress) -> Int64 {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for byte in address.description.utf8 {
      hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3
    }
    return Int64(bitPattern: hash)
  }
}

/// The columns of fields that only some states have.
private struct StateColumns {
  /// The reason for which a download waits or has failed.
  struct Wait: Equatable {
    var reason: String?
    var retryAt: Timestamp?
    var error: DownloadError?
  }

  var phase: String?
  var wait = Wait()
  var file: PublishedFile?

  init(_ state: DownloadState) {
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

extension Priority {
  /// The sort key of a priority.
  var code: Int {
    switch self {
    case .high: 0
    case .normal: 1
    case .low: 2
    }
  }

  init?(code: Int) {
    switch code {
    case 0: self = .high
    case 1: self = .normal
    case 2: self = .low
    default: return nil
    }
  }
}
