import Flux
import Foundation
import GRDB
import PodfluxCore

/// A row of `DownloadRow.select`.
struct StoredDownload: StatementRow {
  let key: Int64
  let download: Download

  init(_ columns: inout ColumnReader) throws {
    key = try columns.next()
    download = try DownloadRow.download(&columns)
  }
}

/// A row of `DownloadRow.select` of which the id alone is read: what is known of it need not be read again.
struct NamedDownload: StatementRow {
  let id: DownloadID
  private let columns: ColumnReader

  init(_ columns: inout ColumnReader) throws {
    self.columns = columns
    columns.skip("key")
    id = try Damaged.checked("id", DownloadID(columns.next()))
  }

  /// Reads the row, as long as the statement is at it.
  func read(in statement: Statement) throws -> Download {
    var columns = columns
    return try StoredDownload(reading: &columns, of: statement).download
  }
}

extension DownloadRow {
  /// Reads the download from the columns after the key.
  fileprivate static func download(_ columns: inout ColumnReader) throws -> Download {
    let identity = try Identity(&columns)
    let rank = Download.Rank(
      priority: try Damaged.checked("priority", Priority(code: columns.next())), position: try columns.next(.position))
    let (state, failures, freshAddresses, restarts, round, dates, isHeld) = try state(&columns, addedAt: identity.added)
    return Download(
      id: identity.id, address: identity.address, description: identity.description, rank: rank,
      origin: identity.origin, state: state, progress: try progress(&columns), failures: failures,
      freshAddresses: freshAddresses, restarts: restarts, round: round, dates: dates, isHeld: isHeld,
      networks: Download.Networks(
        own: try Damaged.checked("network", NetworkPolicy(rowCode: columns.next())),
        podcast: try Damaged.checked("podcast_network", NetworkPolicy(rowCode: columns.next()))),
      tagging: try tagging(&columns), session: try columns.nextIfPresent(.session),
      namer: try Damaged.checked("named", AddressNamer(rowCode: columns.next())))
  }

  private static func tagging(_ columns: inout ColumnReader) throws -> Download.Tagging? {
    let (length, sha256): (Int64?, String?) = try (columns.nextIfPresent(.length), columns.digest())
    let reason: String? = try columns.next()
    if let length { return .tagged(.init(length: length, sha256: sha256)) }
    return reason.map { .untagged(because: $0) }
  }

  /// Reads the file from the columns path, file_length, inode, sha256 and mtime; nil if there is none.
  static func publishedFile(_ columns: inout ColumnReader) throws -> PublishedFile? {
    let path = try columns.path()
    let length = try columns.nextIfPresent(.length)
    if path != nil { _ = try columns.checked(length) }
    let inode: Int64? = try columns.next()
    if path != nil { _ = try columns.checked(inode) }
    let (sha256, modified): (String?, Int64?) = try (columns.digest(), columns.next())
    guard let path, let length, let inode else { return nil }
    return PublishedFile(
      path: path, length: length, inode: UInt64(bitPattern: inode), sha256: sha256, modifiedNanoseconds: modified)
  }

  private struct Identity {
    var id: DownloadID
    var address: WebAddress
    var description: Download.Description
    var origin: Origin
    var added: Timestamp

    init(_ columns: inout ColumnReader) throws {
      id = try Damaged.checked("id", DownloadID(columns.next()))
      address = try Damaged.checked("url", try? WebAddress(columns.next()))
      columns.skip("url_hash", "host")
      description = Download.Description(podcast: try columns.next(), title: try columns.next())
      columns.skip("title_key")
      let published = try columns.moment()
      description.path = try (columns.next() as String?).map {
        try Damaged.checked("wanted_path", try? LibraryPath(validating: $0))
      }
      description.headers =
        try (columns.next() as String?).map { text in
          try Damaged.checked("headers", parsed([Header].self, from: text).flatMap { $0.areNamed ? $0 : nil })
        } ?? []
      description.mirrors =
        try (columns.next() as String?).map { text in
          try Damaged.checked("mirrors", parsed([String].self, from: text)).map {
            try Damaged.checked("mirrors", try? WebAddress($0))
          }
        } ?? []
      description.integrity = try (columns.next() as String?).map { try Damaged.checked("integrity", Integrity($0)) }
      description.expectedLength = try columns.nextIfPresent(.length)
      origin = try Damaged.checked("origin", Origin(rawValue: columns.next()))
      added = Timestamp(milliseconds: try columns.next(.moment))
      let offset: Int64 = try columns.next() ?? 0
      description.published = try published.map {
        try Damaged.checked("published_offset", PublicationDate($0, offsetSeconds: offset))
      }
    }
  }

