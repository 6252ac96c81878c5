import Flux

/// Compares rows with the disk, and decides how to resolve the differences. It changes nothing.
///
/// Its inputs are two streams in the byte order of paths, rows and entries, so memory holds only the differences, at
/// most `differenceLimit` of a kind, and the folders.
package struct CleanupPlanner {
  /// Why a plan ends early.
  package enum Failure: Error, Hashable {
    case cancelled
    /// No row has its file, of those that were completed before the library was in doubt: more likely a disk is missing
    /// than all files. The count is that of the rows.
    case everythingGone(Int)
  }

  /// How many differences one run handles; the next one handles the rest.
  package static let differenceLimit = 100_000
  /// How many findings that are only left or offered one run lists.
  package static let leftLimit = 10_000
  /// From this number of completed downloads on, all files missing is no coincidence.
  package static let leastSuspicious = 2

  /// A row whose file is not at its path.
  struct Displaced {
    var row: ExpectedFile
    /// The file at the path instead, if any.
    var found: FoundFile?
    /// Whether the path cannot be read: its file may have been moved, but does not count as missing.
    var isBlocked: Bool
  }

  /// The row that the next entry is compared with.
  private enum NextExpected {
    case unread
    case row(ExpectedFile?)
  }

  private(set) var options: CleanupOptions
  /// Whether the engine started the run itself.
  let isStart: Bool
  /// Since when the library has been in doubt; nil if it is not.
  private let doubtedSince: Timestamp?
  /// Whether no row expects a file.
  private var isEmpty = true
  var displaced: [Displaced] = []
  /// Files that are not their path's row's.
  var strays: [FoundFile] = []
  /// The decided steps, in execution order.
  package private(set) var steps: [CleanupStep] = []
  /// Whether no stray was skipped: a skipped one may be any missing file.
  private var hasAllStrays = true
  /// The downloads that get a file by adoption: at most one each.
  var adopters: Set<DownloadID> = []
  /// Files that no download had, at paths that failed downloads want.
  var wished: [(stray: FoundFile, by: DownloadID)] = []
  private var folders = FolderContents()
  private var nextExpected = NextExpected.unread
  private var leftCount = 0
  /// The contents read for finding missing files, by path: inodes are not known everywhere.
  var hashes: [EntryPath: String] = [:]
  /// Missing files by their lengths: a file of equal length may be one of them.
  var lostByLength: [Int64: [ExpectedFile]] = [:]
  /// Paths that rows keep although their files are not there.
  var kept: Set<EntryPath> = []
  /// The rows of `kept`, by their files' inodes.
  var keptRows: [UInt64: [ExpectedFile]] = [:]
  /// The inodes of files about which something is decided for a row: their other names (link(2)) are left.
  var decided: Set<UInt64> = []
  /// Unreadable paths.
  private var blocked: Set<EntryPath> = []
  /// Whether a file of a row that proves it is there, wherever: then the disk is there.
  private var isDiskThere = false
  /// How many differences were skipped because of the limit.
  package private(set) var passedOver = 0
  /// The size of downloads' files, in bytes.
  package private(set) var mediaBytes: Int64 = 0
  /// The size of all other files, in bytes.
  package private(set) var otherBytes: Int64 = 0

  /// An empty planner.
  ///
  /// - Parameters:
  ///   - options: What becomes of differences.
  ///   - isStart: Whether the engine started the run itself. Then it leaves files as long as no download has any: they
  ///     may be another program's, or belong to lost rows.
  ///   - doubtedSince: See `CleanupRun`.
  package init(_ options: CleanupOptions, isStart: Bool = false, doubtedSince: Timestamp? = nil) {
    self.options = options
    self.isStart = isStart
    self.doubtedSince = doubtedSince
  }

  // MARK: Comparing

  /// Reads both streams to their ends, or `limit` entries further.
  ///
  /// - Returns: whether both are at their ends. If not, call it again with the same streams.
  /// - Throws: `Failure.cancelled`, and the streams' errors.
  @discardableResult
  package mutating func compare(
    rows nextRow: () throws -> ExpectedFile?, entries nextEntry: () throws -> LibraryEntry?,
    evidence: some CleanupEvidence, atMost limit: Int = .max
  ) throws -> Bool {
    var row: ExpectedFile?
    if case .row(let next) = nextExpected { row = next } else { row = try nextRow() }
    var count = 0
    var expected: [ExpectedFile] = []
    while true {
      guard count < limit else {
        nextExpected = .row(row)
        return false
      }
      count += 1
      guard let entry = try nextEntry() else { break }
      guard !evidence.isCancelled else { throw Failure.cancelled }
      folders.count(entry)
      guard case .file(let found) = entry else {
        try note(entry, evidence)
        continue
      }
      while let current = row, current.place < found.place {
        lose(current, found: nil)
        row = try nextRow()
      }
      expected.removeAll(keepingCapacity: true)
      while let current = row, current.place == found.place {
        expected.append(current)
        row = try nextRow()
      }
      guard try !meet(expected, found, evidence) else { continue }
      guard try !evidence.isSidecar(found) else {
        otherBytes = otherBytes.addingClamped(found.length)
        continue
      }
      hasAllStrays = strays.count < Self.differenceLimit
      strays.appendIfRoom(found, passedOver: &passedOver)
      otherBytes = otherBytes.addingClamped(found.length)
    }
    while let current = row {
      lose(current, found: nil)
      row = try nextRow()
    }
    return true
  }

  private mutating func note(_ entry: LibraryEntry, _ evidence: some CleanupEvidence) throws {
    switch entry {
    case .file: break
    case .emptyFolder(let place):
      guard try evidence.hasMade(place) else { return }
      add(.emptyFolder(place), .delete, "it has become empty")
    case .other(let place):
      blocked.insert(place)
      add(.foreign(place), .leave, "it is a link or no file at all; nothing of that kind is followed or touched")
    case .unreadable(let place, let reason):
      blocked.insert(place)
      add(.foreign(place), .leave, "what lies in it cannot be told: \(reason)")
    }
  }

  /// Compares the rows of a path with the file at it.
  ///
  /// - Returns: Whether the file is the file of one of them.
  private mutating func meet(
    _ rows: [ExpectedFile], _ found: FoundFile, _ evidence: some CleanupEvidence
  ) throws -> Bool {
    guard let first = rows.first else { return false }
    isEmpty = false
    if rows.count == 1, first.isCompleted, first.file.claims(found) {
      try meet(first, found, evidence)
      return true
    }
    let owners = try owners(of: found, among: rows.filter(\.isCompleted), evidence)
    for row in rows where row.isCompleted {
      if owners.contains(row.download) { try meet(row, found, evidence) } else { lose(row, found: found) }
    }
    return !owners.isEmpty || rows.contains { !$0.isCompleted }
  }

  /// Compares a row with its file.
  private mutating func meet(
    _ row: ExpectedFile, _ found: FoundFile, _ evidence: some CleanupEvidence
  ) throws {
    noteFile(of: row)
    mediaBytes = mediaBytes.addingClamped(found.length)
    let isTouched = row.file.hasOtherTime(than: found)
    guard let sha256 = row.file.sha256 else {
      if isTouched { try judge(row, found, "another program has written to it since", evidence) }
      return
    }
    guard options.isDeep || isTouched else { return }
    switch try evidence.sha256(of: found) {
    case sha256:
      guard isTouched, let file = found.published(sha256: sha256) else { break }
      add(.modified(row.download, from: row.file, to: file), .follow, "its time was set, and its content is the same")
    case nil:
      add(
        .foreign(found.place), .leave, "it is the file of the download \(row.download), and its content cannot be read",
        holder: row.download)
    case let actual?:
      hashes[found.place] = actual
      try judge(row, found, row.file.difference(from: found), evidence)
    }
  }

  private mutating func lose(_ row: ExpectedFile, found: FoundFile?) {
    isEmpty = false
    guard row.isCompleted else { return }
    let lost = Displaced(row: row, found: found, isBlocked: isBlocked(row.place))
    displaced.appendIfRoom(lost, passedOver: &passedOver)
  }

  /// Whether a link or an unreadable folder is on a path, or at it.
  private func isBlocked(_ place: EntryPath) -> Bool {
    guard !blocked.isEmpty else { return false }
    return blocked.contains(place)
      || place.bytes.indices.contains { index in
        place.bytes[index] == UInt8(ascii: "/") && blocked.contains(EntryPath(bytes: Array(place.bytes[..<index])))
      }
  }

  /// Whether files are missing: then the survey lists everything once more. A folder that is renamed during a listing
  /// may escape it.
  package var missesFiles: Bool { !displaced.isEmpty }

  /// Searches a second listing for missing files at any path: all of it, or `limit` entries more.
  ///
  /// - Returns: whether the listing is at its end. If not, call it again with the same one.
  @discardableResult
  package mutating func lookAgain(
    entries nextEntry: () throws -> LibraryEntry?, evidence: some CleanupEvidence, atMost limit: Int = .max
  ) throws -> Bool {
    let missed = Set(displaced.map(\.row.file.inode)).subtracting([FoundFile.unknownInode])
    let known = Set(strays.map(\.inode))
    let lost = Dictionary(displaced.map { ($0.row.place, [$0.row]) }, uniquingKeysWith: +)
    defer { strays.sort { $0.place < $1.place } }
    var count = 0
    while true {
      guard count < limit else { return false }
      count += 1
      guard let entry = try nextEntry() else { return true }
      guard !evidence.isCancelled else { throw Failure.cancelled }
      guard case .file(let found) = entry, missed.contains(found.inode), !known.contains(found.inode) else { continue }
      // The inode of a missing file may have been reused: the file is another row's, which has met it.
      let isReturned =
        try lost[found.place]?.contains { row in
          try found.isKnown(as: row.file) && !evidence.isClaimed(found, otherThanBy: row.download)
        } ?? false
      guard try isReturned || evidence.name(of: found) == .free, try !evidence.isSidecar(found) else { continue }
      strays.append(found)
      otherBytes = otherBytes.addingClamped(found.length)
    }
  }

  // MARK: Deciding

  /// Decides about the files, after all of them have been compared.
  ///
  /// - Throws: `Failure`, and the evidence's errors.
  package mutating func decide(_ evidence: some CleanupEvidence) throws {
    if isStart, isEmpty { options.orphans = .report }
    let secondNames = try takeSecondNames(evidence)
    try findMoved(evidence)
    let unreachable = displaced.filter(\.isBlocked).map(\.row)
    for row in unreachable { keep(row) }
    displaced.removeAll(where: \.isBlocked)
    var missing: [Displaced] = []
    var taken: Set<Int> = []
    // If several rows have one path, the file there belongs to the latest row with its inode.
    let isOwn = { (lost: Displaced) in lost.found?.isKnown(as: lost.row.file) ?? false }
    let own = displaced.filter(isOwn).sorted {
      $0.row.place == $1.row.place ? $1.row.isEarlier(than: $0.row) : $0.row.place < $1.row.place
    }
    for lost in own + displaced.filter({ !isOwn($0) }) {
      // A second name (link(2)) of another download's file is not an edit of this download's, nor of one that another
      // download follows now.
      if let found = lost.found, let index = strays.firstIndex(at: found.place), !taken.contains(index),
        found.inode == FoundFile.unknownInode || !decided.contains(found.inode),
        try !evidence.isNeeded(found, otherThanBy: lost.row.download)
      {
        taken.insert(index)
        if found.inode != FoundFile.unknownInode { decided.insert(found.inode) }
        try judge(lost.row, found, lost.row.file.difference(from: found), evidence)
      } else {
        missing.append(lost)
      }
    }
    try checkNotEverything(isGone: missing.count { proves($0.row) })
    lostByLength = Dictionary(grouping: missing.map(\.row) + unreachable, by: \.file.length)
    if hasAllStrays {
      for lost in missing { decide(missing: lost) }
    } else {
      passedOver += missing.count
      for lost in missing { keep(lost.row) }
    }
    for name in secondNames { leave(secondName: name) }
    for (index, stray) in strays.enumerated() where !taken.contains(index) {
      guard !evidence.isCancelled else { throw Failure.cancelled }
      try decide(stray: stray, evidence)
    }
    try decideWished(evidence)
    (displaced, strays, hashes) = ([], [], [:])
    leaveKept()
    try emptyFolders(evidence)
  }

  /// Whether a row tells of the disk of all files: one that was completed after a run was refused may be where nothing
  /// else is mounted.
  private func proves(_ row: ExpectedFile) -> Bool {
    guard let doubtedSince, let finished = row.finished else { return true }
    return finished < doubtedSince
  }

  /// A file is there that is a row's or may be: as it was, moved, edited or damaged.
  mutating func noteFile(of row: ExpectedFile) {
    if proves(row) { isDiskThere = true }
  }

  private func checkNotEverything(isGone missing: Int) throws {
    guard isDiskThere || missing < Self.leastSuspicious else { throw Failure.everythingGone(missing) }
  }

  /// The folders that the steps leave empty, inner ones first.
  private mutating func emptyFolders(_ evidence: some CleanupEvidence) throws {
    for folder in folders.emptied(by: steps) where try evidence.hasMade(folder) {
      add(.emptyFolder(folder), .delete, "nothing is left in it")
    }
  }

  private mutating func decide(missing lost: Displaced) {
    let decision: CleanupStep.Decision =
      switch options.missing {
      case .forget: .forget
      case .redownload: .redownload
      case .mark: .mark
      }
    // The step names another download's file that stands there with this one's inode number, to tell the two apart.
    let other = lost.found.flatMap { $0.canBe(lost.row.file) ? $0 : nil }
    add(.missing(lost.row.download, lost.row.file, instead: other), decision, "its file is gone")
  }

  // MARK: Steps

  /// A stray belongs to a download.
  mutating func note(followed file: FoundFile) {
    mediaBytes = mediaBytes.addingClamped(file.length)
    otherBytes = otherBytes.addingClamped(-file.length)
  }

  mutating func add(
    _ finding: CleanupStep.Finding, _ decision: CleanupStep.Decision, _ because: String, holder: DownloadID? = nil
  ) {
    // Findings without an action must not displace actions.
    let isInRoom = decision.isAct ? steps.count - leftCount < Self.differenceLimit : leftCount < Self.leftLimit
    guard isInRoom else {
      passedOver += 1
      return
    }
    if !decision.isAct { leftCount += 1 }
    steps.append(CleanupStep(finding: finding, decision: decision, because: because, holder: holder))
  }

  /// A step is not taken, and the place of its file stays as it is.
  mutating func leave(_ index: Int, _ because: String, _ places: inout [EntryPath]) {
    steps[index].decision = .leave
    steps[index].status = .left
    steps[index].because += "; \(because)"
    steps[index].finding.place.map { places.append($0) }
  }

  mutating func add(corrupt row: ExpectedFile, _ found: FoundFile, _ because: String) {
    let decision: CleanupStep.Decision =
      options.missing == .redownload ? .redownload : mayTakeDamaged ? .quarantine : .mark
    noteFile(of: row)
    add(.corrupt(row.download, row.file, found: found), decision, because)
  }
}

extension Array {
  fileprivate mutating func appendIfRoom(_ element: Element, passedOver: inout Int) {
    if count < CleanupPlanner.differenceLimit { append(element) } else { passedOver += 1 }
  }
}

extension [FoundFile] {
  /// The index of the file at a path; the files are in the order of paths.
  fileprivate func firstIndex(at place: EntryPath) -> Int? {
    var range = indices
    while !range.isEmpty {
      let middle = range.lowerBound + range.count / 2
      if self[middle].place < place {
        range = (middle + 1)..<range.upperBound
      } else {
        range = range.lowerBound..<middle
      }
    }
    return indices.contains(range.lowerBound) && self[range.lowerBound].place == place ? range.lowerBound : nil
  }
}
