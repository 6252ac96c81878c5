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
    let facets = try CountWriter("facets", keys: ["podcast", "host", "class"], in: db)
    // Even for equal counts: other rows may be counted, and a text search finds only some of them.
    version += 1
    // In any order: each facet is another row.
    var classes: [PackedTraits: Int] = [:]
    for (facet, number) in changes where number != 0 {
      classes[facet.row, default: 0] += number
      try facets.add(number) { key in
        // 0 means no podcast: a primary key has no NULL.
        if let podcast = facet.podcast { try key.write(podcast) } else { try key.write(0) }
        try key.write(facet.host)
        try key.write(facet.row.code)
      }
    }
    let counts = try CountWriter("class_counts", keys: ["class"], in: db)
    for (row, number) in classes { try counts.add(number) { try $0.write(row.code) } }
    reset()
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