  private static func state(
    _ columns: inout ColumnReader, addedAt added: Timestamp
  ) throws -> (
    DownloadState, failures: Int, freshAddresses: Int, restarts: Int, round: Download.Round, dates: Download.Dates,
    isHeld: Bool
  ) {
    let phase: String? = try columns.next()
    let kind = try Damaged.checked("state", DownloadState.Kind(rawValue: columns.next()))
    let reason: String? = try columns.next()
    let retryAt = try columns.moment()
    let error = try error(&columns)
    let file = try publishedFile(&columns)
    let state: DownloadState =
      switch kind {
      case .queued: .queued
      case .paused: .paused
      case .completed: .completed(try Damaged.checked("path", file))
      case .failed: .failed(try Damaged.checked("error_code", error))
      case .waiting: .waiting(try waiting(reason, until: retryAt, after: error))
      case .running: .running(try running(phase, file))
      }
    let failures = Int(try columns.next(.failures))
    let freshAddresses = Int(try columns.next(.failures))
    let restarts = Int(try columns.next(.failures))
    columns.skip("home_host")
    let round = Download.Round(source: Int(try columns.next(.source)), mayPass: try columns.next())
    let dates = Download.Dates(
      added: added, started: try columns.moment(), finished: try columns.moment(), modified: try columns.moment())
    if kind == .completed { _ = try Damaged.checked("finished_at", dates.finished) }
    return (state, failures, freshAddresses, restarts, round, dates, try columns.next())
  }

  private static func waiting(
    _ reason: String?, until moment: Timestamp?, after error: DownloadError?
  ) throws -> DownloadState.Waiting {
    let (moment, error) = (try Damaged.checked("retry_at", moment), try Damaged.checked("error_code", error))
    return switch reason {
    case "retry": .retry(at: moment, after: error)
    case "storage": .storage(until: moment, after: error)
    default: throw DamagedRow(column: "reason")
    }
  }

  private static func running(_ phase: String?, _ file: PublishedFile?) throws -> DownloadState.Phase {
    switch phase {
    case "connecting": .connecting
    case "receiving": .receiving
    case "verifying": .verifying
    case "publishing": .publishing(try Damaged.checked("path", file))
    default: throw DamagedRow(column: "phase")
    }
  }

  private static func error(_ columns: inout ColumnReader) throws -> DownloadError? {
    let (code, message): (String?, String?) = try (columns.next(), columns.next())
    let (status, cause): (Int?, String?) = try (columns.status(), columns.next())
    let short = try columns.nextIfPresent(.length)
    guard let code = code.flatMap(DownloadError.Code.init(rawValue:)), let message else { return nil }
    return DownloadError(
      code, message, status: status, cause: cause.flatMap(DownloadError.Code.init(rawValue:)), shortBytes: short)
  }

  private static func progress(_ columns: inout ColumnReader) throws -> Download.Progress {
    let (durable, total) = try (columns.next(.length), columns.nextIfPresent(.length))
    columns.skip("discarded")
    return Download.Progress(
      durable: durable, total: total, discarded: try discarded(in: columns.next()),
      resume: try (columns.next() as String?).map { resumeRecord(in: $0) ?? .ofNoUse(durable: durable) })
  }

  private static func discarded(in text: String?) throws -> Download.Discarded {
    guard let text else { return .init() }
    return try Damaged.checked("discards", parsed([String: Int64].self, from: text)).reduce(into: .init()) {
      $0.add($1.value, because: try Damaged.checked("discards", RestartCause(rawValue: $1.key)))
    }
  }

  private static func resumeRecord(in text: String) -> ResumeRecord? {
    parsed(ResumeRecord.self, from: text).flatMap {
      $0.isPlausible && StoredNumber.moment.range.contains($0.savedAt.milliseconds) ? $0 : nil
    }
  }

  private static func parsed<Value: Decodable>(_ type: Value.Type, from text: String) -> Value? {
    try? JSONDecoder().decode(type, from: Data(text.utf8))
  }
}
