import Glibc
import PodfluxCore

/// The open folder of the quarantine: files, each with a manifest beside it.
struct QuarantineFolder {
  /// The entry at a manifest's name.
  enum Beside {
    case nothing
    /// Not a manifest, or one of a later version.
    case unreadable
    case manifest(QuarantineManifest)
  }

  private static let manifestSuffix = Array(".manifest.json".utf8)
  /// The name of a manifest during writing.
  private static let unfinishedManifest: EntryName = ".manifest.new"
  private static let largestNumber = 1 << 40

  let descriptor: Descriptor
  /// The marks of restored files.
  let marks: RestorationMarks

  /// Opens the folder, and creates it if missing.
  static func make(in library: Library) throws(FileError) -> QuarantineFolder {
    let parent = library.engineFolder
    try parent.makeFolder(Library.Layout.quarantine, mode: Library.Layout.privateFolderMode)
    let folder = try QuarantineFolder(
      descriptor: parent.openFolder(Library.Layout.quarantine), marks: RestorationMarks(engineFolder: parent))
    // The engine that created it may have died before it synced.
    try parent.synchronize()
    return folder
  }

  static func existing(in library: Library) throws(FileError) -> QuarantineFolder? {
    do throws(FileError) {
      return try QuarantineFolder(
        descriptor: library.engineFolder.openFolder(Library.Layout.quarantine),
        marks: RestorationMarks(engineFolder: library.engineFolder))
    } catch .notFound {
      return nil
    }
  }

  /// Runs the body while no other thread or process changes the quarantine: a command works beside an engine. The
  /// kernel releases the lock (flock(2)) of a process that dies. Waits while another process moves one file, but not
  /// for one that was stopped in the middle.
  ///
  /// Do not nest it: each opening of the folder has its own lock.
  func locked<Result>(_ body: () throws(FileError) -> Result) throws(FileError) -> Result {
    try lock()
    defer { _ = flock(descriptor.number, LOCK_UN) }
    return try body()
  }

  /// How often it is tried to lock, and how long is waited between two tries, in microseconds: for five seconds.
  private static let (lockTries, lockMicroseconds) = (500, UInt32(10_000))

  private func lock() throws(FileError) {
    for _ in 1..<Self.lockTries {
      if flock(descriptor.number, LOCK_EX | LOCK_NB) == 0 { return }
      guard errno == EWOULDBLOCK || errno == EINTR else { break }
      usleep(Self.lockMicroseconds)
    }
    try systemCall("flock", descriptor.path) { flock(descriptor.number, LOCK_EX | LOCK_NB) }
  }

  /// The names of possible items and of files with a manifest, each in order.
  func names() throws(FileError) -> (files: [EntryName], manifests: [EntryName]) {
    let stream = try FolderStream(descriptor)
    var (files, manifests): ([EntryName], [EntryName]) = ([], [])
    while let record = try stream.next() {
      if record.isHidden { continue }
      let name = record.entryName
      if let file = Self.file(ofManifest: name) { manifests.append(file) } else { files.append(name) }
    }
    return (files.sorted(), manifests.sorted())
  }

  /// The status of the file of this name; nil if there is none, or another kind of entry.
  func file(_ name: EntryName) throws(FileError) -> FileStatus? {
    guard let status = try descriptor.statusOfChild(name), status.kind == .regular else { return nil }
    return status
  }

  /// The name here of the file that came from `place`, or nil.
  ///
  /// Costs a read of the folder: only for recovery after a crash.
  func name(of identity: FileIdentity, from place: EntryPath) throws(FileError) -> EntryName? {
    let stream = try FolderStream(descriptor)
    while let record = try stream.next() {
      guard !record.isHidden, !identity.hasLastingInode || record.inode == identity.inode else { continue }
      let name = record.entryName
      guard let found = try file(name), found.identity.isSameFile(as: identity),
        case .manifest(let manifest) = try beside(name), manifest.place == place
      else { continue }
      return name
    }
    return nil
  }

