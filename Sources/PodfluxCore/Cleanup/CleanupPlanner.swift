import Flux

/// Where the planner looks when names and lengths do not tell.
public protocol CleanupEvidence {
  /// Whether the run has been cancelled; asked now and then.
  var isCancelled: Bool { get }
  /// The SHA-256 of a file's content, in hexadecimal digits; nil if it cannot be read, is not that file any more, or was
  /// written to since it was found: what is read is judged by the time that was found.
  func sha256(of file: FoundFile) throws -> String?
  /// The files of this place that downloads had, or wish to have, and those of this length whose SHA-256 is known.
  func formerFiles(like file: FoundFile) throws -> [FormerFile]
  /// A failed download that is to get its file at this place, and does not have it.
  func failedDownload(wanting place: EntryPath) throws -> DownloadID?
  /// Whether this download could have a file adopted: it has failed, or there is none of this name.
  func canAdopt(_ owner: DownloadID) throws -> Bool
  /// Whether a file is that of another download than this one, or of any, wherever that one's row says it is.
  func isNeeded(_ file: FoundFile, otherThanBy id: DownloadID?) throws -> Bool
  /// What a file looks like; nil if it cannot be read, is not that file any more, or was written to since it was found.
  func likeness(of file: FoundFile) throws -> MediaCheck.Likeness?
  /// Whether a file was there already at a moment; nil where the file system does not know.
  func existed(_ file: FoundFile, at moment: Timestamp) throws -> Bool?
  /// A download that was given up, or failed, because its file of this length was gone, if nobody knows what that held.
  func lostFile(ofLength length: Int64) throws -> DownloadID?
  /// Whether a person has put this file back from quarantine.
  func isRestored(_ file: FoundFile) throws -> Bool
  /// Whether the engine has made this folder.
  func hasMade(_ folder: EntryPath) throws -> Bool
}

/// Compares what rows say with what is on the disk, and decides what to do about the differences. It changes nothing.
///
/// Rows and entries are taken in as two streams in the byte order of their places, so that memory holds nothing but the
/// differences, at most `differenceLimit` of a kind, and the folders.
public struct CleanupPlanner {
  /// Why a plan ends before it is whole.
  public enum Failure: Error, Hashable {
    /// The run has been cancelled.
    case cancelled
    /// There are files for no row at all, which means more likely that a disk is missing than that all files are.
    case everythingGone(Int)
  }

  /// How many differences one run takes up; the next one takes up the rest.
  public static let differenceLimit = 100_000
  /// How many of those that are only left, or offered, one run tells one by one.
  public static let leftLimit = 10_000
  /// From how many completed downloads on it is no coincidence that all their files are gone.
  public static let leastSuspicious = 2

  /// A row whose file is not what stands at its place.
  struct Displaced {
    var row: ExpectedFile
    /// What stands there instead, if it is a file.
    var found: FoundFile?
    /// Whether nothing can be told of its place: its file may have been moved, but it is not missing.
    var isBlocked: Bool
  }

  /// The row that the next entry is compared with.
  private enum NextExpected {
    case unread
    case row(ExpectedFile?)
  }

  private(set) var options: CleanupOptions
  /// Whether nobody has asked for this run.
  let isStart: Bool
  /// Whether no row has a file.
  private var isEmpty = true
  var displaced: [Displaced] = []
  /// Files that are not those of the rows of their places.
  var strays: [FoundFile] = []
  /// The steps that have been decided on, in the order in which they are to be taken.
  public private(set) var steps: [CleanupStep] = []
  /// Whether no file was passed over: one that was may be any that is missed.
  private var hasAllStrays = true
  /// The downloads that get a file by adoption: each gets one.
  var adopters: Set<DownloadID> = []
  private var folders = FolderContents()
  private var nextExpected = NextExpected.unread
  private var leftCount = 0
  /// The contents that were read to find lost files, by place: inodes are not known everywhere.
  var hashes: [EntryPath: String] = [:]
  /// Lost files by their lengths: what is as long may be one of them.
  var lostByLength: [Int64: [ExpectedFile]] = [:]
  /// Places that rows keep although their files are not there.
  var kept: Set<EntryPath> = []
  /// Places under which nothing can be told.
  private var blocked: Set<EntryPath> = []
  var presentCount = 0
  /// How many differences were passed over because there were too many.
  public private(set) var passedOver = 0
  /// Bytes of files that downloads have.
  public private(set) var mediaBytes: Int64 = 0
  /// Bytes of all other files.
  public private(set) var otherBytes: Int64 = 0

