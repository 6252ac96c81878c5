/// Differences between partial files and their rows.
extension CleanupPlanner {
  /// Compares a partial file with its row.
  ///
  /// - Parameters:
  ///   - partial: The file.
  ///   - row: Its download, if there is one.
  ///   - bootID: The machine's current boot: bytes of an earlier one may be torn.
  ///   - tailHash: Hashes the last 64 KiB of the file's first `length` bytes; nil if unreadable.
  package mutating func compare(
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
    // Bytes after the durable ones were never acknowledged, and the next attempt checks them itself. Counting them here
    // would need a sync beside attempts; if that failed, the next sync would succeed and be trusted.
    guard partial.length < record.durable else { return }
    guard partial.length > 0 else { return lose(partial.download, record) }
    guard record.bootID == bootID else {
      // Another program or a power cut has truncated the partial file; torn bytes look like data.
      return lose(partial.download, record, "it became shorter, and the machine was started again since")
    }
    guard let hash = try tailHash(partial.length) else { return }
    add(
      .partial(partial.download, planned: record, length: partial.length, tailHash: hash), .correct,
      "\(partial.length) bytes are there, and \(record.durable) were recorded")
  }

  /// A row has durable bytes, and there is no partial file.
  package mutating func compareWithNothing(_ row: Download) {
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

  /// A file in the folder of partial files that is not a partial file.
  package mutating func note(strayPartial file: FoundFile) {
    // A user may have put the file there.
    add(
      .strayPartial(file), options.orphans.mayTake ? .quarantine : .leave,
      "it lies among the partial files and is none")
  }

  /// Files in quarantine have expired.
  package mutating func note(expiredQuarantine bytes: Int64, before moment: Int64) {
    guard bytes > 0 else { return }
    add(.expiredQuarantine(before: moment, bytes: bytes), .delete, "they have been in quarantine for long enough")
  }
}
