import Flux
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
    case id, identity, rank, phase, kind, wait, file, round, dates, hold, amounts, discards, resume, network, tagging
    case session, namer, traits, length

    /// The columns in the order in which they are bound.
    var columns: [String] { DownloadColumns.list(self).written }
  }

  /// The parts that are read after the key and the id. Derived columns are not.
  static let readParts = Part.allCases.filter { $0 != .id && !DownloadColumns.list($0).read.isEmpty }
  static let select =
    "SELECT key, "
    + (DownloadColumns.list(.id).read + readParts.flatMap { DownloadColumns.list($0).read }).joined(separator: ", ")
    + " FROM downloads "

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
  private static let freshParts: [Part] = [.id, .identity, .rank, .traits, .length]
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
      case .id: false
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
    old.address == new.address && old.description == new.description && old.origin == new.origin
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

  /// Binds the values of some parts of a row of this class.
  static func write(
    _ download: Download, _ traits: PackedTraits, _ parts: [Part], to arguments: inout ArgumentWriter
  ) throws {
    var row = DownloadColumns(download, traits)
    for part in parts { try row.exchange(part, with: &arguments) }
  }

  /// SQLite's text ends at a NUL: without this, the rest would get lost silently.
  static func text(_ text: String) -> String {
    var text = text
    guard text.withUTF8({ $0.contains(0) }) else { return text }
    return text.replacing("\u{0}", with: "\u{FFFD}")
  }

  static func text(_ text: String?) -> String? { text.map { Self.text($0) } }

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