  /// Makes a planner that has seen nothing.
  ///
  /// - Parameter isStart: Whether nobody has asked for the run. Then files are left where they are as long as no download
  ///   has any: they may be another program's, or those of rows that somebody has lost.
  public init(_ options: CleanupOptions, isStart: Bool = false) {
    self.options = options
    self.isStart = isStart
  }

  // MARK: Comparing

  /// Takes both streams to their ends, or so many entries further.
  ///
  /// - Returns: whether both are at their ends. Otherwise it is to be called again with the same streams.
  /// - Throws: `Failure.cancelled`, and whatever the streams throw.
  @discardableResult
  public mutating func compare(
    rows nextRow: () throws -> ExpectedFile?, entries nextEntry: () throws -> LibraryEntry?,
    evidence: some CleanupEvidence, atMost limit: Int = .max
  ) throws -> Bool {
    var row: ExpectedFile?
    if case .row(let next) = nextExpected { row = next } else { row = try nextRow() }
    var count = 0
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
      var isOwned = false
      while let current = row, current.place == found.place {
        isOwned = try meet(current, found, evidence) || isOwned
        row = try nextRow()
      }
      guard !isOwned else { continue }
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

  /// - Returns: whether the file is the row's.
  private mutating func meet(
    _ row: ExpectedFile, _ found: FoundFile, _ evidence: some CleanupEvidence
  ) throws -> Bool {
    isEmpty = false
    guard row.isCompleted else { return true }
    guard found.canBe(row.file), found.length == row.file.length else {
      lose(row, found: found)
      return false
    }
    presentCount += 1
    mediaBytes = mediaBytes.addingClamped(found.length)
    let isTouched = row.file.hasOtherTime(than: found)
    guard let sha256 = row.file.sha256 else {
      if isTouched { try judge(row, found, "somebody has written to it since", evidence) }
      return true
    }
    guard options.isDeep || isTouched else { return true }
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
    return true
  }

  private mutating func lose(_ row: ExpectedFile, found: FoundFile?) {
    isEmpty = false
    guard row.isCompleted else { return }
    let lost = Displaced(row: row, found: found, isBlocked: isBlocked(row.place))
    displaced.appendIfRoom(lost, passedOver: &passedOver)
  }

  /// Whether a link or an unreadable folder is on the way to a place, or at it.
  private func isBlocked(_ place: EntryPath) -> Bool {
    guard !blocked.isEmpty else { return false }
    return blocked.contains(place)
      || place.bytes.indices.contains { index in
        place.bytes[index] == UInt8(ascii: "/") && blocked.contains(EntryPath(bytes: Array(place.bytes[..<index])))
      }
  }

  /// Whether files are missed: then everything is to be listed once more. Whoever renames a folder while it is listed
  /// may hide it from a single look.
  public var missesFiles: Bool { !displaced.isEmpty }

  /// Looks for missed files in a second listing, wherever they are by now: in all of it, or in so many entries more.
  ///
  /// - Returns: whether the listing is at its end. Otherwise it is to be called again with the same one.
  @discardableResult
  public mutating func lookAgain(
    entries nextEntry: () throws -> LibraryEntry?, evidence: some CleanupEvidence, atMost limit: Int = .max
  ) throws -> Bool {
    let missed = Set(displaced.map(\.row.file.inode)).subtracting([FoundFile.unknownInode])
    let known = Set(strays.map(\.inode))
    defer { strays.sort { $0.place < $1.place } }
    var count = 0
    while true {
      guard count < limit else { return false }
      count += 1
      guard let entry = try nextEntry() else { return true }
      guard !evidence.isCancelled else { throw Failure.cancelled }
      guard case .file(let found) = entry, missed.contains(found.inode), !known.contains(found.inode) else { continue }
      strays.append(found)
      otherBytes = otherBytes.addingClamped(found.length)
    }
  }

  // MARK: Deciding

  /// Decides about the files, once all of them have been compared.
  ///
  /// - Throws: `Failure`, and what the evidence throws.
  public mutating func decide(_ evidence: some CleanupEvidence) throws {
    if isStart, isEmpty { options.orphans = .report }
    try findMoved(evidence)
    for lost in displaced where lost.isBlocked { kept.insert(lost.row.place) }
    displaced.removeAll(where: \.isBlocked)
    var missing: [Displaced] = []
    var taken: Set<Int> = []
    // Of several rows of one place, what stands there is that of the row that knows its inode.
    let isOwn = { (lost: Displaced) in lost.found?.isKnown(as: lost.row.file) ?? false }
    for lost in displaced.filter(isOwn) + displaced.filter({ !isOwn($0) }) {
      // Another download's file, under a second name (link(2)), is not what has become of this one's.
      if let found = lost.found, let index = strays.firstIndex(at: found.place), !taken.contains(index),
        try !evidence.isNeeded(found, otherThanBy: lost.row.download)
      {
        taken.insert(index)
        try judge(lost.row, found, lost.row.file.difference(from: found), evidence)
      } else {
        missing.append(lost)
      }
    }
    let found: Set<CleanupStep.Finding.Kind> = [.moved, .modified, .corrupt]
    let total = missing.count + presentCount + steps.count { found.contains($0.finding.kind) }
    guard missing.count < total || missing.count < Self.leastSuspicious else {
      throw Failure.everythingGone(missing.count)
    }
    lostByLength = Dictionary(grouping: missing.map(\.row), by: \.file.length)
    if hasAllStrays {
      for lost in missing { decide(missing: lost.row) }
    } else {
      passedOver += missing.count
      kept.formUnion(missing.map(\.row.place))
    }
    for (index, stray) in strays.enumerated() where !taken.contains(index) {
      guard !evidence.isCancelled else { throw Failure.cancelled }
      try decide(stray: stray, evidence)
    }
    (displaced, strays, hashes) = ([], [], [:])
    leaveKept()
    try emptyFolders(evidence)
  }

  /// A row keeps its place: then no other's follows its file there, and keeps its own place too. One file is never two
  /// downloads'.
  private mutating func leaveKept() {
    guard !kept.isEmpty else { return }
    var followers: [EntryPath: [Int]] = [:]
    for (index, step) in steps.enumerated() where step.decision == .follow {
      guard let target = step.finding.destination else { continue }
      followers[EntryPath(target), default: []].append(index)
    }
    var places = Array(kept)
    while let place = places.popLast() {
      for index in followers.removeValue(forKey: place) ?? [] {
        steps[index].decision = .leave
        steps[index].status = .left
        steps[index].because += "; another download's row has that place, and its own file cannot be told"
        steps[index].finding.place.map { places.append($0) }
      }
    }
  }

  /// Folders in which the steps leave nothing, those inside others first.
  private mutating func emptyFolders(_ evidence: some CleanupEvidence) throws {
    for folder in folders.emptied(by: steps) where try evidence.hasMade(folder) {
      add(.emptyFolder(folder), .delete, "nothing is left in it")
    }
  }

  private mutating func decide(missing row: ExpectedFile) {
    let decision: CleanupStep.Decision =
      switch options.missing {
      case .forget: .forget
      case .redownload: .redownload
      case .mark: .mark
      }
    add(.missing(row.download, row.file), decision, "its file is gone")
  }

  // MARK: Steps

  /// A stray has turned out to be a download's.
  mutating func note(followed file: FoundFile) {
    mediaBytes = mediaBytes.addingClamped(file.length)
    otherBytes = otherBytes.addingClamped(-file.length)
  }

  mutating func add(
    _ finding: CleanupStep.Finding, _ decision: CleanupStep.Decision, _ because: String, holder: DownloadID? = nil
  ) {
    // What is only told must not keep out what is to be done.
    let isInRoom = decision.isAct ? steps.count - leftCount < Self.differenceLimit : leftCount < Self.leftLimit
    guard isInRoom else {
      passedOver += 1
      return
    }
    if !decision.isAct { leftCount += 1 }
    steps.append(CleanupStep(finding: finding, decision: decision, because: because, holder: holder))
  }

  mutating func add(corrupt row: ExpectedFile, _ found: FoundFile, _ because: String) {
    let decision: CleanupStep.Decision =
      options.missing == .redownload ? .redownload : mayTakeDamaged ? .quarantine : .mark
    add(.corrupt(row.download, row.file, found: found), decision, because)
  }
}

extension Array {
  fileprivate mutating func appendIfRoom(_ element: Element, passedOver: inout Int) {
    if count < CleanupPlanner.differenceLimit { append(element) } else { passedOver += 1 }
  }
}

extension [FoundFile] {
  /// The index of the file at a place; they are in the order of their places.
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
