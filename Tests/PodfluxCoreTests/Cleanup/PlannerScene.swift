import Flux
import Testing

@testable import PodfluxCore

/// Rows and files in memory, with the planner's evidence.
final class PlannerScene: CleanupEvidence {
  var rows: [ExpectedFile] = []
  var entries: [(place: EntryPath, entry: LibraryEntry)] = []
  /// Contents by inode.
  var contents: [UInt64: String] = [:]
  var formers: [FormerFile] = []
  var wishes: [EntryPath: DownloadID] = [:]
  var restored: Set<FoundFile> = []
  var folders: Set<EntryPath> = []
  /// Where sidecars lie.
  var sidecars: Set<EntryPath> = []
  /// The inodes of files that are media; nil means unreadable.
  var media: [UInt64: Bool?] = [:]
  /// When files were created, by inode.
  var births: [UInt64: Timestamp] = [:]
  /// When files were last changed, by inode.
  var changes: [UInt64: Timestamp] = [:]
  /// Lengths of missing files with unknown content.
  var lostLengths: [Int64: DownloadID] = [:]
  /// How many checks for cancellation return false; nil for all.
  var patience: Int?
  /// The files that were read, in order.
  private(set) var read: [FoundFile] = []
  private(set) var planner = CleanupPlanner(.init())

  // MARK: Given

  /// Adds a row and its file.
  func present(
    _ name: String, at path: String, length: Int64 = 10, inode: UInt64, content: String? = nil
  ) throws -> PublishedFile {
    let file = try row(name, at: path, length: length, inode: inode, content: content)
    found(path, length: length, inode: inode, content: content)
    return file
  }

  /// Adds a row without a file.
  @discardableResult
  func row(
    _ name: String, at path: String, length: Int64 = 10, inode: UInt64, content: String? = nil,
    isCompleted: Bool = true, time: Int64? = nil
  ) throws -> PublishedFile {
    let file = PublishedFile(
      path: try LibraryPath(validating: path), length: length, inode: inode, sha256: content.map(Self.sha256),
      modifiedNanoseconds: time)
    rows.append(ExpectedFile(download: try .named(name), file: file, isCompleted: isCompleted))
    return file
  }

  /// Adds a file without a row.
  @discardableResult
  func found(
    _ path: String, length: Int64 = 10, inode: UInt64, content: String? = nil, time: Int64? = nil
  ) -> FoundFile {
    let file = FoundFile(
      place: EntryPath(bytes: Array(path.utf8)), length: length, inode: inode, modifiedNanoseconds: time)
    add(file, content: content)
    return file
  }

  func add(_ file: FoundFile, content: String? = nil) {
    entries.append((file.place, .file(file)))
    contents[file.inode] = content
  }

  func add(_ path: String, _ entry: (EntryPath) -> LibraryEntry) {
    let place = EntryPath(bytes: Array(path.utf8))
    entries.append((place, entry(place)))
  }

  func former(
    _ name: String, _ path: String, length: Int64 = 10, inode: UInt64, content: String? = nil, _ cause: FormerFile.Cause
  ) throws {
    let file = PublishedFile(
      path: try LibraryPath(validating: path), length: length, inode: inode, sha256: content.map(Self.sha256))
    formers.append(FormerFile(download: try .named(name), address: try .on("a.example"), file: file, cause: cause))
  }

  /// 64 digits that differ for different contents.
  static func sha256(of content: String) -> String {
    let digits = content.utf8.map { String($0, radix: 16) }.joined()
    return String((digits + String(repeating: "0", count: 64)).prefix(64))
  }

  // MARK: When

  /// Reads both streams in order, and decides.
  @discardableResult
  func plan(
    _ options: CleanupOptions = .init(orphans: .quarantine), isStart: Bool = false, doubtedSince: Timestamp? = nil,
    listedAgain: [FoundFile]? = nil
  ) throws -> [CleanupStep] {
    var rows = rows.sorted { $0.place < $1.place }[...]
    var entries = entries.sorted { $0.place < $1.place }.map(\.entry)[...]
    planner = CleanupPlanner(options, isStart: isStart, doubtedSince: doubtedSince)
    try planner.compare(rows: { rows.popFirst() }, entries: { entries.popFirst() }, evidence: self)
    if let listedAgain {
      var again = listedAgain[...]
      try planner.lookAgain(entries: { again.popFirst().map(LibraryEntry.file) }, evidence: self)
    }
    try planner.decide(self)
    return planner.steps
  }

  /// The decisions: the kind of each difference, the decision, and the path.
  func decisions(_ options: CleanupOptions = .init(orphans: .quarantine)) throws -> [String] {
    try plan(options).map { step in
      let to = step.finding.destination.map { " to \($0)" } ?? ""
      return "\(step.finding.kind.rawValue) \(step.finding.place?.text ?? "-")\(to): \(step.decision.rawValue)"
    }
  }

  // MARK: Evidence

  var isCancelled: Bool {
    guard let left = patience else { return false }
    patience = left - 1
    return left <= 0
  }

  func sha256(of file: FoundFile) throws -> String? {
    read.append(file)
    return contents[file.inode].map(Self.sha256)
  }

  func formerFiles(like file: FoundFile) throws -> [FormerFile] {
    formers.filter { EntryPath($0.file.path) == file.place }
      + formers.filter { $0.file.length == file.length && $0.file.sha256 != nil }
  }

  func failedDownload(wanting place: EntryPath) throws -> DownloadID? { wishes[place] }
  func canAdopt(_ owner: DownloadID) throws -> Bool { !rows.contains { $0.download == owner } }
  func isNeeded(_ file: FoundFile, otherThanBy id: DownloadID?) throws -> Bool { isClaimed(file, otherThanBy: id) }
  func isClaimed(_ file: FoundFile, otherThanBy id: DownloadID?) -> Bool {
    rows.contains { $0.download != id && $0.file.claims(file) }
  }
  func name(of file: FoundFile) throws -> FileName {
    FileName.of(file, expected: rows.map(\.file).filter(file.isKnown)) { path in
      entries.contains { place, entry in
        guard place == EntryPath(path), case .file(let found) = entry else { return false }
        return found.inode == file.inode && found.length == file.length
      }
    }
  }
  func likeness(of file: FoundFile) throws -> MediaCheck.Likeness? {
    (media[file.inode] ?? false).map { $0 ? .media : .other }
  }
  func existed(_ file: FoundFile, at moment: Timestamp) throws -> Bool? { births[file.inode].map { $0 <= moment } }
  func changed(_ file: FoundFile) throws -> Timestamp? { changes[file.inode] }
  func lostFile(ofLength length: Int64) throws -> DownloadID? { lostLengths[length] }
  func isRestored(_ file: FoundFile) throws -> Bool { restored.contains(file) }
  func hasMade(_ folder: EntryPath) throws -> Bool { folders.contains(folder) }
  func isSidecar(_ file: FoundFile) throws -> Bool { sidecars.contains(file.place) }
}