  /// `<stem>-<number>.<extension>` with a free number: the lowest one, if none below it was freed.
  func freeName(stem: String, fileExtension: String) throws(FileError) -> EntryName {
    func name(_ number: Int) -> EntryName { EntryName("\(stem)-\(number).\(fileExtension)") }
    // Doubles, then bisects: with thousands of equal stems it does not try every number.
    var (taken, free) = (0, 1)
    while try !isFree(name(free)) {
      guard free < Self.largestNumber else { throw .exists(path: descriptor.pathOfChild(name(free))) }
      (taken, free) = (free, free * 2)
    }
    while free - taken > 1 {
      let middle = (taken + free) / 2
      if try isFree(name(middle)) { free = middle } else { taken = middle }
    }
    return name(free)
  }

  /// Whether the name is free. A manifest whose file never came does not block it.
  private func isFree(_ name: EntryName) throws(FileError) -> Bool {
    guard try descriptor.statusOfChild(name) == nil, try !marks.isMarked(name) else { return false }
    switch try beside(name) {
    case .nothing: return true
    case .unreadable: return false
    case .manifest(let manifest): return manifest.restoration == nil
    }
  }
}

// MARK: - Manifests

extension QuarantineFolder {
  /// The entry at the name of this file's manifest.
  func beside(_ name: EntryName) throws(FileError) -> Beside {
    guard let manifestName = Self.manifest(of: name), let status = try descriptor.statusOfChild(manifestName) else {
      return .nothing
    }
    guard status.kind == .regular else { return .unreadable }
    do throws(FileError) {
      let file = try descriptor.openChild(manifestName, O_RDONLY | O_NONBLOCK)
      let json = try file.read(offset: 0, count: QuarantineManifest.maximumBytes + 1)
      return QuarantineManifest(json: json).map(Beside.manifest) ?? .unreadable
    } catch .notFound {
      return .nothing
    } catch .denied, .symbolicLink {
      return .unreadable
    }
  }

  /// Writes and syncs a manifest, and replaces the former one; a crash leaves either of them whole. Does nothing for a
  /// name too long to have a manifest: only users create such names.
  func write(_ manifest: QuarantineManifest, for name: EntryName) throws(FileError) {
    guard let finished = Self.manifest(of: name) else { return }
    try descriptor.replaceFile(finished, by: Self.unfinishedManifest, with: manifest.json)
  }

  /// Removes the manifest of this name. It does not sync: one that comes back is a manifest without a file.
  func removeManifest(of name: EntryName) throws(FileError) {
    guard let manifestName = Self.manifest(of: name), try file(manifestName) != nil else { return }
    _ = try descriptor.deleteFile(manifestName)
  }

  /// Turns the manifest of a restored file into its mark.
  func makeMark(of name: EntryName) throws(FileError) {
    guard let manifest = Self.manifest(of: name) else { return }
    try marks.take(manifest: manifest, of: name, from: descriptor)
  }

  /// Removes an incomplete manifest after a crash.
  func removeUnfinishedManifest() throws(FileError) {
    _ = try descriptor.deleteFile(Self.unfinishedManifest)
  }

  /// Whether no file in quarantine can have this name.
  static func isReserved(_ name: EntryName) -> Bool {
    name.isHidden || file(ofManifest: name) != nil
  }

  private static func manifest(of name: EntryName) -> EntryName? {
    let bytes = name.bytes + manifestSuffix
    return bytes.count <= LibraryPath.maximumComponentBytes ? EntryName(bytes: bytes) : nil
  }

  private static func file(ofManifest name: EntryName) -> EntryName? {
    let bytes = name.bytes
    guard bytes.count > manifestSuffix.count, bytes.suffix(manifestSuffix.count).elementsEqual(manifestSuffix) else {
      return nil
    }
    return EntryName(bytes: bytes.dropLast(manifestSuffix.count))
  }
}
