import GRDB
import PodfluxCore

/// What waits for room.
extension SQLDownloadTable {
  func awaitedByRules(ofAtMost bytes: Int64, limit: Int) throws -> [DownloadID] {
    let sql = """
      SELECT episodes.download FROM episodes INDEXED BY episodes_ruled
      CROSS JOIN downloads ON downloads.id = episodes.download
      WHERE episodes.ruled = 1 AND episodes.\(StoredEpisode.isOfFeed) AND downloads.origin = 'auto'
        AND (downloads.state = 'queued' OR downloads.reason = 'storage') AND coalesce(downloads.length, 0) <= ?
      ORDER BY min(coalesce(episodes.published, episodes.added_at), episodes.added_at) DESC, episodes.added_at DESC,
        episodes.key LIMIT ?
      """
    return try String.fetchAll(db.cachedStatement(sql: sql), arguments: [bytes, limit]).map { text in
      guard let id = DownloadID(text) else { throw DamagedRow(column: "episodes.download") }
      return id
    }
  }
}
