import GRDB
import PodfluxCore

/// Maintains the tables `facets` and `class_counts`: the number of rows for each podcast, host and class, and for each
/// class.
///
/// It collects changes and writes them once, before the table is read or the transaction ends: the rows of a batch are
/// mostly alike, and a trigger for each row would cost more than the row. One connection owns it and uses it on its
/// queue.
final class TraitCounts {
  /// A row of the table without its count. Podcasts are compared by their bytes.
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
      // Mostly host and podcast determine each other. Hashes bytes: the normal form of a podcast costs more.
      for text in [podcast ?? "", host] {
        var text = text
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
      }
    }

    /// The same facet in another class.
    func with(_ row: PackedTraits) -> Facet { Facet(podcast: podcast, host: host, row: row) }

    private static func hasSameBytes(_ left: String, _ right: String) -> Bool {
      left.utf8.elementsEqual(right.utf8)
    }
  }

  private var changes: [Facet: Int] = [:]
  /// Grows when the table changes.
  private(set) var version = 0

  /// Adds a number of rows to a facet's count; it may be negative.
  func add(_ number: Int, _ facet: Facet) {
    changes[facet, default: 0] += number
  }

  /// Drops pending changes after the transaction ended.
  func reset() {
    changes.removeAll(keepingCapacity: changes.count < 4096)
  }

  /// Writes the pending changes.
  func refresh(in db: Database) throws {
    guard !changes.isEmpty else { return }
    let increase = try db.cachedStatement(
      sql: "INSERT INTO facets VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET number = number + excluded.number")
    let decrease = try db.cachedStatement(
      sql: "UPDATE facets SET number = number - ? WHERE podcast = ? AND host = ? AND class = ? AND number > ?")
    let remove = try db.cachedStatement(sql: "DELETE FROM facets WHERE podcast = ? AND host = ? AND class = ?")
    // Even for equal counts: other rows may be counted, and a text search finds only some of them.
    version += 1
    // In any order: each facet is another row.
    var classes: [PackedTraits: Int] = [:]
    for (facet, number) in changes where number != 0 {
      classes[facet.row, default: 0] += number
      // 0 means no podcast: a primary key has no NULL.
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

  /// Adds numbers to the counts of classes.
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

/// A facet and its number of rows.
struct CountedFacet: StatementRow {
  let facet: TraitCounts.Facet
  let number: Int

  /// The number of the given rows in each facet. Cost: these rows.
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
  /// The facet of the row on a day.
  func facet(on today: LocalDay) -> TraitCounts.Facet {
    let podcast = DownloadRow.text(description.podcast)
    return TraitCounts.Facet(podcast: podcast, host: source.host, row: PackedTraits(Traits(of: self, on: today)))
  }
}
