import Persistence

/// A hash of each table, so that two libraries can be compared long after one of them is gone.
struct TableHashes: Sendable {
  /// By name. An empty table has none.
  private var tables: [String: StableHash] = [:]

  init(of database: LibraryDatabase) throws {
    var tables = tables
    try database.read { try $0.forEachRow { tables[$0, default: StableHash()].mix($1) } }
    self.tables = tables
  }

  /// The names of the tables that hold something else there.
  func names(differingFrom other: TableHashes) -> [String] {
    Set(tables.keys).union(other.tables.keys).filter { tables[$0]?.value != other.tables[$0]?.value }.sorted()
  }

  /// Adds all tables to a hash.
  func mix(into hash: inout StableHash) {
    for (name, table) in tables.sorted(by: { $0.key < $1.key }) {
      hash.mix(name)
      hash.mix(table.value)
    }
  }
}
