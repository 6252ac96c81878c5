import Flux
import PodfluxCore

/// The file system below a library's folder, for the services that survey, clean up, verify, delete and look after
/// files.
///
/// The product implements it with POSIX calls, the simulator in memory. Each call is one step: the process may die
/// before and after it. All places are relative to the library; a place need not be UTF-8. No call follows a link.
package protocol LibraryFileSystem {
  /// A walk through all that people can see in the library.
  associatedtype Listing: LibraryWalk
  /// A walk through the folder of partial files.
  associatedtype PartialListing: PartialWalk
  /// An open published file.
  associatedtype Contents: PublishedFileContents
  /// An open partial file.
  associatedtype Partial: ExistingPartial

  // MARK: The library

  /// Whether the library's folder is the one that was opened, with its marker: false once its disk is not mounted.
  func isInPlace() throws(FileSystemFailure) -> Bool
  /// Begins a walk through all that people can see, in the byte order of the places.
  func listing() throws(FileSystemFailure) -> Listing
  /// How many bytes the database takes, with what it has not yet put into its place.
  func databaseBytes() throws(FileSystemFailure) -> Int64

  // MARK: Published files

  /// What stands at a place.
  func look(at place: EntryPath) throws(FileSystemFailure) -> Presence<FoundFile>
  /// Opens the file at a place to read it.
  func open(_ place: EntryPath) throws(FileSystemFailure) -> Presence<Contents>
  /// What the tags of an open file say; nil if it has none, or if they cannot be read.
  ///
  /// - Parameter goOn: Asked now and then while that takes time; false where it must end.
  func tags(in contents: Contents, while goOn: () -> Bool) -> AdoptableFile.Tags?
  /// Deletes a file if it stands at its place as it was found (inode and length), and those of its folders that are
  /// empty then and among `ownFolders`. Does not sync. A link or anything else that is no file fails and stays.
  ///
  /// - Returns: whether a file was deleted.
  func delete(_ file: FoundFile, ownFolders: [LibraryPath]) throws(FileSystemFailure) -> Bool
  /// The path that a file with these facts would get, in folders as they are spelled on the disk: the first choice for
  /// number 1, and another one for each higher number. Nil if there are no more.
  func candidate(for facts: PublishingFacts, number: Int) throws(FileSystemFailure) -> LibraryPath?
  /// What takes a path: the entry there or, with `portably`, one with which a disk that ignores case would confuse it;
  /// nil if the path is free.
  func occupant(of path: LibraryPath, portably: Bool) throws(FileSystemFailure) -> EntryPath?
  /// Moves a file to a path that is free, if it stands at its place as it was found (inode and length). Durable when it
  /// returns, unless the system could not sync a folder; the same call after a crash at any point comes to the same
  /// end, or finds it gone.
  func move(_ file: FoundFile, to path: LibraryPath, _ move: CleanupStep.Move) throws(FileSystemFailure) -> MoveOutcome
  /// Removes the folder at a place if nothing is in it, not even something hidden. Does not sync.
  ///
  /// - Returns: whether a folder was removed.
  func removeEmptyFolder(_ place: EntryPath) throws(FileSystemFailure) -> Bool

  // MARK: Sidecars

  /// Writes a small file into the engine's own folder on the library's disk, in the place of an earlier one of this
  /// number, and syncs it.
  ///
  /// - Parameter reserve: How many bytes stay free on the disk at least.
  func stage(
    _ bytes: [UInt8], for sidecar: Sidecar.Key, keepingFree reserve: Int64
  ) throws(FileSystemFailure) -> StagedFile
  /// Moves that file to its path, in a folder that exists, and syncs the folder. Never replaces a file. If an earlier
  /// call has moved it, it syncs the folder only.
  ///
  /// - Parameter portably: Whether a name is taken if a disk that ignores case would confuse it with another one.
  /// - Returns: whether the file stands there; otherwise another one does.
  func publish(
    _ sidecar: Sidecar.Key, as file: PublishedFile, portably: Bool
  ) throws(FileSystemFailure) -> Bool
  /// Deletes that file where it was written, if it is there.
  func discardStaged(_ sidecar: Sidecar.Key) throws(FileSystemFailure)

  // MARK: Partial files

  /// Begins a walk through the folder of partial files.
  func partialListing() throws(FileSystemFailure) -> PartialListing
  /// The length of a download's partial file in bytes; nil if there is none.
  func partialLength(of download: DownloadID) throws(FileSystemFailure) -> Int64?
  /// Opens a download's partial file, which must exist.
  func openExistingPartial(of download: DownloadID) throws(FileSystemFailure) -> Partial
  /// Deletes a download's partial file, if there is one. Does not sync.
  func deletePartial(of download: DownloadID) throws(FileSystemFailure)

  // MARK: The quarantine

  /// Moves a file into quarantine if it stands at its place as it was found (inode and length), and removes those of
  /// its folders that are empty then and among the order's own. Durable when it returns; the same call after a crash at
  /// any point comes to the same end.
  func quarantine(_ file: FoundFile, _ order: QuarantineOrder) throws(FileSystemFailure) -> QuarantineOutcome
  /// The same for a file among the partial files that is none. Its place is its name there.
  func quarantine(strayPartial file: FoundFile, _ order: QuarantineOrder) throws(FileSystemFailure) -> QuarantineOutcome
  /// How much is in quarantine. Costs a look at each file.
  func quarantineUsage() throws(FileSystemFailure) -> QuarantineUsage
  /// Calls the body with all files in quarantine, in the order of their names. Costs a reading for each file.
  func forEachQuarantined(_ body: (QuarantinedFile) -> Void) throws(FileSystemFailure)
  /// Deletes for good what was put aside before a moment. A crash leaves the rest for the next call.
  ///
  /// - Parameter goOn: Asked before each file; false ends it there.
  func emptyQuarantine(
    before moment: Timestamp, while goOn: () -> Bool
  ) throws(FileSystemFailure) -> QuarantineUsage
  /// The files that a person has put back from quarantine, without their times.
  func restoredFiles() throws(FileSystemFailure) -> Set<FoundFile>
  /// Drops the restoration marks of files that no longer exist.
  func forgetGoneRestorations() throws(FileSystemFailure)
}

