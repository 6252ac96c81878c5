import Flux
import GRDB
import PodfluxCore

/// The active filters and the calendar day in SQLite, inside one transaction.
struct SQLFilterTable: FilterTable {
  let db: Database
  let derived: DerivedTables

  func save(_ state: FiltersState, over subject: FilterSubject) throws {
    try SingleRow.filters(over: subject).write(StoredFilters(state), to: db)
  }

  func turn(to day: LocalDay) throws {
    let former = try derived.calendar.today(in: db)
    guard day != former else { return }
    for (old, new) in AgeClass.pairs {
      guard let moments = old.moments(on: former).intersection(with: new.moments(on: day)) else { continue }
      try move(rowsOf: moments, to: new)
      try move(episodesOf: moments, from: former, to: day)
    }
    try db.cachedStatement(sql: "UPDATE calendar SET day = ?, seconds_east = ?")
      .execute(arguments: [day.number, day.secondsEast])
    derived.calendar.forget()
  }

  private func move(rowsOf moments: MomentRange, to age: AgeClass) throws {
    let field = PackedTraits.Field.age
    let code = field.place(age.rowCode)
    for (index, scope) in [
      ("downloads_published", "published BETWEEN ? AND ?"),
      ("downloads_undated", "published IS NULL AND added_at BETWEEN ? AND ?"),
    ] {
      let (rows, arguments) = ("downloads INDEXED BY \(index)", [moments.first, moments.last] as StatementArguments)
      for row in try CountedFacet.fetchAll(in: db, from: rows, where: scope, arguments) {
        derived.traitCounts.add(-row.number, row.facet)
        derived.traitCounts.add(row.number, row.facet.with(PackedTraits(code: row.facet.row.code & ~field.mask | code)))
      }
      let sql = "UPDATE \(rows) SET class = class & ~\(field.mask) | ? WHERE \(scope)"
      try db.cachedStatement(sql: sql).execute(arguments: [code] + arguments)
    }
  }
}

extension SQLFilterTable {
  /// Each eight feeds have their episodes in the order of publication.
  private func move(episodesOf moments: MomentRange, from former: LocalDay, to day: LocalDay) throws {
    let scopes = [
      (
        """
        (SELECT DISTINCT key >> 3 AS number FROM feeds) AS eights CROSS JOIN episodes INDEXED BY episodes_published
        """, "feed >> 3 = eights.number AND published BETWEEN ? AND ?"
      ),
      ("episodes INDEXED BY episodes_undated", "published IS NULL AND added_at BETWEEN ? AND ?"),
    ]
    let counts = derived.episodeCounts
    for (rows, scope) in scopes {
      try counts.forEach(in: db, from: rows, where: Predicate(scope, moments.first, moments.last)) { episode in
        counts.add(-1, episode.facet(on: former))
        counts.add(1, episode.facet(on: day))
      }
    }
  }
}

extension SQLTables {
  var filters: any FilterTable { SQLFilterTable(db: db, derived: keeping) }
}

extension FiltersStore {
  /// The store with what its table holds.
  init(from tables: TableReader) throws {
    self.init(states: try tables.filters())
  }
}
