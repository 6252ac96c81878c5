import GRDB
import PodfluxCore

/// Keeps the tables `facets` and `class_counts` true: how many rows there are of each podcast, host and class, and how many
/// of each class.
///
/// Changes are gathered and written once, before the table is read or the transaction ends: the rows of a batch are mostly
/// alike, and a trigger for each would cost more than the row.
/// Owned by one connection and used on its queue only.
final class TraitCounts {
  /// A row of the table, apart from its number. Podcasts are told apart by their bytes.
  struct Facet: Hashable {
    let podcast: String?
    let host: String
    let row: PackedTraits

    static func == (left: Self, right: Self) -> Bool {
      left.row == right.row && hasSameBytes(left.host, right.host)
        && (left.podcast == nil) == (right.podcast == nil) && hasSameBytes(left.podcast ?? "", right.podcast ?? "")
    }

    func hash(into hasher: inout Hasher) {
      hasher.combine(row)
      // Hosts and podcasts say the same mostly; a podcast's bytes, not its normal form, which costs more to make.
      for text in [podcast ?? "", host] {
        var text = text
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
      }
    }

    /// The same in another class.
    func with(_ row: PackedTraits) -> Facet { Facet(podcast: podcast, host: host, row: row) }

    private static func hasSameBytes(_ left: String, _ right: String) -> Bool {
      left.utf8.elementsEqual(right.utf8)
    }
  }

  private var changes: [Facet: Int] = [:]
  /// Grows when the table changes.
  private(set) var version = 0

  /// Takes in that there are so many more of a facet, or fewer.
  func add(_ number: Int, _ facet: Facet) {
    changes[facet, default: 0] += number
  }

  /// Forgets what was noted: the transaction has ended.
  func reset() {
    changes.removeAll(keepingCapacity: changes.count < 4096)
  }

  /// Writes what was noted.
  func refresh(in db: Database) throws {
    guard !changes.isEmpty else { return }
    let increase = try db.cachedStatement(
      sql: "INSERT INTO facets VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET number = number + excluded.number")
    let decrease = try db.cachedStatement(
      sql: "UPDATE facets SET number = number - ? WHERE podcast = ? AND host = ? AND class = ? AND number > ?")
    let remove = try db.cachedStatement(sql: "DELETE FROM facets WHERE podcast = ? AND host = ? AND class = ?")
    // Even where numbers stay as they were: which rows are meant may be others, and a text finds some of them only.
    version += 1
    // In any order: each facet is another row.
    var classes: [PackedTraits: Int] = [:]
    for (facet, number) in changes where number != 0 {
      classes[facet.row, default: 0] += number
      // 0 stands for no podcast: a primary key has no NULL.
      let podcast: any DatabaseValueConvertible = facet.podcast ?? 0
      if number > 0 {
        increase.setUncheckedArguments([podcast, facet.host, facet.row.code, number])
        try increase.execute()
      } else {
        decrease.setUncheckedArguments([-number, podcast, facet.host, facet.row.code, -number])
        try decrease.execute()
        if db.changesCount == 0 { try remove.execute(arguments: [podcast, facet.host, facet.row.code]) }
      }
    }
    try count(classes, in: db)
    reset()
  }

  /// Writes that there are so many more of some classes, or fewer.
  private func count(_ classes: [PackedTraits: Int], in db: Database) throws {
    let increase = try db.cachedStatement(
      sql: "INSERT INTO class_counts VALUES (?, ?) ON CONFLICT DO UPDATE SET number = number + excluded.number")
    let decrease = try db.cachedStatement(
      sql: "UPDATE class_counts SET number = number - ? WHERE class = ? AND number > ?")
    let remove = try db.cachedStatement(sql: "DELETE FROM class_counts WHERE class = ?")
    for (row, number) in classes where number != 0 {
      if number > 0 {
        try increase.execute(arguments: [row.code, number])
      } else {
        try decrease.execute(arguments: [-number, row.code, -number])
        if db.changesCount == 0 { try remove.execute(arguments: [row.code]) }
      }
    }
  }
}

extension TraitCounts.Facet {
  /// Reads the columns host, class and podcast.
  init(_ columns: inout ColumnReader) throws {
    let (host, code): (String, Int64) = try (columns.next(), columns.next())
    self.init(podcast: try columns.next(), host: host, row: PackedTraits(code: code))
  }
}

/// A facet, and how many rows there are of it.
struct CountedFacet: StatementRow {
  let facet: TraitCounts.Facet
  let number: Int

  /// How many of some rows there are of each facet. Cost: these rows.
  static func fetchAll(
    in db: Database, from rows: String, where scope: String, _ arguments: StatementArguments
  ) throws -> [CountedFacet] {
    let sql = "SELECT host, class, podcast, count(*) FROM \(rows) WHERE \(scope) GROUP BY 1, 2, 3"
    return try fetchAll(db.cachedStatement(sql: sql), arguments: arguments)
  }

  init(_ columns: inout ColumnReader) throws {
    facet = try TraitCounts.Facet(&columns)
    number = Int(try columns.next(.count))
  }
}

extension Download {
  /// What the row counts as on a day.
  func facet(on today: LocalDay) -> TraitCounts.Facet {
    let podcast = DownloadRow.text(description.podcast)
    return TraitCounts.Facet(podcast: podcast, host: source.host, row: PackedTraits(Traits(of: self, on: today)))
  }
}