/// What became of a file that was to get another name.
package enum MoveOutcome: Hashable, Sendable {
  /// The file has the new name, and these folders were created for it, the outermost first.
  case moved(madeFolders: [LibraryPath])
  /// Nothing is at its place.
  case gone
  /// Something else is at its place, and stays there.
  case changed
  /// The new name is taken.
  case taken
}

/// A small file that waits in the engine's own folder for its name.
package struct StagedFile: Hashable, Sendable {
  /// Its inode, which it keeps; `FoundFile.unknownInode` if the file system has no lasting ones.
  package var inode: UInt64
  /// The time of its last write in nanoseconds since 1970.
  package var modifiedNanoseconds: Int64?

  package init(inode: UInt64, modifiedNanoseconds: Int64?) {
    self.inode = inode
    self.modifiedNanoseconds = modifiedNanoseconds
  }
}

/// How and why a file is put into quarantine.
package struct QuarantineOrder: Hashable, Sendable {
  /// Why, in one sentence without a full stop.
  package var because: String
  /// The download whose file it is, if it is one's.
  package var download: DownloadID?
  /// The folders on the way that the engine has made: they go with the file, if nothing else is in them.
  package var ownFolders: [LibraryPath]
  /// Now: the file's time in quarantine begins.
  package var moment: Timestamp

  /// Makes an order; without a download and folders by default.
  package init(because: String, download: DownloadID? = nil, ownFolders: [LibraryPath] = [], at moment: Timestamp) {
    self.because = because
    self.download = download
    self.ownFolders = ownFolders
    self.moment = moment
  }
}

/// What became of a file that was to be put into quarantine.
package enum QuarantineOutcome: Hashable, Sendable {
  /// The file lies in quarantine: this call or an earlier one has moved it.
  case moved
  /// Nothing is at its place.
  case gone
  /// Something else is at its place, and stays there.
  case changed
  /// A symbolic link is on the way to its place now.
  case behindLink(FileSystemFailure)
}

/// How much is, or was, in quarantine.
package struct QuarantineUsage: Hashable, Sendable {
  /// How many files.
  package var files: Int
  /// Their bytes.
  package var bytes: Int64

  /// Counts files and bytes.
  package init(files: Int = 0, bytes: Int64 = 0) {
    self.files = files
    self.bytes = bytes
  }
}
