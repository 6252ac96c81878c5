import Flux
import Foundation
import Glibc
import PodfluxCore
import Testing

@testable import FileStore

@Suite("An external state")
struct StateTests {
  private let folder: TemporaryFolderOfState

  init() throws {
    folder = try TemporaryFolderOfState()
  }

  @Test("holds the lock and the partial files; the library has the rest, and remembers the state's path")
  func layout() throws {
    let library = try folder.open()
    #expect(library.databasePath == folder.state + "/podflux.sqlite")
    let lock = try LibraryLock(library)
    try Partials(library).open(partial("a")).append("text")
    #expect(try folder.names(folder.state) == ["binding", "lock", "partial"])
    #expect(try folder.names(folder.library + "/.podflux") == ["binding", "library"])
    let again = try Library.open(at: folder.library)
    #expect(again.databasePath == library.databasePath)
    #expect(throws: LibraryLock.Failure.held(byProcess: getpid())) { try LibraryLock(again) }
    #expect(try library.close(with: lock, upToMilliseconds: 100) == 0)
    #expect(try Partials(again).open(partial("a"), mode: .existing).text() == "text")
    #expect(try Library.open(at: folder.library, state: folder.state, mode: .existing).isInPlace())
  }

  @Test("is bound again after a crash at any step")
  func goesOn() throws {
    _ = try folder.open()
    let (ofState, ofLibrary) = (folder.state + "/binding", folder.library + "/.podflux/binding")
    let both = try Data(contentsOf: URL(filePath: ofState))
    // Before the last step, before the one in the library, and in the middle of the first.
    try FileManager.default.moveItem(atPath: ofState, toPath: ofState + ".new")
    _ = try folder.open()
    #expect(try Data(contentsOf: URL(filePath: ofState)) == both)
    try FileManager.default.moveItem(atPath: ofState, toPath: ofState + ".new")
    try FileManager.default.removeItem(atPath: ofLibrary)
    _ = try folder.open()
    #expect(try Data(contentsOf: URL(filePath: ofState)) == both)
    try FileManager.default.removeItem(atPath: ofState)
    try FileManager.default.removeItem(atPath: ofLibrary)
    try both.prefix(30).write(to: URL(filePath: ofState + ".new"))
    _ = try folder.open()
    #expect(try Data(contentsOf: URL(filePath: ofState)) != both)
    #expect(try folder.names(folder.state) == ["binding", "partial"])
  }

