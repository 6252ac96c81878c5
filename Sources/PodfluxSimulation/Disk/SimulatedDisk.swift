import Flux
import PodfluxCore

/// The library's folder: partial files, published files, files of others. It outlives crashes; a power cut takes what
/// was not synced: bytes, a new file's entry in its folder, a rename.
final class SimulatedDisk {
  struct PublishedEntry {
    var file: SimulatedFile
    /// Whether the engine has nothing to do with it, or no more: its client has kept it.
    var isForeign: Bool
    /// Whether another program has put it where it is.
    var isDisplaced = false
  }

  /// A file that was put aside.
  struct QuarantinedFile {
    var file: SimulatedFile
    /// Where it lay; nil for a file from among the partial files.
    var path: String?
    /// Its content's hash when it was put aside.
    var hash: String
    /// The name by which clients request its restoration.
    var name: String
    /// When it was put aside.
    var at: Timestamp
  }

  struct Place: Hashable {
    var path: String
    var inode: UInt64
    var length: Int
  }

  /// Files that are the client's as soon as they stand at their places.
  var released: Set<Place> = []

  private struct Rename {
    var download: DownloadID
    var path: String
    var isTagged: Bool
  }

  var partials: [DownloadID: SimulatedFile] = [:]
  /// Copies of complete partial files, to be tagged and published.
  var copies: [DownloadID: SimulatedFile] = [:]
  var published: [String: PublishedEntry] = [:]
  /// Files that were put aside. Only a person takes one out again.
  var quarantined: [QuarantinedFile] = []
  /// What people have put back from there, as it was then.
  var restored: Set<FoundFile> = []
  /// Files that people have taken out of quarantine.
  var takenOut: Set<ObjectIdentifier> = []
  /// The folders that there are; a file's folder stays when the file goes.
  var folders: Set<String> = []
  /// The obstacles that keep the engine out of some folders.
  var covers: [String: Cover] = [:]
  /// Symbolic links that lead out of the library.
  var links: Set<String> = []
  /// Files among the partial files that are none, by name.
  var strays: [String: SimulatedFile] = [:]
  /// How many files have been put aside.
  var quarantineCount = 0
  /// Whether the library's folder is the one that was opened.
  var isInPlace = true
  /// Whether links are followed, which only a sabotage does.
  var followsLinks = false
  /// The folders that the engine has ever made.
  private(set) var everMadeFolders: Set<String> = []
  private var time: Int64 = 1 << 40
  /// Files that people have taken away, and may bring back.
  var takenAway: [(path: String, entry: PublishedEntry)] = []
  /// Files of a disk that is not mounted.
  var unmounted: [(path: String, entry: PublishedEntry)] = []
  /// How many calls of cleanups and surveys the disk has not answered.
  var unansweredCalls = 0
  /// Renames whose folders are not synced.
  private var unsyncedRenames: [Rename] = []
  /// Deletions of partials that are not on the device.
  private var unsyncedDeletions: [(download: DownloadID, file: SimulatedFile)] = []
  private var freeInodes: [UInt64] = []
  private var lastInode: UInt64 = 100
  /// Whether no byte can be written.
  var isFull = false

  /// As ext4 does: the number of a deleted file is soon another's.
  func newInode() -> UInt64 {
    if let inode = freeInodes.popLast() {
      // A check that noted since that a file of this number is the client's noted one that was gone.
      released = released.filter { $0.inode != inode }
      return inode
    }
    lastInode += 1
    return lastInode
  }

  /// A time that no file has had yet.
  func nextTime() -> Int64 {
    time += 1
    return time
  }

  /// Its number is free, if it has no other name.
  func free(_ file: SimulatedFile) {
    guard !file.hasManyNames || !hasName(file) else { return }
    freeInodes.append(file.inode)
    // What was a client's under this number will never stand at its place.
    released = released.filter { $0.inode != file.inode }
  }

  /// Whether a file has a name still, be it in quarantine or on a disk that is not here.
  private func hasName(_ file: SimulatedFile) -> Bool {
    let elsewhere = (takenAway + unmounted).map(\.entry.file) + quarantined.map(\.file)
    return published.values.contains { $0.file === file } || elsewhere.contains { $0 === file }
  }

  // MARK: Partials

  var partialNames: [DownloadID] { partials.keys.sorted() }

  func openPartial(of download: DownloadID) throws(DownloadError) -> SimulatedFile {
    if let file = partials[download] { return file }
    guard !isFull else { throw .diskFull }
    let file = SimulatedFile(inode: newInode(), writer: download)
    partials[download] = file
    return file
  }

  /// Writes at the end; when the disk is full, a part of it.
  func append(_ bytes: [UInt8], to file: SimulatedFile, isFull: Bool) throws(DownloadError) {
    guard !isFull else {
      file.append(bytes.prefix(bytes.count / 2))
      throw .diskFull
    }
    file.append(bytes)
  }

