import Flux
import Foundation
import PodfluxClient
import PodfluxCore
import PodfluxPeople

/// The files of downloads that a command removes. The engine deletes them after its answer: this looks whether it
/// could.
struct RemovedFiles {
  /// A file as it was before its removal: later another file may get its path.
  fileprivate struct File {
    let download: DownloadID
    let path: String
    /// Nil where it cannot be read: then the file counts as there as long as nothing tells that it is not.
    let status: stat?
    /// Whether the file seems to differ from the one that the engine has recorded.
    let isChanged: Bool

    init?(of item: DownloadItem, in library: String) throws {
      guard item.state == .completed, let id = DownloadID(item.id), let path = item.path else { return nil }
      var status = stat()
      let isRead = lstat("\(library)/\(path)", &status) == 0
      guard isRead || !Self.tellsOfAbsence(errno) else { return nil }
      (download, self.path, self.status) = (id, "\(library)/\(path)", isRead ? status : nil)
      isChanged = try isRead && Self.isChanged(status, from: item)
      if isRead, let finished = item.dates.finished { isDoubtful = Timestamp(status.st_ctim) > finished }
    }

    /// A file gets its episode's date, or that of its download, when it gets its name.
    private static func isChanged(_ status: stat, from item: DownloadItem) throws -> Bool {
      // A tagged file has another length than the downloaded bytes.
      let length = try item.json.object("tagged")?.integer("length") ?? item.bytes.total
      if let length, length != Int64(status.st_size) { return true }
      guard let finished = item.dates.finished else { return false }
      return FoundFile.isChange(at: Timestamp(status.st_mtim), after: finished)
    }

    /// Whether the file's content, names or permissions were changed after its download's end: then the engine may find
    /// a change and keep the file. A renaming by the engine changes that time (st_ctim), too.
    private(set) var isDoubtful = false

    var isThere: Bool {
      var present = stat()
      guard lstat(path, &present) == 0 else { return !Self.tellsOfAbsence(errno) }
      guard let status else { return true }
      return present.st_ino == status.st_ino && present.st_dev == status.st_dev
    }

    /// Whether an error says that no file has the path.
    private static func tellsOfAbsence(_ code: Int32) -> Bool { code == ENOENT || code == ENOTDIR }
  }

  /// How many files that stay are named.
  static let namedFiles = 10
  /// How often it is looked whether more files are gone, and the time between two looks: for two seconds in vain.
  private static let (looks, milliseconds) = (40, 50)

  private var files: [File] = []
  /// Whether a file was not where the engine that was running before had seen it last: a person may have moved it.
  private(set) var lackOne = false

  /// The number of files.
  var count: Int { files.count }

  /// Looks at the files of downloads, and keeps nothing else of the downloads.
  init(of downloads: [DownloadID], with access: EngineAccess) throws {
    let fields: Set<ItemField> = [.id, .state, .path, .bytes, .tagged, .finishedAt]
    try access.connection.forEachDownload(of: downloads, fields: fields) { item in
      if let file = try File(of: item, in: access.library) {
        files.append(file)
      } else if !access.isOwn, !lackOne, let path = item.path {
        lackOne = access.isGone(path)
      }
      return true
    }
  }

  /// The downloads whose files another program has changed since they were completed, as far as lengths and times tell.
  /// The engine deletes what it knows only: it has to look at these first.
  var changed: [DownloadID] { files.filter(\.isChanged).map(\.download) }

  /// A file that is still there.
  struct Remaining {
    let path: String
    /// Whether another program has changed it, so that the engine leaves it.
    let isChanged: Bool

    /// Whether it may have been.
    let isDoubtful: Bool

    fileprivate init(_ file: File) {
      (path, isChanged, isDoubtful) = (file.path, file.isChanged, file.isDoubtful)
    }

    /// Why the file stays, in a sentence.
    var words: String {
      if isChanged { return "\(path) is no longer what was downloaded, and stays; podflux clean --plan shows it" }
      if isDoubtful {
        return
          "\(path) could not be deleted, or is no longer what was downloaded and stays; podflux clean --plan shows it"
      }
      return "\(path) could not be deleted; the engine tries again each day, and at its next start"
    }
  }

  /// Waits until all files are gone, or none has gone for some time. Returns those that are still there.
  mutating func remaining(signals: CommandSignals) -> [DownloadID: Remaining] {
    var (look, number) = (0, files.count)
    while true {
      files.removeAll { !$0.isThere }
      if files.count < number { (look, number) = (0, files.count) }
      look += 1
      if files.isEmpty || look > Self.looks || signals.comes(withinMilliseconds: Self.milliseconds) {
        return Dictionary(files.map { ($0.download, Remaining($0)) }) { first, _ in first }
      }
    }
  }
}

extension EngineAccess {
  /// How often files that stay, and whose downloads do, too, are waited for.
  private static let removalRounds = 3

  /// The files of removed downloads that are still there: how many, and which of them have no download any more, by
  /// path. The others are to go yet, or are those of episodes of another feed too.
  func remaining(of files: RemovedFiles) throws -> (number: Int, left: [RemovedFiles.Remaining]) {
    var files = files
    var (number, left): (Int, [DownloadID: RemovedFiles.Remaining]) = (0, [:])
    // A busy engine may not have come to them yet.
    for _ in 0..<Self.removalRounds {
      left = files.remaining(signals: signals)
      number = left.count
      guard number > 0 else { return (0, []) }
      let items = try connection.downloads(left.keys.sorted())
      for item in items { if let id = DownloadID(item.id) { left[id] = nil } }
      if items.isEmpty || signals.areStopping { break }
    }
    return (number, left.values.sorted { $0.path < $1.path })
  }
}

extension Timestamp {
  /// A file's time (stat(2)), rounded down to the millisecond, and clamped: file systems store any time.
  fileprivate init(_ time: timespec) {
    let (whole, isTooMuch) = Int64(time.tv_sec).multipliedReportingOverflow(by: 1000)
    let limit: Int64 = time.tv_sec < 0 ? .min : .max
    self.init(milliseconds: isTooMuch ? limit : whole.addingClamped(Int64(time.tv_nsec) / 1_000_000))
  }
}
