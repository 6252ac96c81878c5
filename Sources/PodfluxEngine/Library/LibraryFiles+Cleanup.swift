import Digests
import FileStore
import Flux
import PodfluxCore

/// What cleaning up does with files: looking, reading, and the part of each step that is not a row's.
extension LibraryFiles {
  // MARK: Looking

  /// Whether the library's folder is still the one that was opened, with its marker.
  func isInPlace() throws(FileError) -> Bool {
    try library.isInPlace()
  }

  /// All published files, in the byte order of their places.
  func listing() throws(FileError) -> LibraryListing {
    try LibraryListing(library)
  }

  /// Something in the folder of partial files.
  enum PartialEntry {
    case partial(FoundPartial)
    case stray(FoundFile)
  }

  /// Goes through the folder of partial files.
  func forEachPartial(_ body: (PartialEntry) throws -> Void) throws {
    let listing = try partials.list()
    while let entry = try listing.next() {
      if let name = entry.name, let id = DownloadID(name.description) {
        try body(.partial(FoundPartial(download: id, length: entry.identity.size)))
      } else {
        let name = EntryPath(bytes: entry.entryName.bytes)
        try body(.stray(FoundFile(place: name, length: entry.identity.size, inode: entry.identity.lastingInode)))
      }
    }
  }

  /// The SHA-256 of a file, in hexadecimal digits; nil if it is not that file any more, was written to since it was found,
  /// or cannot be read.
  ///
  /// - Parameter whenRead: Hears how many bytes have been read, and says whether to go on; otherwise it is nil too.
  func sha256(of found: FoundFile, whenRead: (Int) -> Bool) -> String? {
    do throws(FileError) {
      guard let contents = try open(found) else { return nil }
      var digest = RunningDigest(.sha256)
      let reading = try contents.forEachPiece { bytes in
        digest.update(bytes)
        return whenRead(bytes.count)
      }
      return reading == .complete ? digest.digest().hexadecimal : nil
    } catch {
      return nil
    }
  }

  /// What a file looks like; nil if it is not that file any more, was written to since it was found, or cannot be read.
  func likeness(of found: FoundFile) -> MediaCheck.Likeness? {
    do throws(FileError) {
      guard let contents = try open(found) else { return nil }
      return try likeness(of: contents, name: found.place.text)
    } catch {
      return nil
    }
  }

  /// Opens a file if it is still as it was found. A tagger may edit it between the listing and the reading: then its
  /// content goes with another time, and whoever compared it with what was found would take the edit for damage.
  private func open(_ found: FoundFile) throws(FileError) -> PublishedContents? {
    guard let contents = try published.open(found.place), found.isUntouched(as: contents.identity) else { return nil }
    return contents
  }

  /// What an open file looks like. Cost: one reading.
  func likeness(of contents: PublishedContents, name: String) throws(FileError) -> MediaCheck.Likeness {
    MediaCheck.likeness(prefix: try contents.read(offset: 0, count: MediaSignature.length), name: name)
  }

  /// Whether a file that was found was there already at a moment; nil where the file system does not know.
  func existed(_ found: FoundFile, at moment: Timestamp) -> Bool? {
    // One that cannot be opened is as unknown as one whose beginning nobody has noted down.
    guard let contents = try? published.open(found.place), found.isSameFile(as: contents.identity),
      let born = contents.birth
    else { return nil }
    return born <= moment
  }

  /// The hash of the last 64 KiB of so many bytes of a partial file, as resume records have it; nil if it cannot be read.
  func tailHash(of download: DownloadID, length: Int64) -> String? {
    do throws(FileError) {
      let file = try partials.open(try name(of: download), mode: .existing)
      defer { file.close() }
      return try tailHash(of: file, length: length)
    } catch {
      return nil
    }
  }

  private func tailHash(of file: PartialFile, length: Int64) throws(FileError) -> String {
    let range = ResumeRecord.tailRange(ofDurable: length)
    return RunningDigest.sha256(of: try file.read(offset: range.lowerBound, count: range.count))
  }

  /// What a person has put back from quarantine.
  func restoredFiles() throws(FileError) -> Set<FoundFile> {
    Set(
      try quarantine.restored().map {
        FoundFile(place: $0.place, length: $0.identity.size, inode: $0.identity.lastingInode)
      })
  }

  /// Forgets of those that a person has put back the ones that are gone.
  func forgetGoneRestorations() throws(FileError) {
    try quarantine.dropGoneRestorations()
  }

  /// Whether a file has this name too; where that cannot be told it has.
  func isAlso(_ found: FoundFile, at path: LibraryPath) -> Bool {
    do throws(FileError) {
      return try published.identity(of: EntryPath(path))?.lastingInode == found.inode
    } catch {
      return true
    }
  }

  /// How many bytes have been in quarantine since before a moment.
  func quarantinedBytes(before moment: Timestamp?) throws(FileError) -> Int64 {
    guard let moment else { return try quarantine.usage().bytes }
    var bytes: Int64 = 0
    try quarantine.forEachItem { (item) throws(FileError) in
      if item.at < moment { bytes += item.length }
    }
    return bytes
  }

  /// How many bytes the database takes, with what it has not yet put into its place.
  func databaseBytes() throws(FileError) -> Int64 {
    try library.databaseBytes()
  }

  // MARK: Steps

  /// Sees whether the files are as a step expects them, and does with them what it says.
  func carryOut(_ step: CleanupStep, at now: Timestamp) -> CleanupStep.Outcome {
    do throws(FileError) {
      return try outcome(of: step, at: now)
    } catch {
      return .left("\(error)")
    }
  }