  func deletePartial(of download: DownloadID) {
    guard let file = partials.removeValue(forKey: download) else { return }
    unsyncedDeletions.append((download, file))
  }

  // MARK: Copies

  /// Makes an empty copy in place of an earlier one.
  func makeCopy(of download: DownloadID) -> SimulatedFile {
    deleteCopy(of: download)
    let file = SimulatedFile(inode: newInode(), writer: download)
    copies[download] = file
    return file
  }

  func deleteCopy(of download: DownloadID) {
    if let file = copies.removeValue(forKey: download) { free(file) }
  }

  // MARK: Sidecars

  /// Small files that wait for their names, by the numbers of their sidecars.
  var staged: [Int64: SimulatedFile] = [:]
  /// The files that the engine has published as sidecars, and their times then.
  private(set) var sidecars: [ObjectIdentifier: (file: SimulatedFile, modified: Int64)] = [:]

  /// What an engine that has ended has left.
  func clearStaged() {
    for key in staged.keys.sorted() { discardStaged(key) }
  }

  func discardStaged(_ key: Int64) {
    if let file = staged.removeValue(forKey: key) { free(file) }
  }

  func stage(_ bytes: [UInt8], as key: Int64) throws(DownloadError) -> SimulatedFile {
    guard !isFull else { throw .diskFull }
    discardStaged(key)
    let file = SimulatedFile(inode: newInode())
    file.append(bytes)
    file.synchronize()
    file.touch(at: nextTime())
    staged[key] = file
    return file
  }

  /// Gives a staged file its name.
  func publishSidecar(_ key: Int64, at path: String) {
    guard let file = staged.removeValue(forKey: key) else { return }
    sidecars[ObjectIdentifier(file)] = (file, file.modified)
    put(PublishedEntry(file: file, isForeign: true), at: path)
  }

  /// Whether a file is a sidecar as the engine has published it.
  func isSidecar(_ file: SimulatedFile) -> Bool {
    sidecars[ObjectIdentifier(file)].map { $0.modified == file.modified } ?? false
  }

  // MARK: Published files

  /// Renames without replacing; nil if another file has the name, or where that counts, one that differs in case only,
  /// or if a folder would have to be made whose name so differs from another's.
  func publish(
    _ download: DownloadID, at path: String, isTagged: Bool = false, replacing: Bool = false,
    sparingTwins: Bool = false
  ) throws(DownloadError) -> Publication? {
    guard !isFull else { throw .diskFull }
    guard let file = isTagged ? copies[download] : partials[download] else {
      throw DownloadError(.io, "the partial file is gone")
    }
    if cover(over: path) != nil { throw DownloadError(.io, "a link or an unreadable folder is on the way to \(path)") }
    guard published[path] == nil && !links.contains(path) || replacing else { return nil }
    if sparingTwins, published[path] == nil, !twins(of: path).isEmpty { return nil }
    if isTagged { copies[download] = nil } else { partials[download] = nil }
    let entry = PublishedEntry(
      file: file, isForeign: released.contains(Place(path: path, inode: file.inode, length: file.length)))
    unsyncedRenames.append(Rename(download: download, path: path, isTagged: isTagged))
    return Publication(madeFolders: putMakingFolders(entry, at: path), modifiedNanoseconds: file.modified)
  }

  /// The engine puts a file at a path. Returns the folders that it has made for it.
  private func putMakingFolders(_ entry: PublishedEntry, at path: String) -> [LibraryPath] {
    let former = folders
    put(entry, at: path)
    let made = folders.subtracting(former).sorted()
    everMadeFolders.formUnion(made)
    return made.compactMap { try? LibraryPath(validating: $0) }
  }

  /// The engine gives a published file another name, and syncs its folders. Returns the folders that were made for it;
  /// nil if the name is taken.
  func move(_ former: String, to path: String, sparingTwins: Bool) -> [LibraryPath]? {
    guard published[path] == nil, !links.contains(path), !folders.contains(path),
      !sparingTwins || twins(of: path).isEmpty, let entry = take(former)
    else { return nil }
    return putMakingFolders(entry, at: path)
  }

  func forgetFolder(_ folder: String) {
    folders.remove(folder)
  }

  func synchronizeFolder(of path: String) {
    unsyncedRenames.removeAll { $0.path == path }
  }

  func isRenameSynced(_ path: String) -> Bool {
    !unsyncedRenames.contains { $0.path == path }
  }

  /// Whether this very file stands there.
  func isPublished(_ file: PublishedFile) -> Bool {
    guard let entry = published[file.path.description] else { return false }
    return entry.file.inode == file.inode && entry.file.length == Int(file.length)
  }

