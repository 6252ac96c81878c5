import GRDB
import Testing

@testable import Persistence

@Suite("Transactions and prepared statements of a connection")
struct TransactionTests {
  private struct Failure: Error {}

  private func withTables(_ body: (Database) throws -> Void) throws {
    let queue = try DatabaseQueue()
    try queue.writeWithoutTransaction { db in
      try db.execute(sql: "CREATE TABLE owners (key INTEGER PRIMARY KEY)")
      try db.execute(
        sql: "CREATE TABLE rows (owner INTEGER NOT NULL REFERENCES owners (key) DEFERRABLE INITIALLY DEFERRED)")
      try body(db)
    }
  }

  private func write(_ sql: String, _ db: Database) throws {
    try db.transaction(.immediate) { try db.execute(sql: sql) }
  }

  private func rows(_ db: Database) throws -> Int? { try Int.fetchOne(db, sql: "SELECT count(*) FROM rows") }

  @Test("What a body has written that throws is rolled back, and the next transaction begins anew")
  func failure() throws {
    try withTables { db in
      #expect(throws: Failure.self) {
        try db.transaction(.immediate) {
          try db.execute(sql: "INSERT INTO rows VALUES (1)")
          throw Failure()
        }
      }
      #expect(!db.isInsideTransaction)
      #expect(try rows(db) == 0)
      let read = try db.transaction(.immediate) {
        try db.execute(sql: "INSERT INTO owners VALUES (1)")
        try db.execute(sql: "INSERT INTO rows VALUES (1)")
        return try rows(db)
      }
      #expect(read == 1)
      #expect(!db.isInsideTransaction)
      #expect(try db.transaction(.deferred) { try rows(db) } == 1)
    }
  }

  @Test("A commit that fails leaves no transaction open, and nothing written")
  func failedCommit() throws {
    try withTables { db in
      // Its owner is missed only by the commit, which SQLite lets try again.
      #expect(throws: DatabaseError.self) { try write("INSERT INTO rows VALUES (1)", db) }
      #expect(!db.isInsideTransaction)
      #expect(try rows(db) == 0)
      try write("INSERT INTO owners VALUES (1)", db)
      #expect(try rows(db) == 0)
    }
  }

  @Test("The statements of the first rules stay prepared, and those of no others")
  func ruleStatements() throws {
    try DatabaseQueue().read { db in
      let statements = RuleStatements()
      for number in 0..<RuleStatements.limit {
        #expect(try statements.statement("SELECT \(number)", in: db) != nil)
      }
      #expect(try statements.statement("SELECT \(RuleStatements.limit)", in: db) == nil)
      let first = try statements.statement("SELECT 0", in: db)
      #expect(try first === statements.statement("SELECT 0", in: db))
    }
  }
}
