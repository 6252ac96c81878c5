import Flux
import GRDB
import PodfluxCore

extension SQLTables {
  var downloads: any DownloadTable { SQLDownloadTable(db: db, derived: keeping) }
  var deletions: any DeletionTable { SQLDeletionTable(db: db, facts: keeping.facts) }
  var verifications: any VerificationTable { SQLVerificationTable(db: db, traitCounts: keeping.traitCounts) }
  var formerFiles: any FormerFileTable { SQLFormerFileTable(db: db) }

  func save(cooldownOf host: String, until moment: Timestamp?) throws {
    try SQLHosts.save(cooldownOf: host, until: moment, in: db)
  }

  func save(discarded bytes: Int64, because cause: RestartCause) throws {
    try SQLHosts.save(discarded: bytes, because: cause, in: db)
  }
}

extension DownloadsStore {
  /// The store with the state from its tables.
  ///
  /// - Throws: `DamagedRow`, also for values that only turns read, so that a damaged library fails at its opening.
  init(from tables: TableReader) throws {
    _ = try Usage().bytes(in: tables.db)
    self.init(counts: try tables.counts(), cooldowns: try tables.cooldowns(), discarded: try tables.discarded())
  }
}
