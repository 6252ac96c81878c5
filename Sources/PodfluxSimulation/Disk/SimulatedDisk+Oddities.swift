import Flux
import PodfluxCore

/// What a library holds beside plain files and folders: links, folders that cannot be read, strays, old quarantine.
extension SimulatedDisk {
  /// What keeps the engine out of a folder.
  enum Cover {
    /// A person has moved the folder to another disk, and put a symbolic link in its place.
    case link
    /// Its permissions let only its owner look into it.
    case unreadable
  }

  // MARK: Places

  /// In a path this stands for a byte that is no UTF-8.
  private static let wildCharacter: Character = "\u{F8FF}"
  private static let wildByte: UInt8 = 0xFF

  /// The place that a path names.
  static func place(_ path: String) -> EntryPath {
    guard path.contains(wildCharacter) else { return EntryPath(bytes: Array(path.utf8)) }
    var bytes: [UInt8] = []
    for character in path {
      if character == wildCharacter { bytes.append(wildByte) } else { bytes.append(contentsOf: character.utf8) }
    }
    return EntryPath(bytes: bytes)
  }

  /// The path of a place.
  static func path(_ place: EntryPath) -> String {
    guard place.bytes.contains(wildByte) else { return place.text }
    let parts = place.bytes.split(separator: wildByte, omittingEmptySubsequences: false)
    return parts.map { String(decoding: $0, as: UTF8.self) }.joined(separator: String(wildCharacter))
  }

  // MARK: Links and covers

  /// What keeps the engine from a place: a cover of a folder on the way.
  func cover(over path: String) -> Cover? {
    guard !covers.isEmpty, let slash = path.lastIndex(of: "/") else { return nil }
    let folder = String(path[..<slash])
    return covers[folder] ?? cover(over: folder)
  }

  /// A person moves a folder elsewhere and links it, or takes other users' permission away.
  func coverFolder(_ folder: String, by cover: Cover) {
    guard folders.contains(folder) else { return }
    covers[folder] = cover
  }

  /// A person puts a symbolic link to a place outside the library.
  func addLink(at path: String) {
    guard published[path] == nil, covers[path] == nil, cover(over: path) == nil else { return }
    links.insert(path)
    if let slash = path.lastIndex(of: "/") { folders.insert(String(path[..<slash])) }
  }

  /// A person gives a file a second name (link(2)), as those do who keep what they like. That name is the person's,
  /// unless a row says that its file is there.
  func addHardLink(of path: String, at target: String, knowing isKnown: (Place) -> Bool) {
    guard var entry = published[path], isFree(target) else { return }
    entry.isForeign = !isKnown(Place(path: target, inode: entry.file.inode, length: entry.file.length))
    entry.isDisplaced = true
    entry.file.hasManyNames = true
    put(entry, at: target)
  }

  func isFree(_ path: String) -> Bool { published[path] == nil && !links.contains(path) }

  /// Whether a folder has nothing in it.
  func isEmptyFolder(_ folder: String) -> Bool {
    let prefix = folder + "/"
    return !published.keys.contains { $0.hasPrefix(prefix) } && !links.contains { $0.hasPrefix(prefix) }
      && !folders.contains { $0.hasPrefix(prefix) }
  }

  // MARK: Strays and old quarantine

  /// A person leaves a file among the partial files.
  func addStray(_ name: String) {
    guard strays[name] == nil, !isFull else { return }
    let file = SimulatedFile(inode: newInode())
    file.append(Array("a stray".utf8))
    file.synchronize()
    strays[name] = file
  }

  /// An earlier engine has put a file aside at this moment.
  func addQuarantined(at moment: Timestamp) {
    guard !isFull else { return }
    let file = SimulatedFile(inode: newInode())
    file.append(Array("put aside long ago".utf8))
    file.synchronize()
    putAside(file, from: "old/\(quarantineCount).mp3", at: moment)
  }

  func quarantine(stray name: String, at moment: Timestamp) {
    guard let file = strays.removeValue(forKey: name) else { return }
    putAside(file, from: nil, at: moment)
  }

  func putAside(_ file: SimulatedFile, from path: String?, at moment: Timestamp) {
    quarantineCount += 1
    quarantined.append(
      QuarantinedFile(file: file, path: path, hash: file.hash, name: "\(quarantineCount)", at: moment))
  }

  // MARK: Walking

  /// What a folder holds now, as a walk reads it: in the byte order of the places, a folder's name with "/" behind it.
  func level(of folder: String) -> [Child] {
    let prefix = folder.isEmpty ? "" : folder + "/"
    func isChild(_ path: String) -> Bool { path.hasPrefix(prefix) && !path.dropFirst(prefix.count).contains("/") }
    var children: [(order: [UInt8], child: Child)] = []
    for (path, entry) in published where isChild(path) {
      let file = found(entry.file, at: path)
      children.append((file.place.bytes, .entry(.file(file))))
    }
    for path in links where isChild(path) {
      let place = Self.place(path)
      children.append((place.bytes, .entry(.other(place))))
    }
    for path in folders where isChild(path) {
      let place = Self.place(path)
      if covers[path] == .link, !followsLinks {
        children.append((place.bytes, .entry(.other(place))))
      } else {
        children.append((place.bytes + [UInt8(ascii: "/")], .folder(path)))
      }
    }
    return children.sorted { $0.order.lexicographicallyPrecedes($1.order) }.map(\.child)
  }

  /// Something in a folder.
  enum Child {
    case entry(LibraryEntry)
    case folder(String)
  }
}
