import Glibc

/// What makes a library and the folder of its state elsewhere know each other: both hold a file `binding` with the same
/// random digits, and the path at which the other one was last.
///
/// So a library is never opened with another one's state, nor a state with the empty folder in whose place the library's disk
/// is not mounted. Nor is a library that has its state elsewhere opened as a new one.
///
/// The two are bound by the first engine that is told of both, in three steps: the digits come into the state's folder
/// (`binding.new`), into the library, and then to their name in the state's folder. After a crash the next engine goes on.
struct StateBinding: Hashable {
  private static let head = "podflux state 1\n"
  private static let idBytes = 16
  /// The longest file that is read: a path has at most 4,096 bytes (PATH_MAX).
  private static let maximumBytes = 5000
  private static let unfinished: EntryName = "binding.new"

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

  /// Puts it on the device under a name, whatever has that name.
  private func write(_ name: EntryName, in folder: Descriptor) throws(FileError) {
    let file = try folder.openChild(
      Self.unfinished, O_WRONLY | O_CREAT | O_TRUNC, mode: Library.Layout.privateFileMode)
    let outcome = Array("\(Self.head)\(id)\n\(path)\n".utf8).withUnsafeBytes { file.write($0, offset: 0) }
    if let failure = outcome.failure { throw failure }
    try file.synchronize()
    try Self.finish(name, in: folder)
  }

  private static func finish(_ name: EntryName, in folder: Descriptor) throws(FileError) {
    if name != unfinished {
      try systemCall("renameat", folder.pathOfChild(name)) {
        renameat(folder.number, unfinished.cString, folder.number, name.cString)
      }
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
  static func settle(
    library: (path: String, engine: Descriptor), state: (path: String, folder: Descriptor), _ mode: Library.Mode
  ) throws(FileError) {
    let name = Library.Layout.binding
    let (ofState, ofLibrary) = (try read(name, in: state.folder), try read(name, in: library.engine))
    guard let ofState else {
      guard mode == .createIfMissing else { throw .notFound(path: state.folder.pathOfChild(name)) }
      return try bind(library, state, ofLibrary)
    }
    guard let ofLibrary, ofLibrary.id == ofState.id else {
      throw .mismatch(.libraryElsewhere(library: library.path, last: ofState.path))
    }
    guard mode == .createIfMissing else { return }
    let here = Library.realPath(library.path) ?? library.path
    if ofState.path != here { try StateBinding(id: ofState.id, path: here).write(name, in: state.folder) }
    guard ofLibrary.path != state.path else { return }
    try StateBinding(id: ofState.id, path: state.path).write(name, in: library.engine)
  }

  private static func bind(
    _ library: (path: String, engine: Descriptor), _ state: (path: String, folder: Descriptor),
    _ ofLibrary: StateBinding?
  ) throws(FileError) {
    let begun = try read(unfinished, in: state.folder)
    if let ofLibrary, ofLibrary.id != begun?.id {
      throw .mismatch(.stateElsewhere(library: library.path, last: ofLibrary.path))
    }
    guard try library.engine.statusOfChild(EntryName(Library.databaseName)) == nil else {
      throw .mismatch(.stateInside(library: library.path, state: state.path))
    }
    let id = begun?.id ?? random()
    let here = Library.realPath(library.path) ?? library.path
    try StateBinding(id: id, path: here).write(unfinished, in: state.folder)
    if ofLibrary == nil { try StateBinding(id: id, path: state.path).write(Library.Layout.binding, in: library.engine) }
    try finish(Library.Layout.binding, in: state.folder)
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
    }
  }
}
