import Flux
import GRDB
import PodfluxCore

/// The downloads, or former downloads, of the address in an episode's wish that may be the episode's.
///
/// An address can have any number of them. The index over addresses and dates leads to the last ones of the episode's
/// date, and to the last ones without a date; to the latest ones, if the episode has no date.
enum DownloadsOfAddress {
  case present, former

  /// Those that resemble the episode and are no other's of its feed: those that resemble it most first, then the last
  /// ones.
  func first(
    for wish: DownloadIntent.Enqueue, of episode: Episode.Reference, in db: Database, where isFree: (DownloadID) -> Bool
  ) throws -> DownloadID? {
    let candidates = try rows(for: wish, in: db).compactMap { row in
      EpisodeResemblance(title: row.title, published: row.published, to: wish.description).map { ($0, row.id) }
    }
    for resemblance in EpisodeResemblance.allCases.reversed() {
      let id = try candidates.first { candidate in
        try candidate.0 == resemblance && isFree(candidate.1)
          && !SQLEpisodeTable.isDownload(candidate.1, ofSiblingOf: episode, in: db)
      }
      if let id { return id.1 }
    }
    return nil
  }

  private func rows(for wish: DownloadIntent.Enqueue, in db: Database) throws -> [RowOfAddress] {
    let undated = try rows(published: nil, for: wish, in: db)
    if let published = wish.description.published?.moment {
      return try rows(published: published, for: wish, in: db) + undated
    }
    let sql = """
      \(selection) WHERE url_hash = ? AND published IS NOT NULL AND url = ? ORDER BY published DESC, key DESC LIMIT ?
      """
    let dated = try RowOfAddress.fetchAll(
      db.cachedStatement(sql: sql),
      arguments: [DownloadRow.hash(wish.address), wish.address.description, DownloadIntent.Enqueue.lookedAt])
    return undated + dated.filter(\.isMeant)
  }

  private func rows(
    published: Timestamp?, for wish: DownloadIntent.Enqueue, in db: Database
  ) throws -> [RowOfAddress] {
    let sql = "\(selection) WHERE url_hash = ? AND published IS ? AND url = ? ORDER BY key DESC LIMIT ?"
    return try RowOfAddress.fetchAll(
      db.cachedStatement(sql: sql),
      arguments: [
        DownloadRow.hash(wish.address), published?.milliseconds, wish.address.description,
        DownloadIntent.Enqueue.lookedAt,
      ]
    ).filter(\.isMeant)
  }

  private var selection: String {
    switch self {
    case .present: "SELECT id, state <> 'failed' AS state, title, published FROM downloads"
    case .former:
      """
      SELECT download, cause <> 'corrupt' AS "former_files.cause", title, published FROM former_files
      """
    }
  }
}

/// A row with a wish's address.
private struct RowOfAddress: StatementRow {
  let id: DownloadID
  /// Whether the episode could have the download, or had it.
  let isMeant: Bool
  let title: String?
  let published: Timestamp?

  init(_ columns: inout ColumnReader) throws {
    let name: String = try columns.next()
    id = try columns.checked(DownloadID(name))
    isMeant = try columns.next()
    title = try columns.next()
    published = try columns.moment()
  }
}
