import Flux
import Foundation
import GRDB
import PodfluxCore

/// A row of `downloads` and the value that it holds, both ways.
///
/// What stands in a row is checked like any other input: a value that the code cannot mean is a `DamagedRow`.
enum DownloadRow {
  /// The columns but `key`, in the order of `values(of:)`.
  static let columns = [
    "id", "url", "url_hash", "host", "podcast", "title", "published", "wanted_path", "headers", "expected_length",
    "priority", "position", "origin", "state", "phase", "reason", "retry_at", "error_code", "error_message",
    "error_status", "error_cause", "path", "file_length", "inode", "durable", "total", "discarded", "resume",
    "failures", "added_at", "started_at", "finished_at", "held",
  ]

  static let select = "SELECT key, " + columns.joined(separator: ", ") + " FROM downloads "
  static let insert =
    "INSERT INTO downloads (" + columns.joined(separator: ", ") + ") VALUES ("
    + columns.map { _ in "?" }.joined(separator: ", ") + ")"
  static let update =
    "UPDATE downloads SET " + columns.map { "\($0) = ?" }.joined(separator: ", ") + " WHERE id = ?"

  // MARK: Writing

  static func values(of download: Download) throws -> [(any DatabaseValueConvertible)?] {
    let description = download.description
    let state = StateColumns(download.state)
    return [
      download.id.description, download.address.description, hash(download.address), download.address.host,
      text(description.podcast), text(description.title), description.published?.milliseconds,
      description.path?.description,
      description.headers.isEmpty ? nil : try json(description.headers), description.expectedLength,
      download.rank.priority.code, download.rank.position, download.origin.rawValue, download.state.kind.rawValue,
      state.phase, state.reason, state.retryAt?.milliseconds, state.error?.code.rawValue, text(state.error?.message),
      state.error?.status, state.error?.cause?.rawValue, state.file?.path.description, state.file?.length,
      state.file.map { Int64(bitPattern: $0.inode) }, download.progress.durable, download.progress.total,
      download.progress.discarded, try download.progress.resume.map { try json($0) }, download.failures,
      download.dates.added.milliseconds, download.dates.started?.milliseconds, download.dates.finished?.milliseconds,
      download.isHeld ? 1 : 0,
    ]
  }

  /// SQLite's text ends at a NUL: without this, what stands behind one would be lost in silence.
  private static func text(_ text: String?) -> String? {
    guard let text, text.utf8.contains(0) else { return text }
    return text.replacing("\u{0}", with: "\u{FFFD}")
  }

  /// FNV-1a of the URL, so that a million URLs can be looked up without being stored twice.
  ///
  /// Source: RFC 9923 (the FNV non-cryptographic hash), 64-bit parameters. Collisions are told apart by the URL itself.
  static func hash(_ address: WebAddress) -> Int64 {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for byte in address.description.utf8 {
      hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3
    }
    return Int64(bitPattern: hash)
  }

  private static func json(_ value: some Encodable) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(value), as: UTF8.self)
  }

  // MARK: Reading

  static func download(in row: Row) throws -> Download {
    let id = try checked("id", DownloadID(row["id"]))
    return Download(
      id: id,
      address: try checked("url", try? WebAddress(row["url"])),
      description: Download.Description(
        podcast: row["podcast"], title: row["title"],
        published: (row["published"] as Int64?).map(Timestamp.init(milliseconds:)),
        path: try (row["wanted_path"] as String?).map { try checked("wanted_path", try? LibraryPath(validating: $0)) },
        headers: try (row["headers"] as String?).map { try checked("headers", parsed([Header].self, from: $0)) } ?? [],
        expectedLength: row["expected_length"]),
      rank: Download.Rank(
        priority: try checked("priority", Priority(code: row["priority"])), position: row["position"]),
      origin: try checked("origin", Origin(rawValue: row["origin"])),
      state: try state(in: row),
      progress: Download.Progress(
        durable: row["durable"], total: row["total"], discarded: row["discarded"],
        resume: try (row["resume"] as String?).map { try checked("resume", resumeRecord(in: $0)) }),
      failures: row["failures"],
      dates: Download.Dates(
        added: Timestamp(milliseconds: row["added_at"]),
        started: (row["started_at"] as Int64?).map(Timestamp.init(milliseconds:)),
        finished: (row["finished_at"] as Int64?).map(Timestamp.init(milliseconds:))),
      isHeld: row["held"])
  }

  private static func state(in row: Row) throws -> DownloadState {
    switch try checked("state", DownloadState.Kind(rawValue: row["state"])) {
    case .queued: return .queued
    case .paused: return .paused
    case .completed: return .completed(try checked("path", publishedFile(in: row)))
    case .failed: return .failed(try checked("error_code", error(in: row)))
    case .waiting:
      guard row["reason"] as String? == "retry" else { throw DamagedRow(column: "reason") }
      return .waiting(
        .retry(
          at: Timestamp(milliseconds: try checked("retry_at", row["retry_at"])),
          after: try checked("error_code", error(in: row))))
    case .running:
      switch row["phase"] as String? {
      case "connecting": return .running(.connecting)
      case "receiving": return .running(.receiving)
      case "verifying": return .running(.verifying)
      case "publishing": return .running(.publishing(try checked("path", publishedFile(in: row))))
      default: throw DamagedRow(column: "phase")
      }
    }
  }

  /// The file that the columns path, file_length and inode describe; nil if there is none or if it cannot be one.
  static func publishedFile(in row: Row) -> PublishedFile? {
    guard let text = row["path"] as String?, let path = try? LibraryPath(validating: text),
      let length = row["file_length"] as Int64?, let inode = row["inode"] as Int64?
    else { return nil }
    return PublishedFile(path: path, length: length, inode: UInt64(bitPattern: inode))
  }

  private static func error(in row: Row) -> DownloadError? {
    guard let code = (row["error_code"] as String?).flatMap(DownloadError.Code.init(rawValue:)),
      let message = row["error_message"] as String?
    else { return nil }
    return DownloadError(
      code, message, status: row["error_status"],
      cause: (row["error_cause"] as String?).flatMap(DownloadError.Code.init(rawValue:)))
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

/// A row holds what no version of this code writes.
struct DamagedRow: Error, CustomStringConvertible {
  let column: String

  var description: String { "the database holds a value that cannot be in the column \(column)" }
}

/// What belongs to some states only, spread over columns.
private struct StateColumns {
  var phase: String?
  var reason: String?
  var retryAt: Timestamp?
  var error: DownloadError?
  var file: PublishedFile?

  init(_ state: DownloadState) {
    switch state {
    case .queued, .paused: break
    case .waiting(.retry(let at, let after)): (reason, retryAt, error) = ("retry", at, after)
    case .running(let phase):
      self.phase = phase.name
      if case .publishing(let file) = phase { self.file = file }
    case .completed(let file): self.file = file
    case .failed(let error): self.error = error
    }
  }
}

extension Priority {
  /// The number by which priorities sort.
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