  @Test("is found at its new path, and so is the library")
  func moves() throws {
    _ = try folder.open()
    let (state, library) = (folder.path + "/state 2", folder.path + "/library 2")
    try FileManager.default.moveItem(atPath: folder.state, toPath: state)
    #expect(throws: FileError.mismatch(.stateElsewhere(library: folder.library, last: folder.state))) {
      try Library.open(at: folder.library)
    }
    _ = try Library.open(at: folder.library, state: state)
    #expect(try Library.open(at: folder.library).statePath == state)
    try FileManager.default.moveItem(atPath: folder.library, toPath: library)
    #expect(try Library.open(at: library).statePath == state)
  }

  @Test("is opened neither with another library nor with the empty mount point of the library's disk")
  func otherLibrary() throws {
    _ = try folder.open()
    let other = folder.path + "/other"
    let missing = FileError.mismatch(.libraryElsewhere(library: other, last: folder.library))
    #expect(throws: missing) { try Library.open(at: other, state: folder.state) }
    #expect(!FileManager.default.fileExists(atPath: other))
    try FileManager.default.createDirectory(atPath: other, withIntermediateDirectories: false)
    #expect(throws: missing) { try Library.open(at: other, state: folder.state) }
    #expect(try folder.names(other) == [])
    _ = try Library.open(at: other)
    #expect(throws: missing) { try Library.open(at: other, state: folder.state) }
  }

  @Test("must be the library's own")
  func otherState() throws {
    _ = try folder.open()
    let other = folder.path + "/other state"
    #expect(throws: FileError.mismatch(.stateElsewhere(library: folder.library, last: folder.state))) {
      try Library.open(at: folder.library, state: other)
    }
    #expect(throws: FileError.mismatch(.stateInLibrary(state: folder.library + "/a/state"))) {
      try Library.open(at: folder.library, state: folder.library + "/a/state")
    }
    let own = folder.path + "/own"
    _ = try Library.open(at: own)
    try Data().write(to: URL(filePath: own + "/.podflux/podflux.sqlite"))
    #expect(throws: FileError.mismatch(.stateInside(library: own, state: other))) {
      try Library.open(at: own, state: other)
    }
    try Data("podflux state 1\nnonsense".utf8).write(to: URL(filePath: folder.library + "/.podflux/binding"))
    #expect(throws: FileError.unknownFormat(path: ".podflux/binding")) { try folder.open() }
    // Reading creates nothing.
    #expect(throws: FileError.mismatch(.noState(state: folder.path + "/new state"))) {
      try Library.open(at: folder.path + "/new", state: folder.path + "/new state", mode: .existing)
    }
    #expect(!FileManager.default.fileExists(atPath: folder.path + "/new state"))
  }

  @Test(
    "refuses a folder with other programs' files",
    arguments: [
      "probe", "partial/", "partial/a.mp3", "lock", "lock/", "podflux.sqlite/", ".hidden", "library", "room",
      "secrets",
    ])
  func otherThings(name: String) throws {
    try folder.make(name, in: folder.state)
    let before = try folder.tree(folder.state)
    guard name != "partial/" else {
      _ = try folder.open()
      return
    }
    #expect(throws: FileError.mismatch(.notEmpty(state: folder.state))) { try folder.open() }
    #expect(try folder.tree(folder.state) == before)
    #expect(!FileManager.default.fileExists(atPath: folder.library))
  }

  @Test("may start in a new file system, or in a folder with the state moved out of a library")
  func acceptedThings() throws {
    for name in ["lost+found/", "podflux.sqlite", "podflux.sqlite-wal", "lock", "room", "secrets", "partial/a.part"] {
      try folder.make(name, in: folder.state)
    }
    let library = try folder.open()
    #expect(try Partials(library).identity(of: partial("a")) != nil)
    let wholeLibrary = folder.path + "/whole"
    _ = try Library.open(at: wholeLibrary)
    for state in [wholeLibrary, wholeLibrary + "/.podflux"] {
      #expect(throws: FileError.mismatch(.notEmpty(state: state))) {
        try Library.open(at: folder.path + "/new", state: state)
      }
    }
  }

  @Test("tests renaming with its own file, also beside one that a killed engine left, and replaces no other")
  func probe() throws {
    _ = try folder.open()
    try Data("mine".utf8).write(to: URL(filePath: folder.state + "/probe"))
    try Data().write(to: URL(filePath: folder.state + "/binding.probe"))
    _ = try folder.open()
    #expect(try folder.names(folder.state) == ["binding", "partial", "probe"])
    #expect(try folder.names(folder.library + "/.podflux") == ["binding", "library"])
    try Data("mine".utf8).write(to: URL(filePath: folder.state + "/binding.probe"))
    #expect(throws: FileError.exists(path: folder.state + "/binding.probe")) { try folder.open() }
  }

  @Test("is refused to a copy of its library; without the original, the library was moved")
  func copies() throws {
    _ = try folder.open()
    let copy = folder.path + "/backup"
    try FileManager.default.copyItem(atPath: folder.library, toPath: copy)
    let before = try folder.tree(folder.state)
    let mismatch = FileError.mismatch(.copy(library: copy, of: folder.library))
    for mode in [Library.Mode.createIfMissing, .existing] {
      #expect(throws: mismatch) { try Library.open(at: copy, mode: mode) }
      #expect(throws: mismatch) { try Library.open(at: copy, state: folder.state, mode: mode) }
    }
    #expect(try folder.tree(folder.state) == before)
    // The same folder under another path is no copy.
    try FileManager.default.createSymbolicLink(
      atPath: folder.path + "/link", withDestinationPath: folder.library)
    #expect(try Library.open(at: folder.path + "/link").statePath == folder.state)
    try FileManager.default.removeItem(atPath: folder.library)
    #expect(try Library.open(at: copy).statePath == folder.state)
    // The state has recorded the move: a library at the old path is a copy now.
    try FileManager.default.copyItem(atPath: copy, toPath: folder.library)
    #expect(throws: FileError.mismatch(.copy(library: folder.library, of: copy))) { try folder.open() }
    // Without its binding a copy is an independent library.
    try FileManager.default.removeItem(atPath: folder.library + "/.podflux/binding")
    #expect(try Library.open(at: folder.library).statePath == folder.library + "/.podflux")
  }

  @Test("is refused inside a library that does not exist yet, also through links")
  func holds() throws {
    let (top, link) = (folder.path, folder.path + "/link")
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: top)
    #expect(Library.holds(top + "/new/state", at: top + "/new"))
    #expect(Library.holds(link + "/new/a/b/../state/", at: top + "/./new//"))
    #expect(Library.holds(top + "/new", at: link + "/new"))
    #expect(Library.holds(top + "/new", at: "/"))
    #expect(!Library.holds(top + "/new/../state", at: top + "/new"))
    #expect(!Library.holds(top + "/new state", at: top + "/new"))
    #expect(!Library.holds(top, at: top + "/new"))
    #expect(throws: FileError.mismatch(.stateInLibrary(state: link + "/library/state"))) {
      try Library.open(at: folder.library, state: link + "/library/state")
    }
    #expect(!FileManager.default.fileExists(atPath: folder.library))
  }

  @Test("with a wrong path is reported, not created")
  func wrongName() throws {
    _ = try folder.open()
    let typo = folder.path + "/typo"
    #expect(throws: FileError.mismatch(.stateElsewhere(library: folder.library, last: folder.state))) {
      try Library.open(at: folder.library, state: typo)
    }
    #expect(!FileManager.default.fileExists(atPath: typo))
    #expect(throws: FileError.mismatch(.noState(state: typo))) {
      try Library.open(at: folder.library, state: typo, mode: .existing)
    }
    try folder.make("a.mp3", in: typo)
    #expect(throws: FileError.mismatch(.noState(state: typo))) {
      try Library.open(at: folder.library, state: typo, mode: .existing)
    }
    #expect(try folder.names(typo) == ["a.mp3"])
    // The library's own state folder has the right path, but is missing now.
    try FileManager.default.removeItem(atPath: folder.state)
    #expect(throws: FileError.mismatch(.stateElsewhere(library: folder.library, last: folder.state))) {
      try Library.open(at: folder.library, state: folder.state, mode: .existing)
    }
  }

  @Test("completes its binding with only the library's path, and stays with the same library")
  func finishes() throws {
    _ = try folder.open()
    let ofState = folder.state + "/binding"
    let both = try Data(contentsOf: URL(filePath: ofState))
    try FileManager.default.moveItem(atPath: ofState, toPath: ofState + ".new")
    // Reading changes nothing.
    for state in [nil, folder.state] {
      _ = try Library.open(at: folder.library, state: state, mode: .existing)
    }
    #expect(try folder.names(folder.state) == ["binding.new", "partial"])
    let begun = try folder.inode(ofState + ".new")
    _ = try Library.open(at: folder.library)
    #expect(try folder.inode(ofState) == begun)
    #expect(try Data(contentsOf: URL(filePath: ofState)) == both)
    // The state was moved meanwhile, and a temporary file was left.
    try FileManager.default.moveItem(atPath: ofState, toPath: ofState + ".new")
    try Data("podflux".utf8).write(to: URL(filePath: ofState + ".temp"))
    let moved = folder.path + "/moved"
    try FileManager.default.moveItem(atPath: folder.library, toPath: moved)
    _ = try Library.open(at: moved)
    #expect(try folder.names(folder.state) == ["binding", "partial"])
    #expect(try String(contentsOfFile: ofState, encoding: .utf8).hasSuffix("\(moved)\n"))
    // A binding begun with one library continues with no other while that one exists.
    try FileManager.default.moveItem(atPath: ofState, toPath: ofState + ".new")
    let other = folder.path + "/other"
    #expect(throws: FileError.mismatch(.libraryElsewhere(library: other, last: moved))) {
      try Library.open(at: other, state: folder.state)
    }
  }

  @Test("takes the note of its database along")
  func databaseNote() throws {
    try Library.open(at: folder.library).noteDatabase()
    let former = folder.library + "/.podflux/database"
    try #require(FileManager.default.fileExists(atPath: former))
    let library = try folder.open()
    #expect(try !library.notesDatabase())
    try library.noteDatabase()
    #expect(try library.notesDatabase())
    #expect(!FileManager.default.fileExists(atPath: former))
  }

  @Test("renames its partial files to this disk's spelling, and replaces none")
  func spelling() throws {
    let library = try folder.open()
    let (here, there) = (library.partialNames, PartialName.Style.portable)
    try #require(here == .plain)
    func file(_ name: String, _ style: PartialName.Style) throws -> String {
      "partial/" + style.fileName(of: try partial(name)).text
    }
    for name in ["EP:1", "b", "taken"] { try folder.make(file(name, there), in: folder.state, name) }
    try folder.make(file("taken", here), in: folder.state, "old")
    try folder.make("partial/stray", in: folder.state)
    func listed() throws -> [String: PartialName?] {
      let listing = try Partials(library).list()
      var entries: [String: PartialName?] = [:]
      while let entry = try listing.next() { entries[entry.fileName] = entry.name }
      return entries
    }
    #expect(try listed().compactMapValues { $0 } == ["taken.part": partial("taken")])
    #expect(Partials(library).spellAnew() == [])
    #expect(try listed().count == 5)
    #expect(
      try listed().compactMapValues { $0 }
        == ["EP:1.part": partial("EP:1"), "b.part": partial("b"), "taken.part": partial("taken")])
    #expect(try Partials(library).open(partial("taken"), mode: .existing).text() == "old")
    #expect(try Partials(library).open(partial("EP:1"), mode: .existing).text() == "EP:1")
  }

  @Test("has its quarantined files restored only to a given path")
  func strayPartial() throws {
    let library = try folder.open()
    // With another spelling it is an orphan.
    try folder.make("partial/a%.part", in: folder.state)
    let entry = try #require(try Partials(library).list().next())
    let quarantine = Quarantine(library)
    let taking = try quarantine.take(strayPartial: entry, because: "it is none", at: Timestamp(milliseconds: 0))
    #expect(taking == .moved(name: "a_-1.part"))
    #expect(try quarantine.restore("a_-1.part") == .noPlace)
  }

  // MARK: Between two disks

  @Test(
    "on another disk publishes a copy with the original's time, and deletes the original last",
    arguments: [Move.renaming, .linking, .placing])
  func publishesCopy(move: Move) throws {
    let library = try folder.open(movesAcross: true)
    let file = try Partials(library).open(partial("EP:1"))
    try file.append("text")
    try file.setModificationTime(Timestamp(milliseconds: 1_000_000_123))
    let copied = try #require(try Incoming(library)?.copy(file, partial("EP:1")) { true })
    #expect(try copied.inode != file.identity().inode)
    let publisher = Publisher(library, move: move)
    #expect(try !publisher.hasPublished(partial("EP:1"), as: path("x/1.mp3"), recorded: copied))
    let publication = try publisher.publish(partial("EP:1"), to: path("x/1.mp3"), recorded: copied)
    #expect(publication.identity == copied)
    #expect(publication.identity.modifiedNanoseconds == 1_000_000_123_000_000)
    #expect(try String(contentsOfFile: folder.library + "/x/1.mp3", encoding: .utf8) == "text")
    #expect(try folder.names(folder.state + "/partial") == [])
    #expect(try folder.names(folder.library + "/.podflux/incoming") == [])
    // After a crash before the row: recovery recognizes it.
    #expect(try publisher.hasPublished(partial("EP:1"), as: path("x/1.mp3"), recorded: copied))
    #expect(try publisher.publish(partial("EP:1"), to: path("x/1.mp3"), recorded: copied) == .alreadyPublished(copied))
  }

  @Test("on another disk replaces nothing, and its copies can be cancelled and removed")
  func endsCopies() throws {
    let library = try folder.open(movesAcross: true)
    let incoming = try #require(Incoming(library))
    let file = try Partials(library).open(partial("a"))
    try Array(repeating: UInt8(7), count: 3 << 20).withUnsafeBytes { try file.append([$0]) }
    var pieces = 0
    let ended = try incoming.copy(file, partial("a")) {
      pieces += 1
      return pieces < 3
    }
    #expect(ended == nil)
    #expect(try folder.names(folder.library + "/.podflux/incoming").count == 1)
    #expect(Incoming.clear(library, keeping: []) == [])
    #expect(try folder.names(folder.library + "/.podflux/incoming") == [])
    let copied = try #require(try incoming.copy(file, partial("a")) { true })
    try Data("old".utf8).write(to: URL(filePath: folder.library + "/a.mp3"))
    #expect(throws: FileError.exists(path: "a.mp3")) {
      try Publisher(library).publish(partial("a"), to: path("a.mp3"), recorded: copied)
    }
    #expect(try file.length() == 3 << 20)
    #expect(try incoming.delete(partial("a")))
    #expect(try !incoming.delete(partial("a")))
  }

  @Test(
    "on any disk removes old copies except those that are publishing, and skips those that it cannot remove")
  func clears() throws {
    for movesAcross in [true, false] {
      let library = try folder.open(movesAcross: movesAcross)
      for name in ["incoming/a%.part", "incoming/b%.part", "incoming/folder/x", "incoming/old"] {
        try folder.make(name, in: folder.library + "/.podflux")
      }
      let failures = Incoming.clear(library, keeping: [try partial("b"), try partial("c")])
      #expect(failures == [.notARegularFile(path: ".podflux/incoming/folder")])
      #expect(try folder.names(folder.library + "/.podflux/incoming") == ["b%.part", "folder"])
      try FileManager.default.removeItem(atPath: folder.library + "/.podflux/incoming")
      #expect(movesAcross || Incoming.clear(library, keeping: []) == [])
    }
  }

  @Test("on another disk has published a file although the partial cannot be deleted")
  func partialStays() throws {
    let library = try folder.open(movesAcross: true)
    let file = try Partials(library).open(partial("a"))
    try file.append("text")
    let incoming = try #require(Incoming(library))
    #expect(try incoming.freeBytes() > 0)
    let copied = try #require(try incoming.copy(file, partial("a")) { true })
    let place = folder.state + "/partial/a.part"
    try FileManager.default.removeItem(atPath: place)
    try folder.make("a.part/", in: folder.state + "/partial")
    let publication = try Publisher(library).publish(partial("a"), to: path("a.mp3"), recorded: copied)
    #expect(publication == .published(copied, madeFolders: []))
    #expect(FileManager.default.fileExists(atPath: place))
  }
}

