import GRDB
import PodfluxCore

/// Policies of podcasts: one statement for any number of downloads.
extension SQLDownloadTable {
  func setNetwork(_ policy: NetworkPolicy, ofPodcast name: String) throws {
    // Stores treat canonically equivalent names as equal.
    let names = try PodcastSpellings(db: db).spellings(of: DownloadRow.text(name))
    let (rows, scope) = (
      "downloads INDEXED BY downloads_podcast",
      "podcast IN (SELECT value FROM json_each(?)) AND podcast_network <> ?"
    )
    let arguments: StatementArguments = [try ConditionSQL.list(names), policy.rowCode]
    let field = PackedTraits.Field.network
    for row in try CountedFacet.fetchAll(in: db, from: rows, where: scope + " AND network = 0", arguments) {
      let become = row.facet.with(PackedTraits(code: row.facet.row.code & ~field.mask | field.place(policy.rowCode)))
      derived.traitCounts.add(-row.number, row.facet)
      derived.traitCounts.add(row.number, become)
      if try row.facet.row.traits().isAdmissible {
        queueHeads.touch(QueueKey(row.facet))
        queueHeads.touch(QueueKey(become))
      }
    }
    known.forgetAll()
    let sql = """
      UPDATE \(rows) SET podcast_network = ?, class = iif(network = 0, class & ~\(field.mask) | ?, class) WHERE \(scope)
      """
    try db.cachedStatement(sql: sql)
      .execute(arguments: [policy.rowCode, field.place(policy.rowCode)] + arguments)
  }
}

extension Traits {
  fileprivate var isAdmissible: Bool { kind == .queued && !isHeld }
}
