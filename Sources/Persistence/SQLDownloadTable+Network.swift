import GRDB
import PodfluxCore

/// Policies of podcasts: one statement, however many downloads they have.
extension SQLDownloadTable {
  func setNetwork(_ policy: NetworkPolicy, ofPodcast name: String) throws {
    // Whoever adds a download takes names for equal that are canonically equivalent.
    let names = try PodcastSpellings(db: db).spellings(of: DownloadRow.text(name) ?? name)
    let (rows, scope) = (
      "downloads INDEXED BY downloads_podcast",
      "podcast IN (SELECT value FROM json_each(?)) AND podcast_network <> ?"
    )
    let arguments: StatementArguments = [try ConditionSQL.list(names), policy.rowCode]
    let field = RowClass.Field.network
    for row in try CountedFacet.fetchAll(in: db, from: rows, where: scope + " AND network = 0", arguments) {
      let become = row.facet.with(RowClass(code: row.facet.row.code & ~field.mask | field.place(policy.rowCode)))
      upkeep.facets.add(-row.number, row.facet)
      upkeep.facets.add(row.number, become)
      if try row.facet.row.traits().isAdmissible {
        lanes.touch(Lane(row.facet))
        lanes.touch(Lane(become))
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
