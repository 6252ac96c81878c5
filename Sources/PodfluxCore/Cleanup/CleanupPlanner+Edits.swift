/// What somebody has edited, and what is damaged.
extension CleanupPlanner {
  /// A row's file, or what stands in its place, has another content than was downloaded, or may have. What somebody has
  /// written to since and is media is edited; all else is damaged.
  mutating func judge(
    _ row: ExpectedFile, _ found: FoundFile, _ because: String, _ evidence: some CleanupEvidence
  ) throws {
    guard row.file.mayBeEdited(as: found) else { return add(corrupt: row, found, because) }
    switch try evidence.isMedia(found) {
    case nil: add(unreadable: found, of: row)
    case false: add(corrupt: row, found, because + ", and is no media")
    default:
      var sha256: String?
      if row.file.sha256 != nil { sha256 = try hashes[found.place] ?? evidence.sha256(of: found) }
      guard let file = found.published(sha256: sha256) else { return add(unnameable: found, of: row) }
      // What lies where its row says, as long as it was, has been counted as a download's already.
      if found.place != row.place || found.inode != row.file.inode || found.length != row.file.length {
        note(followed: found)
      }
      let matter: CleanupStep.Matter =
        file.path == row.file.path
        ? .modified(row.download, from: row.file, to: file) : .moved(row.download, from: row.file, to: file)
      add(matter, .follow, because + ": somebody has edited it")
    }
  }
}

extension PublishedFile {
  /// Disks without lasting inodes keep times in units of up to two seconds (vfat), and only once they are mounted anew.
  private static let coarsestTimeNanoseconds: UInt64 = 2_000_000_000

  /// Whether it is known that the file has been written to since, or given another time.
  public func hasOtherTime(than found: FoundFile) -> Bool {
    guard let recorded = modifiedNanoseconds, let modified = found.modifiedNanoseconds else { return false }
    guard found.inode == FoundFile.unknownInode else { return recorded != modified }
    let (difference, isOverflow) = recorded.subtractingReportingOverflow(modified)
    return isOverflow || difference.magnitude >= Self.coarsestTimeNanoseconds
  }

  /// Whether what was found in the file's place may be what somebody has made of it: taggers write to the file itself, or
  /// put another in its place. Where no time was recorded, only another length or another file tells of that.
  public func mayBeEdited(as found: FoundFile) -> Bool {
    guard modifiedNanoseconds != nil, found.modifiedNanoseconds != nil else {
      return inode != found.inode || length != found.length
    }
    return hasOtherTime(than: found)
  }

  func difference(from found: FoundFile) -> String {
    found.length == length
      ? "it has another content than was downloaded: its SHA-256 differs"
      : "it has \(found.length) bytes instead of \(length)"
  }
}
