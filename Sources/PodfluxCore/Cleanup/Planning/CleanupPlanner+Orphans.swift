/// Files that no row has.
extension CleanupPlanner {
  /// Takes second names of files that rows have from the strays, before any row looks for its file among these.
  mutating func takeSecondNames(_ evidence: some CleanupEvidence) throws -> [FoundFile] {
    var (names, rest): ([FoundFile], [FoundFile]) = ([], [])
    for stray in strays {
      guard !evidence.isCancelled else { throw Failure.cancelled }
      if try evidence.name(of: stray) == .second { names.append(stray) } else { rest.append(stray) }
    }
    strays = rest
    return names
  }

  mutating func leave(secondName stray: FoundFile) {
    add(.orphan(stray), .leave, "it is a download's file under another name (a hard link)")
  }

  mutating func decide(stray: FoundFile, _ evidence: some CleanupEvidence) throws {
    let wantsAdoption = options.orphans == .adopt
    guard !decided.contains(stray.inode), try !evidence.isNeeded(stray, otherThanBy: nil) else {
      return leave(secondName: stray)
    }
    // The stray may be an edit of that download's file: a later verification decides.
    guard !kept.contains(stray.place) else {
      return add(.orphan(stray), .leave, "a download's row says that its file is here, and that one cannot be told")
    }
    if try !wantsAdoption && evidence.isRestored(stray) {
      return add(.orphan(stray), .leave, "a person has put it back from quarantine")
    }
    if let remains = try remains(stray, evidence) {
      return add(.orphan(stray), mayTakeDamaged ? .quarantine : .leave, remains)
    }
    if let owner = try owner(of: stray, evidence) { return add(stray, of: owner) }
    if let failed = try evidence.failedDownload(wanting: stray.place) { return wished.append((stray, by: failed)) }
    try decide(unowned: stray, evidence)
  }

  /// Decides about the files at paths that failed downloads want, after all others: a download that has got its own
  /// file wants none any more, wherever in the library that is.
  mutating func decideWished(_ evidence: some CleanupEvidence) throws {
    let wished = wished
    self.wished = []
    for (stray, id) in wished {
      guard !evidence.isCancelled else { throw Failure.cancelled }
      if adopters.contains(id) {
        try decide(unowned: stray, evidence)
      } else {
        add(stray, of: Owner(id: id, because: "a download that has failed is to have its file here"))
      }
    }
  }

  private mutating func add(_ stray: FoundFile, of owner: Owner) {
    let isAdopted = options.orphans == .adopt || owner.isBack
    guard stray.place.libraryPath != nil || !isAdopted else { return add(unnameable: stray) }
    if isAdopted { adopters.insert(owner.id) }
    add(.adoptable(stray, owner: owner.id, sha256: owner.sha256), isAdopted ? .adopt : .offer, owner.because)
  }

  private mutating func decide(unowned stray: FoundFile, _ evidence: some CleanupEvidence) throws {
    if options.orphans.mayTake, let lost = try lostFile(like: stray, evidence) {
      return add(.orphan(stray), .leave, "it is as long as the lost file of the download \(lost), and may be that one")
    }
    let because = "no download has this file"
    switch options.orphans {
    case .quarantine: add(.orphan(stray), .quarantine, because)
    case .delete: add(.orphan(stray), .delete, because)
    case .report: add(.orphan(stray), .leave, because)
    case .adopt where stray.place.libraryPath == nil: add(unnameable: stray)
    case .adopt: add(.orphan(stray), .adopt, because)
    }
  }

  /// The download whose missing file this may be, copied to another path: deleting it might delete the only copy.
  private func lostFile(like stray: FoundFile, _ evidence: some CleanupEvidence) throws -> DownloadID? {
    let rows = lostByLength[stray.length] ?? []
    for row in rows {
      guard let sha256 = row.file.sha256 else { return row.download }
      guard let actual = try hashes[stray.place] ?? evidence.sha256(of: stray), actual != sha256 else {
        return row.download
      }
    }
    return try evidence.lostFile(ofLength: stray.length)
  }