  private func outcome(of step: CleanupStep, at now: Timestamp) throws(FileError) -> CleanupStep.Outcome {
    switch step.finding {
    case .missing(_, let file):
      guard try library.isInPlace() else { return .left(SurveyFailure.notInPlace.description) }
      return try isMissing(file) ? .done : .left("its file is there again, or a link is on the way to it")
    case .moved(_, let former, let file):
      // A download whose own file is where it was does not leave it for another one.
      guard try !isPublished(former) else { return .left(Self.hasChanged) }
      return try isPublished(file) ? .done : .left(Self.hasChanged)
    case .modified(_, _, let file):
      return try isUntouched(FoundFile(file)) ? .done : .left(Self.hasChanged)
    case .corrupt(_, _, let found), .adoptable(let found, _, _):
      return try isUntouched(found) ? .done : .left(Self.hasChanged)
    case .orphan(let found): return try carryOut(orphan: found, step, at: now)
    // Its deletion is a row first: no download of its name may begin meanwhile.
    case .orphanPartial: return .done
    case .partial(let download, let planned, let length, let tailHash):
      return try carryOut(partial: download, planned, length: length, tailHash: tailHash)
    case .strayPartial(let found): return try carryOut(strayPartial: found, step, at: now)
    case .emptyFolder(let place):
      guard try !published.removeEmptyFolder(place) else { return .done }
      return try published.exists(place) ? .left("it is not empty any more") : .done
    case .foreign: return .done
    case .expiredQuarantine(let moment, _):
      _ = try quarantine.empty(olderThan: Timestamp(milliseconds: moment))
      return .done
    }
  }

  fileprivate static let hasChanged = "the file has changed since; the next cleanup looks at it again"

  private func carryOut(
    orphan found: FoundFile, _ step: CleanupStep, at now: Timestamp
  ) throws(FileError) -> CleanupStep.Outcome {
    switch step.decision {
    case .quarantine:
      return try quarantine.take(
        found.place, recorded: found.identity, because: step.because, download: nil, at: now
      ).outcome
    case .delete:
      // Nothing there any more: somebody has done it, perhaps this engine before it died.
      let isDeleted = try published.delete(found.place, recorded: found.identity)
      if isDeleted { return .done }
      return try published.exists(found.place) ? .left(Self.hasChanged) : .done
    default: return try isThere(found) ? .done : .left(Self.hasChanged)
    }
  }

  private func carryOut(
    strayPartial found: FoundFile, _ step: CleanupStep, at now: Timestamp
  ) throws(FileError) -> CleanupStep.Outcome {
    try quarantine.take(strayPartial: found.place, recorded: found.identity, because: step.because, at: now).outcome
  }

  /// The row is to say what is durable: so it is made durable first.
  private func carryOut(
    partial download: DownloadID, _ planned: ResumeRecord, length: Int64, tailHash: String
  ) throws(FileError) -> CleanupStep.Outcome {
    let name = try name(of: download)
    guard length > 0 else {
      let found = try partials.identity(of: name)?.size ?? 0
      return found < planned.durable ? .done : .left(Self.hasChanged)
    }
    let file = try partials.open(name, mode: .existing)
    defer { file.close() }
    guard try file.length() == length else { return .left(Self.hasChanged) }
    try file.synchronize()
    return try self.tailHash(of: file, length: length) == tailHash ? .done : .left(Self.hasChanged)
  }

  /// Whether nothing, or another file, is where the file should be. Behind a link nothing can be told.
  private func isMissing(_ file: PublishedFile) throws(FileError) -> Bool {
    do throws(FileError) {
      guard let found = try published.identity(of: file.path) else { return true }
      // Its own file is there, even if somebody has made it longer or shorter since it was looked for.
      let isOwn = found.hasLastingInode && found.inode == file.inode
      return !isOwn && !FoundFile(file).isSameFile(as: found)
    } catch .symbolicLink {
      return false
    } catch .notARegularFile {
      return true
    }
  }

  private func isThere(_ found: FoundFile) throws(FileError) -> Bool {
    try published.identity(of: found.place).map { found.isSameFile(as: $0) } ?? false
  }

  private func isUntouched(_ found: FoundFile) throws(FileError) -> Bool {
    try published.identity(of: found.place).map { found.isUntouched(as: $0) } ?? false
  }
}

extension LibraryEntry {
  /// What a listing has come to, in the core's terms.
  init(_ entry: LibraryListing.Entry) {
    self =
      switch entry {
      case .file(let place, let identity):
        .file(FoundFile(place, identity))
      case .emptyFolder(let place): .emptyFolder(place)
      case .other(let place): .other(place)
      case .unreadable(let place, let error): .unreadable(place, "\(error)")
      }
  }
}

extension Quarantine.Taking {
  /// An earlier engine that moved the file has done the step; a person who took it away has not.
  fileprivate var outcome: CleanupStep.Outcome {
    switch self {
    case .moved: .done
    case .gone: .left("it is gone: somebody has moved or deleted it since it was found")
    case .changed: .left(LibraryFiles.hasChanged)
    }
  }
}

extension FoundFile {
  /// A file of which this was found out.
  init(_ place: EntryPath, _ identity: FileIdentity) {
    self.init(
      place: place, length: identity.size, inode: identity.lastingInode,
      modifiedNanoseconds: identity.modifiedNanoseconds)
  }

  /// Whether it is that file, and has not been written to since.
  fileprivate func isUntouched(as found: FileIdentity) -> Bool {
    isSameFile(as: found) && modifiedNanoseconds == found.modifiedNanoseconds
  }

  fileprivate var identity: FileIdentity { FileIdentity(device: 0, inode: inode, size: length) }

  fileprivate func isSameFile(as found: FileIdentity) -> Bool { identity.isSameFile(as: found) }
}
