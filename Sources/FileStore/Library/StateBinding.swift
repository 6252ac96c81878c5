import Glibc

/// What makes a library and the folder of its state elsewhere know each other: both hold a file `binding` with the same
/// random digits, and the path at which the other one was last.
///
/// So a library is never opened with another one's state, nor a state with the empty folder in whose place the library's disk
/// is not mounted. Nor is a library that has its state elsewhere opened as a new one.
///
/// The two are bound by the first engine that is told of both, in three steps: the digits come into the state's folder
/// (`binding.new`), into the library, and then to their name in the state's folder. After a crash the next engine goes on.
/// Each file comes whole: it is written under another name (`binding.temp`) and renamed.
struct StateBinding: Hashable {
  private static let head = "podflux state 1\n"
  private static let idBytes = 16
  /// The longest file that is read: a path has at most 4,096 bytes (PATH_MAX).
  private static let maximumBytes = 5000
  private static let unfinished: EntryName = "binding.new"
  private static let temporary: EntryName = "binding.temp"

  /// Hexadecimal digits.
  let id: String
  /// Where the other one was last.
  let path: String

  /// What the file of this name says; nil if there is none, or only the beginning of one.
  static func read(_ name: EntryName, in folder: Descriptor) throws(FileError) -> StateBinding? {
    guard try folder.statusOfChild(name)?.regularFile(at: folder.pathOfChild(name)) != nil else { return nil }
    let file = try folder.openChild(name, O_RDONLY | O_NONBLOCK)
    let bytes = try file.read(offset: 0, count: maximumBytes + 1)
    guard let binding = StateBinding(bytes: bytes) else {
      if name == unfinished { return nil }
      throw .unknownFormat(path: file.path)
    }
    return binding
  }

  /// What the library at `path` has noted down of its state elsewhere; nil if there is no library, or no such note.
  static func noted(byLibraryAt path: String, shownAs shownPath: String) throws(FileError) -> StateBinding? {
    guard let engine = try Library.engineFolder(ofLibraryAt: path, shownAs: shownPath) else { return nil }
    return try read(Library.Layout.binding, in: engine)
  }

  private init(id: String, path: String) {
    self.id = id
    self.path = path
  }

  private init?(bytes: [UInt8]) {
    guard bytes.count <= Self.maximumBytes, let text = String(validating: bytes, as: UTF8.self),
      text.hasPrefix(Self.head), text.hasSuffix("\n")
    else { return nil }
    let lines = text.dropFirst(Self.head.count).dropLast().split(
      separator: "\n", maxSplits: 1, omittingEmptySubsequences: false)
    guard lines.count == 2, lines[0].utf8.count == 2 * Self.idBytes, lines[0].allSatisfy(\.isHexDigit),
      lines[1].hasPrefix("/")
    else { return nil }
    self.init(id: String(lines[0]), path: String(lines[1]))
  }

  /// Puts it on the device under a name, in place of whatever has that name: one of the two is there at any time.
  private func write(_ name: EntryName, in folder: Descriptor) throws(FileError) {
    _ = try folder.deleteFile(Self.temporary)
    let file = try folder.openChild(
      Self.temporary, O_WRONLY | O_CREAT | O_EXCL, mode: Library.Layout.privateFileMode)
    let outcome = Array("\(Self.head)\(id)\n\(path)\n".utf8).withUnsafeBytes { file.write($0, offset: 0) }
    if let failure = outcome.failure { throw failure }
    try file.synchronize()
    try Self.rename(Self.temporary, to: name, in: folder)
  }

  private static func rename(
    _ name: EntryName, to newName: EntryName, in folder: Descriptor
  ) throws(FileError) {
    try systemCall("renameat", folder.pathOfChild(newName)) {
      renameat(folder.number, name.cString, folder.number, newName.cString)
    }
    try folder.synchronize()
  }