  /// A row cannot store the new name of its download's file: changes neither.
  mutating func add(unnameable stray: FoundFile, of row: ExpectedFile) {
    noteFile(of: row)
    keep(row)
    add(
      .orphan(stray), .leave,
      "it is the file of the download \(row.download), under a name that no download could keep; rename it",
      holder: row.download)
  }

  /// A file that may be a download's cannot be read: changes neither.
  mutating func add(unreadable stray: FoundFile, of row: ExpectedFile) {
    noteFile(of: row)
    keep(row)
    add(
      .orphan(stray), .leave, "it may be the file of the download \(row.download), and cannot be read",
      holder: row.download)
  }

  /// A file may be a download's, moved and edited, or one with that file's reused inode: changes neither.
  mutating func add(doubtful stray: FoundFile, of row: ExpectedFile) {
    noteFile(of: row)
    keep(row)
    add(
      .orphan(stray), .leave,
      "it may be the file of the download \(row.download), edited, or what is at \"\(row.file.path)\" may be that; put it "
        + "back or remove it",
      holder: row.download)
  }

  private mutating func add(unnameable stray: FoundFile) {
    add(.orphan(stray), .leave, "its name is none that a download could keep; rename it to have it adopted")
  }

  /// Why a file is the rest of a damaged one that was only marked; nil if it is not, or has been repaired.
  private func remains(_ file: FoundFile, _ evidence: some CleanupEvidence) throws -> String? {
    for former in try evidence.formerFiles(like: file)
    where former.cause == .corrupt && former.file.inode == file.inode && EntryPath(former.file.path) == file.place {
      if let sha256 = former.file.sha256, former.file.length == file.length,
        try evidence.sha256(of: file) == sha256
      {
        return nil
      }
      return "it is what is left of the damaged file of the download \(former.download)"
    }
    return nil
  }

  /// Whether the run may quarantine a damaged file: a person requested the run, with an option that takes files.
  var mayTakeDamaged: Bool { !isStart && options.orphans.mayTake }

  /// A download without a file, to which one may belong.
  private struct Owner {
    var id: DownloadID
    var sha256: String?
    var because: String
    /// Whether the file is back that was missing: a disk or a folder was away. Then the download has it again.
    var isBack = false
  }

  /// The download that had the file.
  ///
  /// What is only offered is offered in any order of files, also beside another file of that download, and in each run:
  /// otherwise this run or the next one would delete what was to stay.
  private func owner(of file: FoundFile, _ evidence: some CleanupEvidence) throws -> Owner? {
    var (sha256, offered): (String??, Owner?) = (nil, nil)
    for former in try evidence.formerFiles(like: file) where former.file.length == file.length {
      let isSameFile = former.isBack(as: file)
      var isBack = isSameFile && former.cause == .missing
      // The content is read before a row records it, even if the inode matches.
      if let wanted = former.file.sha256,
        former.cause == .corrupt || !isSameFile || isBack || options.orphans == .adopt
      {
        let actual = try sha256 ?? evidence.sha256(of: file)
        sha256 = .some(actual)
        guard actual == wanted else { continue }
      } else if !isSameFile, EntryPath(former.file.path) != file.place {
        continue
      } else if former.cause == .corrupt {
        continue
      }
      if isBack || options.orphans == .adopt,
        try adopters.contains(former.download) || !evidence.canAdopt(former.download)
      {
        // A download that has another file by now does not take this one back: adoption makes a new download of it.
        guard options.orphans != .adopt else { continue }
        isBack = false
      }
      let because = isBack ? "it is the file that a download had before it was missing" : former.cause.offer
      let owner = Owner(id: former.download, sha256: former.file.sha256, because: because, isBack: isBack)
      guard isSameFile, former.cause == .missing, !isBack, options.orphans != .adopt else { return owner }
      // A later candidate may be the download whose missing file this is.
      offered = offered ?? owner
    }
    return offered
  }
}

extension FormerFile.Cause {
  fileprivate var offer: String {
    switch self {
    case .missing: "a download had this file before it was missing; it can be adopted"
    case .corrupt: "it has the content that a failed download had; it can be adopted"
    case .kept: "its download was removed, and the file was to stay; it can be adopted"
    }
  }
}