/// A folder with a library and its state.
private final class TemporaryFolderOfState {
  let path: String
  var library: String { path + "/library" }
  var state: String { path + "/state" }

  init() throws {
    path = try TemporaryLibrary.makeFolder().resolvingSymlinksInPath().path
  }

  deinit {
    do {
      try FileManager.default.removeItem(atPath: path)
    } catch {
      Issue.record(error)
    }
  }

  func open(movesAcross: Bool = false) throws -> Library {
    try Library.open(at: library, state: state, traits: nil, movesAcross: movesAcross)
  }

  func names(_ folder: String) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
  }

  /// All entries of a folder, with the files' contents.
  func tree(_ folder: String) throws -> [String: Data?] {
    var found: [String: Data?] = [:]
    for name in try FileManager.default.subpathsOfDirectory(atPath: folder) {
      found[name] = .some(FileManager.default.contents(atPath: folder + "/" + name))
    }
    return found
  }

  func inode(_ path: String) throws -> UInt64 {
    var status = stat()
    try #require(lstat(path, &status) == 0)
    return UInt64(status.st_ino)
  }

  /// Creates a file, or a folder for a name that ends with a slash, and the folders above it.
  func make(_ name: String, in folder: String, _ text: String = "text") throws {
    let url = URL(filePath: folder + "/" + name)
    let above = name.hasSuffix("/") ? url : url.deletingLastPathComponent()
    try FileManager.default.createDirectory(at: above, withIntermediateDirectories: true)
    if !name.hasSuffix("/") { try Data(text.utf8).write(to: url) }
  }
}