  private static func random() -> String {
    (0..<idBytes).map { _ in
      let digits = String(UInt8.random(in: .min ... .max), radix: 16)
      return digits.count == 1 ? "0" + digits : digits
    }.joined()
  }
}

extension StateBinding {
  /// Sees whether a library and the folder of its state belong together, and binds them where neither is bound and that is
  /// wanted.
  ///
  /// - Throws: `FileError.mismatch` where they do not belong together. Nothing has been changed then.
  static func bind(
    library: (path: String, engine: Descriptor), state: (path: String, folder: Descriptor), _ mode: Library.Mode
  ) throws(FileError) {
    let name = Library.Layout.binding
    let (ofState, ofLibrary) = (try read(name, in: state.folder), try read(name, in: library.engine))
    guard let ofState else {
      let begun = try read(unfinished, in: state.folder)
      if let begun, begun.id == ofLibrary?.id { try begun.checkIsNoCopy(library.path, library.engine) }
      if mode == .createIfMissing { return try bind(library, state, ofLibrary, begun: begun) }
      guard ofLibrary == nil || ofLibrary?.id != begun?.id else { return }
      throw .mismatch(
        ofLibrary?.path == state.path
          ? .stateElsewhere(library: library.path, last: state.path) : .noState(state: state.path))
    }
    guard let ofLibrary, ofLibrary.id == ofState.id else {
      throw .mismatch(
        ofLibrary?.path == state.path
          ? .stateElsewhere(library: library.path, last: state.path)
          : .libraryElsewhere(library: library.path, last: ofState.path))
    }
    try ofState.checkIsNoCopy(library.path, library.engine)
    guard mode == .createIfMissing else { return }
    let here = Library.realPath(library.path) ?? library.path
    if ofState.path != here { try StateBinding(id: ofState.id, path: here).write(name, in: state.folder) }
    guard ofLibrary.path != state.path else { return }
    try StateBinding(id: ofState.id, path: state.path).write(name, in: library.engine)
  }

  private static func bind(
    _ library: (path: String, engine: Descriptor), _ state: (path: String, folder: Descriptor),
    _ ofLibrary: StateBinding?, begun: StateBinding?
  ) throws(FileError) {
    if let ofLibrary, ofLibrary.id != begun?.id {
      throw .mismatch(.stateElsewhere(library: library.path, last: ofLibrary.path))
    }
    guard try library.engine.statusOfChild(EntryName(Library.databaseName)) == nil else {
      throw .mismatch(.stateInside(library: library.path, state: state.path))
    }
    if let begun, ofLibrary == nil, try begun.isStillThere(besides: library.engine) {
      throw .mismatch(.libraryElsewhere(library: library.path, last: begun.path))
    }
    let wanted = StateBinding(id: begun?.id ?? random(), path: Library.realPath(library.path) ?? library.path)
    if begun != wanted { try wanted.write(unfinished, in: state.folder) }
    if ofLibrary == nil {
      try StateBinding(id: wanted.id, path: state.path).write(Library.Layout.binding, in: library.engine)
    }
    try rename(unfinished, to: Library.Layout.binding, in: state.folder)
  }

  /// A library that was copied with its binding must not take the original's state. If the original is there no more, it was
  /// moved.
  ///
  /// To be called for what the state knows of the library.
  private func checkIsNoCopy(_ libraryPath: String, _ engine: Descriptor) throws(FileError) {
    guard path != Library.realPath(libraryPath), try isStillThere(besides: engine) else { return }
    throw .mismatch(.copy(library: libraryPath, of: path))
  }

  /// Whether a library with the same digits is where the state's one was last, and is another one than that of `engine`.
  private func isStillThere(besides engine: Descriptor) throws(FileError) -> Bool {
    guard let other = try Library.engineFolder(ofLibraryAt: path, shownAs: path),
      try Self.read(Library.Layout.binding, in: other)?.id == id
    else { return false }
    return try other.status().identity.place != engine.status().identity.place
  }
}

