import Foundation
import PodfluxClient
import PodfluxCore

/// The files of downloads that a command removes. The engine deletes them after its answer: this looks whether it could.
struct RemovedFiles {
  /// A file as it is before it is removed: another one may get its path.
  private struct File {
    let download: DownloadID
    let path: String
    let status: stat

    init?(of download: DownloadID, at path: String) {
      var status = stat()
      guard lstat(path, &status) == 0 else { return nil }
      (self.download, self.path, self.status) = (download, path, status)
    }

    var isThere: Bool {
      var present = stat()
      return lstat(path, &present) == 0 && present.st_ino == status.st_ino && present.st_dev == status.st_dev
    }
  }

  /// How many files that stay are named.
  static let namedFiles = 10
  /// How often it is looked whether more files are gone, and the time between two looks: for two seconds in vain.
  private static let (looks, milliseconds) = (40, 50)

  private var files: [File]

  /// Looks at the files.
  init(of items: [DownloadItem], in library: String) {
    files = items.compactMap { item in
      guard item.state == .completed, let id = DownloadID(item.id), let path = item.path else { return nil }
      return File(of: id, at: "\(library)/\(path)")
    }
  }

  /// Waits until all files are gone, or none has gone for some time. Returns the paths of those that are still
  /// there.
  mutating func remaining(signals: CommandSignals) -> [DownloadID: String] {
    var (look, number) = (0, files.count)
    while true {
      files.removeAll { !$0.isThere }
      if files.count < number { (look, number) = (0, files.count) }
      look += 1
      if files.isEmpty || look > Self.looks || signals.comes(withinMilliseconds: Self.milliseconds) {
        return Dictionary(files.map { ($0.download, $0.path) }) { first, _ in first }
      }
    }
  }
}