  /// Whether this very file stands there, and was written to since it had its time.
  func isWritten(since file: PublishedFile) -> Bool {
    guard let modified = file.modifiedNanoseconds, isPublished(file) else { return false }
    return published[file.path.description]?.file.modified != modified
  }

  func deletePublished(_ path: String) {
    guard let entry = published.removeValue(forKey: path) else { return }
    unsyncedRenames.removeAll { $0.path == path }
    free(entry.file)
  }

  func quarantine(_ path: String, at moment: Timestamp) {
    guard let entry = take(path) else { return }
    putAside(entry.file, from: path, at: moment)
  }

  /// Whether this file was put aside, and is still there.
  func hasPutAside(_ found: FoundFile) -> Bool {
    quarantined.contains {
      $0.path == Self.path(found.place) && $0.file.inode == found.inode && $0.file.length == Int(found.length)
    }
  }

  func put(_ entry: PublishedEntry, at path: String) {
    published[path] = entry
    if let slash = path.lastIndex(of: "/") { folders.insert(String(path[..<slash])) }
  }

  func take(_ path: String) -> PublishedEntry? {
    unsyncedRenames.removeAll { $0.path == path }
    return published.removeValue(forKey: path)
  }

  /// The file of a download is the client's from now on, or from when it stands at its place. If another download's
  /// partial file has its number by now, it is gone.
  func release(_ file: PublishedFile, of download: DownloadID) {
    let path = file.path.description
    if let entry = published[path], entry.file.inode == file.inode,
      entry.file.length == file.length || entry.file.isDamaged || entry.file.isEdited
    {
      published[path]?.isForeign = true
    } else if !partials.contains(where: { $0.key != download && $0.value.inode == file.inode }),
      !copies.contains(where: { $0.key != download && $0.value.inode == file.inode })
    {
      released.insert(Place(path: path, inode: file.inode, length: Int(file.length)))
    }
  }

  /// A file that a person has made longer or shorter since it was to go is left alone, as that person's own.
  func releaseIfChanged(_ file: PublishedFile) {
    let path = file.path.description
    guard let entry = published[path], entry.file.inode == file.inode, entry.file.isDamaged || entry.file.isEdited
    else { return }
    published[path]?.isForeign = true
  }

  /// A person puts a file there; its number may be one that another file had. With the number, length and place of a
  /// file that is known no program could tell it from that one: then it gets a new number.
  func addForeignFile(at path: String, knowing isKnown: (Place) -> Bool) {
    guard isFree(path), !isFull else { return }
    // Notes, or music.
    let content = (time % 2 == 0 ? [] : [SimulatedFile.spoilt]) + Array("another's".utf8)
    let isTaken = freeInodes.last.map { isKnown(Place(path: path, inode: $0, length: content.count)) } ?? false
    putForeignFile(content, at: path, withNewNumber: isTaken)
  }

  func putForeignFile(_ content: [UInt8], at path: String, withNewNumber isNew: Bool = false) {
    if isNew { lastInode += 1 }
    let file = SimulatedFile(inode: isNew ? lastInode : newInode())
    file.append(content)
    file.synchronize()
    // Last: no two are to have one time, or an edit could not be seen.
    file.touch(at: nextTime())
    put(PublishedEntry(file: file, isForeign: true), at: path)
  }

  // MARK: Misfortune

  func losePower(using random: inout SeededGenerator) {
    for rename in unsyncedRenames where random.once(in: 2) {
      guard let entry = published.removeValue(forKey: rename.path) else { continue }
      if rename.isTagged {
        copies[rename.download] = entry.file
      } else if partials[rename.download] == nil {
        partials[rename.download] = entry.file
      }
    }
    unsyncedRenames = []
    for deletion in unsyncedDeletions {
      if partials[deletion.download] == nil, deletion.file.isNameSynced, random.once(in: 4) {
        partials[deletion.download] = deletion.file
      } else {
        free(deletion.file)
      }
    }
    unsyncedDeletions = []
    for download in partialNames {
      guard let file = partials[download] else { continue }
      if !file.isNameSynced, random.once(in: 2) {
        partials[download] = nil
        free(file)
      } else {
        file.losePower(using: &random)
      }
    }
    for download in copies.keys.sorted() { copies[download]?.losePower(using: &random) }
    for path in published.keys.sorted() { published[path]?.file.losePower(using: &random) }
  }

  /// A person changes a published file, or takes it away.
  func damage(_ path: String, using random: inout SeededGenerator) {
    if random.once(in: 4) { takeAway(path) } else { published[path]?.file.damage(using: &random) }
  }

  /// Something happens to a partial file that the engine has not done.
  func tamper(with download: DownloadID, using random: inout SeededGenerator) {
    guard let file = partials[download] else { return }
    if random.once(in: 3) { partials[download] = nil } else { file.tamper(using: &random) }
  }
}

extension DownloadError {
  static let diskFull = DownloadError(.noSpace, "the disk is full")
}
