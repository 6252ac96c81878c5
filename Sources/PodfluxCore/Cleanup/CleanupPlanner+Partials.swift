/// What partial files and the rows that speak of them do not agree on.
extension CleanupPlanner {
  /// Compares a partial file with its row.
  ///
  /// - Parameters:
  ///   - partial: The file.
  ///   - row: Its download, if there is one.
  ///   - bootID: The machine's present boot: what an earlier one has left of a partial may be torn.
  ///   - tailHash: Hashes the last 64 KiB of so many bytes of the file; nil if it cannot be read.
  public mutating func compare(
    _ partial: FoundPartial, with row: Download?, bootID: String, tailHash: (Int64) throws -> String?
  ) rethrows {
    func disown(_ because: String) {
      add(.orphanPartial(partial), .delete, because)
    }
    guard let row else { return disown("no download has this partial file") }
    if case .running = row.state { return }
    guard row.mayHavePartial else { return disown("its download needs no partial file") }
    guard let record = row.progress.resume else {
      return disown("nothing is known of which version of the file it holds")
    }
    // What lies beyond the durable bytes was promised to nobody, and the next attempt has a look at it itself. To promise
    // it here it would have to be synced beside attempts; if that failed, the next sync would succeed and be believed.
    guard partial.length < record.durable else { return }
    guard partial.length > 0 else { return lose(partial.download, record) }
    guard record.bootID == bootID else {
      // Somebody has cut it, or a power cut has; what it has torn looks like bytes.
      return lose(partial.download, record, "it became shorter, and the machine was started again since")
    }
    guard let hash = try tailHash(partial.length) else { return }
    add(
      .partial(partial.download, planned: record, length: partial.length, tailHash: hash), .correct,
      "\(partial.length) bytes are there, and \(record.durable) were recorded")
  }

  /// A row speaks of durable bytes, and there is no partial file.
  public mutating func compareWithNothing(_ row: Download) {
    guard let record = row.progress.resume, record.durable > 0, row.mayHavePartial else { return }
    if case .running = row.state { return }
    lose(row.id, record)
  }

  private mutating func lose(
    _ download: DownloadID, _ record: ResumeRecord, _ because: String = "its partial file is gone"
  ) {
    add(
      .partial(download, planned: record, length: 0, tailHash: ""), .correct,
      "\(because); \(record.durable) bytes were recorded")
  }

  /// A file among the partial files that is none.
  public mutating func note(strayPartial file: FoundFile) {
    // It may be a person's all the same.
    add(
      .strayPartial(file), options.orphans.mayTake ? .quarantine : .leave,
      "it lies among the partial files and is none")
  }

  /// Files in quarantine are older than is wanted.
  public mutating func note(expiredQuarantine bytes: Int64, before moment: Int64) {
    guard bytes > 0 else { return }
    add(.expiredQuarantine(before: moment, bytes: bytes), .delete, "they have been in quarantine for long enough")
  }
}
