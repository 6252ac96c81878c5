import Flux
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
    id = try columns.next { DownloadID($0) }
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
    var row = DownloadColumns(id: try columns.next { DownloadID($0) })
    for part in readParts { try row.exchange(part, with: &columns) }
    row.download.state = try row.state.state()
    if row.state.kind == .completed { _ = try Damaged.checked("finished_at", row.download.dates.finished) }
    return row.download
  }

  /// Reads the file from its columns (`ColumnCoder.file`); nil if there is none.
  static func publishedFile(_ columns: inout ColumnReader) throws -> PublishedFile? {
    var file: PublishedFile?
    try columns.file(&file)
    return file
  }
}

extension StateColumns {
  fileprivate func state() throws -> DownloadState {
    switch kind {
    case .queued: .queued
    case .paused: .paused
    case .completed: .completed(try Damaged.checked("path", file))
    case .failed: .failed(try Damaged.checked("error_code", wait.error))
    case .waiting: .waiting(try wait.waiting())
    case .running: .running(try runningPhase())
    }
  }

  private func runningPhase() throws -> DownloadState.Phase {
    switch phase {
    case "connecting": .connecting
    case "receiving": .receiving
    case "verifying": .verifying
    case "publishing": .publishing(try Damaged.checked("path", file))
    default: throw DamagedRow(column: "phase")
    }
  }
}

extension StateColumns.Wait {
  fileprivate func waiting() throws -> DownloadState.Waiting {
    let (moment, error) = (try Damaged.checked("retry_at", retryAt), try Damaged.checked("error_code", error))
    return switch reason {
    case "retry": .retry(at: moment, after: error)
    case "storage": .storage(until: moment, after: error)
    default: throw DamagedRow(column: "reason")
    }
  }
}
