import GRDB

/// Podcasts' names in the spellings that there are of them: to people, canonically equivalent texts are one, to SQLite they
/// are not.
final class PodcastSpellings {
  private let db: Database
  /// All names that are not ASCII, by what Swift takes for equal; read when the first is asked for.
  private var present: [String: [String]]?

  init(db: Database) {
    self.db = db
  }

  /// The spellings of a name. Cost: a look-up for each podcast, once, if it is not ASCII.
  ///
  /// NUL stands in no row, and would end the text for SQLite.
  func spellings(of name: String) throws -> [String] {
    guard !name.utf8.contains(0) else { return [] }
    guard name.utf8.contains(where: { $0 >= 0x80 }) else { return [name] }
    let present = try present ?? read()
    self.present = present
    return present[name] ?? []
  }

  private func read() throws -> [String: [String]] {
    let names = try String.fetchAll(db.cachedStatement(sql: DistinctValues.select("podcast")))
    return Dictionary(grouping: names) { $0 }
  }
}
