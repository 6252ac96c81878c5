import Flux
import Foundation
import GRDB
import PodfluxCore

extension DownloadRow {
  /// The download in a row of `select`.
  static func download(in row: Row) throws -> Download {
    var columns = ColumnReader(row: row, index: 1)
    let identity = try Identity(&columns)
    let rank = Download.Rank(
      priority: try checked("priority", Priority(code: columns.next())), position: columns.next())
    let (state, failures, started, finished, isHeld) = try state(&columns)
    return Download(
      id: identity.id, address: identity.address, description: identity.description, rank: rank,
      origin: identity.origin, state: state, progress: try progress(&columns), failures: failures,
      dates: Download.Dates(added: identity.added, started: started, finished: finished), isHeld: isHeld)
  }

  /// The file that the columns path, file_length and inode describe; nil if there is none or if it cannot be one.
  static func publishedFile(_ columns: inout ColumnReader) -> PublishedFile? {
    let (text, length, inode): (String?, Int64?, Int64?) = (columns.next(), columns.next(), columns.next())
    guard let text, let path = try? LibraryPath(validating: text), let length, let inode else { return nil }
    return PublishedFile(path: path, length: length, inode: UInt64(bitPattern: inode))
  }

  private struct Identity {
    var id: DownloadID
    var address: WebAddress
    var description: Download.Description
    var origin: Origin
    var added: Timestamp

    init(_ columns: inout ColumnReader) throws {
      id = try checked("id", DownloadID(columns.next()))
      address = try checked("url", try? WebAddress(columns.next()))
      columns.skip("url_hash", "host")
      description = Download.Description(podcast: columns.next(), title: columns.next(), published: columns.moment())
      description.path = try (columns.next() as String?).map {
        try checked("wanted_path", try? LibraryPath(validating: $0))
      }
      description.headers =
        try (columns.next() as String?).map { try checked("headers", parsed([Header].self, from: $0)) } ?? []
      description.expectedLength = columns.next()
      origin = try checked("origin", Origin(rawValue: columns.next()))
      added = Timestamp(milliseconds: columns.next())
    }
  }

  private static func state(
    _ columns: inout ColumnReader
  ) throws -> (DownloadState, failures: Int, started: Timestamp?, finished: Timestamp?, isHeld: Bool) {
    let phase: String? = columns.next()
    let kind = try checked("state", DownloadState.Kind(rawValue: columns.next()))
    let reason: String? = columns.next()
    let retryAt = columns.moment()
    let error = error(&columns)
    let file = publishedFile(&columns)
    let state: DownloadState =
      switch kind {
      case .queued: .queued
      case .paused: .paused
      case .completed: .completed(try checked("path", file))
      case .failed: .failed(try checked("error_code", error))
      case .waiting: .waiting(try waiting(reason, until: retryAt, after: error))
      case .running: .running(try running(phase, file))
      }
    return (state, columns.next(), columns.moment(), columns.moment(), columns.next())
  }

  private static func waiting(
    _ reason: String?, until moment: Timestamp?, after error: DownloadError?
  ) throws -> DownloadState.Waiting {
    guard reason == "retry" else { throw DamagedRow(column: "reason") }
    return .retry(at: try checked("retry_at", moment), after: try checked("error_code", error))
  }

  private static func running(_ phase: String?, _ file: PublishedFile?) throws -> DownloadState.Phase {
    switch phase {
    case "connecting": .connecting
    case "receiving": .receiving
    case "verifying": .verifying
    case "publishing": .publishing(try checked("path", file))
    default: throw DamagedRow(column: "phase")
    }
  }

  private static func error(_ columns: inout ColumnReader) -> DownloadError? {
    let (code, message): (String?, String?) = (columns.next(), columns.next())
    let (status, cause): (Int?, String?) = (columns.next(), columns.next())
    guard let code = code.flatMap(DownloadError.Code.init(rawValue:)), let message else { return nil }
    return DownloadError(code, message, status: status, cause: cause.flatMap(DownloadError.Code.init(rawValue:)))
  }

  private static func progress(_ columns: inout ColumnReader) throws -> Download.Progress {
    Download.Progress(
      durable: columns.next(), total: columns.next(), discarded: columns.next(),
      resume: try (columns.next() as String?).map { try checked("resume", resumeRecord(in: $0)) })
  }

  private static func resumeRecord(in text: String) -> ResumeRecord? {
    parsed(ResumeRecord.self, from: text).flatMap { $0.isPlausible ? $0 : nil }
  }

  private static func parsed<Value: Decodable>(_ type: Value.Type, from text: String) -> Value? {
    try? JSONDecoder().decode(type, from: Data(text.utf8))
  }

  private static func checked<Value>(_ column: String, _ value: Value?) throws -> Value {
    guard let value else { throw DamagedRow(column: column) }
    return value
  }
}

/// Reads a row's columns one after the other, in the order of its statement: by number, since looking for names would
/// cost more than reading.
struct ColumnReader {
  let row: Row
  var index = 0

  mutating func next<Value: DatabaseValueConvertible & StatementColumnConvertible>() -> Value {
    defer { index += 1 }
    return row[index]
  }

  mutating func moment() -> Timestamp? {
    (next() as Int64?).map { Timestamp(milliseconds: $0) }
  }

  /// Passes over columns, which are named for the reader's sake.
  mutating func skip(_ names: String...) {
    index += names.count
  }
}

/// A row holds what no version of this code writes.
struct DamagedRow: Error, CustomStringConvertible {
  let column: String

  var description: String { "the database holds a value that cannot be in the column \(column)" }
}
