import Flux

/// A file that a download had and no longer has; it may still exist.
package struct FormerFile: Hashable, Sendable {
  /// Why the download no longer has it.
  package enum Cause: String, Hashable, Sendable, CaseIterable {
    /// A cleanup found it missing.
    case missing
    /// Its content differed from the downloaded one.
    case corrupt
    /// A client removed the download and kept the file.
    case kept
  }

  package var download: DownloadID
  /// The address from which it came.
  package var address: WebAddress
  package var file: PublishedFile
  package var cause: Cause
  /// The title of its download.
  package var title: String?
  /// The date of its download.
  package var published: Timestamp?
  /// Who wanted its download; nil if that is not known.
  package var origin: Origin?

  package init(
    download: DownloadID, address: WebAddress, file: PublishedFile, cause: Cause, title: String? = nil,
    published: Timestamp? = nil, origin: Origin? = nil
  ) {
    self.download = download
    self.address = address
    self.file = file
    self.cause = cause
    self.title = title
    self.published = published
    self.origin = origin
  }

  /// A file of this download.
  init(of download: Download, _ file: PublishedFile, _ cause: Cause) {
    self.init(
      download: download.id, address: download.address, file: file, cause: cause, title: download.description.title,
      published: download.description.published?.moment, origin: download.origin)
  }

  /// Whether a file is this one, at the path that it had. It may still be another one, unless its content says
  /// otherwise.
  func isBack(as found: FoundFile) -> Bool {
    EntryPath(file.path) == found.place && file.inode == found.inode && file.length == found.length
  }
}

extension FormerFile {
  /// How many days a former file is kept at least.
  package static let keptDays = 400
  /// How many former files are kept at least.
  package static let keptNumber = 20_000

  /// Which former files are kept: one is removed if it is older, and not among the latest.
  package struct Keeping: Hashable, Sendable {
    /// Files noted since then are kept.
    package var since: Timestamp
    /// This many of the latest files are kept.
    package var number: Int

    package init(since: Timestamp, number: Int) {
      self.since = since
      self.number = number
    }
  }
}

/// The former files of downloads.
package protocol FormerFileTable {
  /// Records that a download had a file until this time.
  func insert(_ former: FormerFile, at moment: Timestamp) throws
  /// The download owns this file again, at its path or moved to it. Records of its other files stay: a file that a
  /// client has kept is that client's also when its download has another one.
  func forgetFormerFiles(of download: DownloadID, having file: PublishedFile) throws
  /// The download of a wish's id or address whose file was missing, or stayed when the download was removed: for an
  /// episode the one that resembles it most, and is free and no other's of its feed. Cost: at most
  /// 2 · `DownloadIntent.Enqueue.lookedAt` look-ups.
  func removedDownload(for wish: DownloadIntent.Enqueue, where isFree: (DownloadID) -> Bool) throws -> DownloadID?
  /// What is known of a file that a download had: of the one at this path or, without any, of another one.
  func formerFile(of download: DownloadID, at path: LibraryPath) throws -> FormerFile?
  /// Removes former files beyond a limit, the oldest first. Those of unknown age count as noted now.
  ///
  /// - Returns: How many candidates were checked, at most `limit`: with as many there may be more.
  func forgetFormerFiles(beyond keeping: FormerFile.Keeping, now: Timestamp, limit: Int) throws -> Int
}
