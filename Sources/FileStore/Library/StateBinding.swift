import Glibc

/// Binds a library and its external state folder: both contain a file `binding` with the same random digits and the
/// last known path of the other.
///
/// So the engine never opens a library with another library's state, nor a state with the empty mount point of a
/// library whose disk is not mounted, nor as new a library whose state lies elsewhere.
///
/// The first engine that gets both paths binds them in three steps: it writes the digits to the state folder
/// (`binding.new`), then to the library, and then renames the former to `binding`. After a crash the next engine
/// continues. Each file is written under another name (`binding.temp`) and renamed, so that it is never incomplete.
struct StateBinding: Hashable {
  private static let head = "podflux state 1\n"
  private static let idBytes = 16
  /// The longest file that is read, in bytes: a path has at most 4,096 (PATH_MAX).
  private static let maximumBytes = 5000
  private static let unfinished: EntryName = "binding.new"
  private static let temporary: EntryName = "binding.temp"

  /// Hexadecimal digits.
  let id: String
  /// The last known path of the other folder.
  let path: String

  /// The binding in the file of this name; nil if there is none, or an incomplete one.
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

  /// The binding that the library at `path` records; nil if there is no library or no binding.
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

  /// Writes the binding to the device, and replaces the file of this name atomically.
  private func write(_ name: EntryName, in folder: Descriptor) throws(FileError) {
    try folder.replaceFile(name, by: Self.temporary, with: Array("\(Self.head)\(id)\n\(path)\n".utf8))
  }

  private static func random() -> String {
    (0..<idBytes).map { _ in
      let digits = String(UInt8.random(in: .min ... .max), radix: 16)
      return digits.count == 1 ? "0" + digits : digits
    }.joined()
  }
}

extension StateBinding {
  /// Checks that a library and a state folder belong together, and binds them if neither is bound and the mode allows
  /// it.
  ///
  /// - Throws: `FileError.mismatch` if they do not belong together; nothing has been changed then.
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
    guard try library.engine.statusOfChild(Library.Layout.database) == nil else {
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
    try state.folder.renameChild(unfinished, to: Library.Layout.binding)
  }

  /// Fails for a copy of a bound library, which must not take the original's state. If the original is gone, the
  /// library was moved.
  ///
  /// Call it on the state's binding.
  private func checkIsNoCopy(_ libraryPath: String, _ engine: Descriptor) throws(FileError) {
    guard path != Library.realPath(libraryPath), try isStillThere(besides: engine) else { return }
    throw .mismatch(.copy(library: libraryPath, of: path))
  }

  /// Whether a library with the same digits is at the path that the state records, and is not the one of `engine`.
  private func isStillThere(besides engine: Descriptor) throws(FileError) -> Bool {
    guard let other = try Library.engineFolder(ofLibraryAt: path, shownAs: path),
      try Self.read(Library.Layout.binding, in: other)?.id == id
    else { return false }
    return try other.status().identity.place != engine.status().identity.place
  }
}

extension StateBinding {
  /// Files that a new state folder may contain: those of an interrupted binding, and those of a new file system.
  private static let beginnings: Set<EntryName> = [unfinished, temporary, "lost+found"]
  /// What may be beside the database, which users move there when the state of a library moves out of it.
  private static let besideDatabase = Set(
    Library.databaseSuffixes.map { EntryName(Library.databaseName + $0) } + [
      Library.Layout.lock, Library.Layout.databaseNote, Library.Layout.recordsRoom, EntryName(Library.secretsName),
      "authorities.pem",
    ])

  /// Checks that an unbound folder contains only the engine's own files: the engine writes there, and deletes unknown
  /// partial files.
  ///
  /// - Throws: `FileError.mismatch`; nothing has been changed then.
  static func checkNothingElse(isIn folder: Descriptor, at path: String) throws(FileError) {
    let hasDatabase = try folder.statusOfChild(Library.Layout.database)?.kind == .regular
    let stream = try FolderStream(folder)
    while let name = try stream.next()?.entryName {
      let isOwn =
        switch name {
        case Library.Layout.database: hasDatabase
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

/// Why a library and a state folder do not belong together.
package enum StateMismatch: Hashable, Sendable, CustomStringConvertible {
  /// The state belongs to another library, or the library's disk is not mounted. `last` is the last known path of that
  /// library.
  case libraryElsewhere(library: String, last: String)
  /// The state of the library lies in another folder, last known at `last`.
  case stateElsewhere(library: String, last: String)
  /// The state of the library lies in its own folder.
  case stateInside(library: String, state: String)
  /// The state folder lies in the library.
  case stateInLibrary(state: String)
  /// The state folder is not bound to a library, and contains other files than the engine's own.
  case notEmpty(state: String)
  /// The state folder is missing or belongs to no library; in this mode it is not created.
  case noState(state: String)
  /// The library is a copy of the one that owns the state.
  case copy(library: String, of: String)

  /// One sentence: what is wrong, and the remedy.
  package var description: String {
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
      podflux.sqlite, podflux.sqlite-wal, secrets and partial from "\(library)/.podflux" to there first
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

extension Library {
  /// The folder of the state that the library at a path notes; nil if it notes none that can be read.
  package static func notedState(at path: String) -> String? {
    (try? StateBinding.noted(byLibraryAt: path, shownAs: path))?.path
  }
}
