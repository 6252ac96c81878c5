import Flux
import PodfluxCore

/// What people do with the files of a library behind the engine's back, and what cleaning up sees and does there.
extension SimulatedDisk {
  // MARK: People

  /// A person renames a file or moves it to another folder.
  func move(_ path: String, to target: String) {
    guard isFree(target), var entry = take(path) else { return }
    entry.isDisplaced = true
    put(entry, at: target)
  }

  /// Two files get each other's names. Two names of one file stay as they are, as rename(2) leaves them.
  func swap(_ path: String, _ other: String) {
    guard path != other, published[path]?.file !== published[other]?.file, var first = take(path),
      var second = take(other)
    else { return }
    (first.isDisplaced, second.isDisplaced) = (true, true)
    put(second, at: path)
    put(first, at: other)
  }

  /// A person deletes a file for good: its number is soon another's.
  func destroy(_ path: String) {
    guard let entry = take(path) else { return }
    free(entry.file)
  }

  /// A person puts another file in a file's place: of the same length, or an equal one.
  func replace(_ path: String, isCopy: Bool) {
    guard let entry = take(path) else { return }
    let content = isCopy ? entry.file.content : entry.file.content.map { $0 ^ 0x55 }
    // With the same number, length and place no program could tell it from the old one.
    putForeignFile(content, at: path, withNewNumber: true)
    free(entry.file)
  }

  /// A tagger edits a file where it is, or writes a new one and renames that over it.
  func edit(_ path: String, spoiling: Bool, inPlace: Bool, using random: inout SeededGenerator) {
    guard let entry = published[path] else { return }
    guard !inPlace else { return entry.file.edit(at: nextTime(), spoiling: spoiling, using: &random) }
    putForeignFile(entry.file.content, at: path, withNewNumber: true)
    published[path]?.file.edit(at: nextTime(), spoiling: spoiling, using: &random)
    published[path]?.isDisplaced = true
    free(entry.file)
  }

  /// A person moves a file by copying it and deleting it.
  func moveByCopying(_ path: String, to target: String) {
    guard isFree(target), let entry = take(path) else { return }
    putForeignFile(entry.file.content, at: target, withNewNumber: true)
    free(entry.file)
  }

  /// A person moves a file out of the library.
  func takeAway(_ path: String) {
    guard let entry = take(path) else { return }
    takenAway.append((path, entry))
  }

  /// A person brings a file back: where it was, or elsewhere.
  func bringBack(_ index: Int, to target: String?) {
    guard takenAway.indices.contains(index) else { return }
    var (path, entry) = takenAway[index]
    path = target ?? path
    guard isFree(path) else { return }
    takenAway.remove(at: index)
    entry.isDisplaced = true
    put(entry, at: path)
  }

  var takenAwayCount: Int { takenAway.count }

  /// The index of the file that was taken away from there last, for `bringBack`.
  func lastTakenAway(from path: String) -> Int? { takenAway.lastIndex { $0.path == path } }

  /// A person restores a file from quarantine.
  func restore(_ index: Int) {
    guard quarantined.indices.contains(index), let path = quarantined[index].path, isFree(path) else { return }
    let file = quarantined.remove(at: index).file
    takenOut.insert(ObjectIdentifier(file))
    put(PublishedEntry(file: file, isForeign: true, isDisplaced: true), at: path)
    restored.insert(found(file, at: path).withoutTime)
  }

  func hasBeenRestored(_ file: SimulatedFile) -> Bool { takenOut.contains(ObjectIdentifier(file)) }

  /// The disk of all these files is gone.
  ///
  /// - Parameter isWhole: Whether it is the library's own; otherwise one that is mounted in it.
  func unmount(_ paths: [String], isWhole: Bool) {
    if isWhole { isInPlace = false }
    for path in paths {
      if let entry = take(path) { unmounted.append((path, entry)) }
    }
  }

  /// It is back; where a name has been given to another file meanwhile, a person keeps it elsewhere. All folders can be
  /// read again.
  func mount() {
    isInPlace = true
    covers = [:]
    for case (let path, var entry) in unmounted {
      entry.isDisplaced = true
      if isFree(path) { put(entry, at: path) } else { takenAway.append((path, entry)) }
    }
    unmounted = []
  }

  /// A partial file appears from nowhere.
  func addPartial(of download: DownloadID, using random: inout SeededGenerator) {
    guard partials[download] == nil else { return }
    let file = SimulatedFile(inode: newInode())
    file.append((0..<random.within(0...300)).map { UInt8($0 & 255) })
    file.synchronize()
    partials[download] = file
  }

  // MARK: Cleaning up

  /// What stands at a place.
  func entry(at place: EntryPath) -> PublishedEntry? { published[Self.path(place)] }

  /// A cover is a person's from now on: a client has kept a file that lies beside it.
  func disown(_ cover: PublishedFile) {
    let path = cover.path.description
    if published[path]?.file.inode == cover.inode { published[path]?.isDisplaced = true }
  }

  /// A download has this file from now on, even if a person has put it there, or if it is elsewhere just now and may
  /// come back: a person has taken it away, or its disk is gone.
  func own(_ file: PublishedFile) {
    let path = file.path.description
    released.remove(Place(path: path, inode: file.inode, length: Int(file.length)))
    for index in takenAway.indices where takenAway[index].entry.file.inode == file.inode {
      takenAway[index].entry.isForeign = false
    }
    for index in unmounted.indices where unmounted[index].entry.file.inode == file.inode {
      unmounted[index].entry.isForeign = false
    }
    guard published[path]?.file.inode == file.inode else { return }
    published[path]?.isForeign = false
  }

  /// Removes a folder if nothing is in it. Returns whether it was removed.
  func removeFolder(_ path: String) -> Bool {
    guard folders.contains(path), covers[path] != .link, isEmptyFolder(path) else { return false }
    covers[path] = nil
    forgetFolder(path)
    return true
  }

  func found(_ file: SimulatedFile, at path: String) -> FoundFile {
    FoundFile(
      place: Self.place(path), length: Int64(file.length), inode: file.inode, modifiedNanoseconds: file.modified)
  }
}
