import GRDB

extension Database {
  /// Runs the body in a transaction and commits it; rolls back if the body or the commit throws.
  ///
  /// Not GRDB's `inTransaction`: that has SQLite prepare both of its statements in each transaction, which takes longer
  /// than running them. An error of SQLite must leave the body: some of them end the transaction.
  func transaction<Result>(_ kind: TransactionKind, _ body: () throws -> Result) throws -> Result {
    try cachedStatement(sql: "BEGIN \(kind.rawValue) TRANSACTION").execute()
    do {
      let result = try body()
      try cachedStatement(sql: "COMMIT TRANSACTION").execute()
      return result
    } catch {
      // If it fails too, GRDB ends the process: a later turn would go on in this transaction.
      try? rollback()
      throw error
    }
  }
}
