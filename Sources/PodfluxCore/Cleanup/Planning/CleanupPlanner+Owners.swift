/// Finds the owner of the file at a path.
extension CleanupPlanner {
  /// The rows of a path whose file is at it: those that claim the file or, if no row does, the latest one with its
  /// inode and length, whose file has another time now. Of several rows with one inode all but the last have lost their
  /// files.
  func owners(
    of found: FoundFile, among rows: [ExpectedFile], _ evidence: some CleanupEvidence
  ) throws -> [DownloadID] {
    let claimants = rows.filter { $0.file.claims(found) }
    guard claimants.isEmpty else { return claimants.map(\.download) }
    let candidates = rows.filter { found.canBe($0.file) && found.length == $0.file.length }
    guard let latest = candidates.latest, try !evidence.isClaimed(found, otherThanBy: nil) else { return [] }
    return [latest.download]
  }
}

extension ExpectedFile {
  /// Whether its download was completed before another's; equal times are told apart by the ids.
  func isEarlier(than other: Self) -> Bool {
    guard finished == other.finished else {
      guard let time = finished, let otherTime = other.finished else { return finished == nil }
      return time < otherTime
    }
    return download < other.download
  }
}

extension [ExpectedFile] {
  /// The row whose download was completed last.
  fileprivate var latest: ExpectedFile? { self.max { $0.isEarlier(than: $1) } }
}
