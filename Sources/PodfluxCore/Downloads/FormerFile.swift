import Flux

/// A file that a download had and does not have any more, although it may still lie somewhere.
public struct FormerFile: Hashable, Sendable {
  /// Why the download does not have it.
  public enum Cause: String, Hashable, Sendable, CaseIterable {
    /// It was gone when the library was cleaned up.
    case missing
    /// Its content was not what had been downloaded.
    case corrupt
    /// Its client removed the download and wanted the file to stay.
    case kept
  }

  /// Whose it was.
  public var download: DownloadID
  /// What it was fetched from.
  public var address: WebAddress
  /// The file.
  public var file: PublishedFile
  /// Why it is not the download's any more.
  public var cause: Cause

  /// Describes a former file.
  public init(download: DownloadID, address: WebAddress, file: PublishedFile, cause: Cause) {
    self.download = download
    self.address = address
    self.file = file
    self.cause = cause
  }
}

extension FormerFile {
  /// For how many days one is kept in any case.
  public static let keptDays = 400
  /// How many are kept in any case.
  public static let keptNumber = 20_000

  /// Which former files are kept: one is forgotten if it is older and not among the last so many.
  public struct Keeping: Hashable, Sendable {
    /// Since when one is kept in any case.
    public var since: Timestamp
    /// How many are kept in any case.
    public var number: Int

    /// Names both limits.
    public init(since: Timestamp, number: Int) {
      self.since = since
      self.number = number
    }
  }
}

/// The files that downloads had.
public protocol FormerFileTable {
  /// Keeps in mind, from this moment on, that a download had a file.
  func insert(_ former: FormerFile, at moment: Timestamp) throws
  /// The download has a file again: this one. What is left of damaged files of its at other places is still known for that.
  func forgetFormerFiles(of download: DownloadID, having file: PublishedFile) throws
  /// A download of this name or address whose file was found gone, or was to stay when the download was removed.
  func removedDownload(id: DownloadID?, address: WebAddress) throws -> DownloadID?
  /// The address from which a download's former file was fetched.
  func formerAddress(of download: DownloadID) throws -> WebAddress?
  /// Forgets former files beyond a limit, the oldest first. Those whose age is unknown count as noted now.
  ///
  /// - Returns: how many were looked at that may go, at most `limit`: with as many there may be more.
  func forgetFormerFiles(beyond keeping: FormerFile.Keeping, now: Timestamp, limit: Int) throws -> Int
}
