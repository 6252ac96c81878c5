import GRDB

/// The stored spellings of podcasts' names: users and Swift treat canonically equivalent texts as equal, SQLite does
/// not.
final class PodcastSpellings {
  private let db: Database
  /// All names that are not ASCII, by Swift's equality; read on first use.
  private var present: [String: [String]]?

  init(db: Database) {
    self.db = db
  }

  /// The stored spellings of a name. Cost: for a name that is not ASCII, a look-up for each podcast, once.
  ///
  /// No row contains NUL, which would end the text for SQLite.
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
