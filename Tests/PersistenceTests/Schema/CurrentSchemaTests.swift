import GRDB
import Testing
import Texts

@testable import Persistence

@Suite("The schema of a library that begins")
struct CurrentSchemaTests {
  /// An object of the schema. Its text has no blanks or quotation marks that only a migration left there.
  private struct Object: Hashable {
    var name: String
    var table: String
    var text: String
  }

  @Test("It is what all migrations lead to: tables, constraints, indexes in their order, and first rows")
  func equality() throws {
    let (created, migrated) = (try DatabaseQueue(), try DatabaseQueue())
    for queue in [created, migrated] {
      try queue.write { $0.add(function: FoldedText.folding()) }
    }
    try created.write { try CurrentSchema.create(in: $0) }
    try Schema.migrator.migrate(migrated)

    let objects = try created.read(Self.objects)
    #expect(Set(objects.map(\.name)).count > 90)
    let expected = try migrated.read(Self.objects)
    #expect(Set(objects).subtracting(expected) == [])
    #expect(Set(expected).subtracting(objects) == [])
    for table in Set(objects.map(\.table)) {
      let layouts = try [created, migrated].map { try $0.read { try Self.layout(of: table, $0) } }
      #expect(layouts[0] == layouts[1])
      guard !table.hasPrefix("texts"), !table.hasPrefix("sqlite_") else { continue }
      let rows = try [created, migrated].map { try $0.read { try Row.fetchAll($0, sql: "SELECT * FROM \(table)") } }
      #expect(rows[0] == rows[1])
    }
  }

  @Test("A new library needs no migration and is none of another program")
  func recorded() throws {
    let library = try LibraryDatabase.inMemory()
    try library.withConnection(Self.expectCurrent)
  }

  @Test("A library whose creation was interrupted is created at the next start")
  func interrupted() throws {
    let folder = try TemporaryFolder()
    let queue = try DatabaseQueue(path: folder.databasePath, configuration: LibraryDatabase.configuration())
    try queue.inTransaction { db in
      try CurrentSchema.create(in: db)
      return .rollback
    }
    try queue.close()
    let library = try LibraryDatabase.open(at: folder.databasePath)
    try library.withConnection(Self.expectCurrent)
    try library.close()
  }

  private static func expectCurrent(_ db: Database) throws {
    #expect(try Schema.migrator.hasCompletedMigrations(db))
    #expect(try !Schema.migrator.hasBeenSuperseded(db))
    #expect(try Int32.fetchOne(db, sql: "PRAGMA application_id") == Schema.applicationID)
  }

  private static func objects(_ db: Database) throws -> [Object] {
    try Row.fetchAll(db, sql: "SELECT name, tbl_name, coalesce(sql, '') FROM sqlite_schema").map {
      let text: String = $0[2]
      return Object(name: $0[0], table: $0[1], text: text.filter { !$0.isWhitespace && $0 != "\"" })
    }
  }

  /// The columns of a table and its indexes in the order in which SQLite looks at them.
  private static func layout(of table: String, _ db: Database) throws -> [Row] {
    try Row.fetchAll(db, sql: "SELECT * FROM pragma_table_xinfo(?)", arguments: [table])
      + Row.fetchAll(db, sql: "SELECT name, \"unique\", partial FROM pragma_index_list(?)", arguments: [table])
  }
}
