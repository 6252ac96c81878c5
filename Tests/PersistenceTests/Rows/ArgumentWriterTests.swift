import GRDB
import Testing

@testable import Persistence

@Suite("Arguments of statements")
struct ArgumentWriterTests {
  private let queue: DatabaseQueue

  init() throws {
    queue = try DatabaseQueue()
    try queue.write {
      try $0.execute(sql: "CREATE TABLE t (key INTEGER PRIMARY KEY, text TEXT, number INTEGER) STRICT")
    }
  }

  private struct Row: StatementRow, Equatable {
    var text: String?
    var number: Int64?

    init(text: String?, number: Int64?) {
      (self.text, self.number) = (text, number)
    }

    init(_ columns: inout ColumnReader) throws {
      (text, number) = (try columns.next(), try columns.next())
    }
  }

  private static let insertion = "INSERT INTO t (key, text, number) VALUES (?, ?, ?) RETURNING text, number"

  private func insert(_ row: Row, as key: Int64?, in db: Database) throws -> Row? {
    var arguments = ArgumentWriter(try db.cachedStatement(sql: Self.insertion))
    try arguments.write(key)
    try arguments.write(row.text)
    try arguments.write(row.number)
    return try arguments.first(Row.self)
  }

  @Test("Texts are bound as they are, empty and long ones; nil is NULL, also where a value was bound before")
  func texts() throws {
    let texts = [
      "", "a", "Grüße, ねこ 🐈", String(repeating: "long ", count: 5000), String("cut out".dropFirst(4)), nil,
    ]
    try queue.write { db in
      for (text, number) in zip(texts, [1, nil, -1, .max, .min, nil] as [Int64?]) {
        let row = Row(text: text, number: number)
        #expect(try insert(row, as: nil, in: db) == row)
      }
      let lengths = try Int?.fetchAll(db, sql: "SELECT length(CAST(text AS BLOB)) FROM t ORDER BY key")
      #expect(lengths == texts.map { $0?.utf8.count })
    }
  }

  @Test("A statement that a constraint has refused can be executed again, and its transaction goes on")
  func failure() throws {
    try queue.write { db in
      _ = try insert(Row(text: "a", number: 1), as: 7, in: db)
      let error = #expect(throws: DatabaseError.self) { try insert(Row(text: "b", number: 2), as: 7, in: db) }
      #expect(error?.resultCode == .SQLITE_CONSTRAINT)
      #expect(try insert(Row(text: "c", number: 3), as: 8, in: db) == Row(text: "c", number: 3))
      #expect(try String.fetchAll(db, sql: "SELECT text FROM t ORDER BY key") == ["a", "c"])
    }
  }
}