extension StateBinding {
  /// What may be in a folder before a library's state is there: what an interrupted binding has left, and what a file system
  /// of its own begins with.
  private static let beginnings: Set<EntryName> = [unfinished, temporary, "lost+found"]
  /// What is moved there when the state of a library has been in the library.
  private static let database = EntryName(Library.databaseName)
  private static let besideDatabase = Set(
    Library.databaseSuffixes.map { EntryName(Library.databaseName + $0) } + [Library.Layout.lock, "authorities.pem"])

  /// Sees that a folder in which no state is bound holds nothing that is not the engine's own: it writes there, and deletes
  /// what it does not know of among partial files.
  ///
  /// - Throws: `FileError.mismatch`. Nothing has been changed then.
  static func checkNothingElse(isIn folder: Descriptor, at path: String) throws(FileError) {
    let hasDatabase = try folder.statusOfChild(database)?.kind == .regular
    let stream = try FolderStream(folder)
    while let name = try stream.next()?.entryName {
      let isOwn =
        switch name {
        case database: hasDatabase
        case Library.Layout.partial where !hasDatabase: try folder.isEmptyFolder(name)
        case Library.Layout.partial: true
        default: beginnings.contains(name) || hasDatabase && besideDatabase.contains(name)
        }
      guard isOwn else { throw .mismatch(.notEmpty(state: path)) }
    }
  }
}

extension Descriptor {
  fileprivate func isEmptyFolder(_ name: EntryName) throws(FileError) -> Bool {
    guard try statusOfChild(name)?.kind == .folder else { return false }
    let stream = try FolderStream(openFolder(name))
    return try stream.next() == nil
  }
}

/// Why a library and the folder of its state elsewhere do not belong together.
public enum StateMismatch: Hashable, Sendable, CustomStringConvertible {
  /// The state is another library's, or the library's disk is not mounted. `last` is where that library was last.
  case libraryElsewhere(library: String, last: String)
  /// The library has its state in another folder, which was `last` when an engine last had both.
  case stateElsewhere(library: String, last: String)
  /// The library has its state in its own folder.
  case stateInside(library: String, state: String)
  /// The folder of the state lies in the library.
  case stateInLibrary(state: String)
  /// The folder of the state is not bound to a library, and holds what is not the engine's own.
  case notEmpty(state: String)
  /// The folder of the state is not there, or no library's; only looked at, it is not made.
  case noState(state: String)
  /// The library is a copy of the one to which the state belongs.
  case copy(library: String, of: String)

  /// One sentence: what was wrong, and what would be right.
  public var description: String {
    switch self {
    case .libraryElsewhere(let library, let last):
      """
      the state belongs to the library that was last at "\(last)", and "\(library)" is not that one; mount its disk, or \
      name the library's own folder with --library
      """
    case .stateElsewhere(let library, let last):
      """
      the library "\(library)" has its state in "\(last)", and it is not there; mount that disk, or name with --state where \
      it is now; if it is lost, delete "\(library)/.podflux/binding" to begin with an empty one
      """
    case .stateInside(let library, let state):
      """
      the library "\(library)" has its state in its own folder; to have it in "\(state)", end the engine and move \
      podflux.sqlite, podflux.sqlite-wal and partial from "\(library)/.podflux" to there first
      """
    case .stateInLibrary(let state):
      "the state \"\(state)\" would lie in the library, among the files that people have there; choose a folder outside"
    case .notEmpty(let state):
      "the folder \"\(state)\" holds other files; name an empty one, or a new one, for the state"
    case .noState(let state):
      "\"\(state)\" holds no library's state; leave --state out: the library knows where it is"
    case .copy(let library, let original):
      """
      "\(library)" is a copy of the library at "\(original)", to which the state belongs; delete \
      "\(library)/.podflux/binding" to begin with an empty one
      """
    }
  }
}
