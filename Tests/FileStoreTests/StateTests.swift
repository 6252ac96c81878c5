import Flux
import Foundation
import Glibc
import PodfluxCore
import Testing

@testable import FileStore

@Suite("A state elsewhere")
struct StateTests {
  private let folder: TemporaryFolderOfState

  init() throws {
    folder = try TemporaryFolderOfState()
  }

  @Test("holds the lock and the partial files; the library has the rest, and finds it again by itself")
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

  @Test("is found where it has been moved to, and so is the library")
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

  @Test("is opened neither with another library nor with the empty folder where the library's disk is not mounted")
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

  @Test("is the one that the library has, and no other")
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
    // Nothing is made to be looked at.
    #expect(throws: FileError.self) {
      try Library.open(at: folder.path + "/new", state: folder.path + "/new state", mode: .existing)
    }
    #expect(!FileManager.default.fileExists(atPath: folder.path + "/new state"))
  }

  // MARK: Between two disks

  @Test(
    "on another disk publishes a copy, with the time of the original, which goes last",
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
    // A crash before its row: it is known for what it is.
    #expect(try publisher.hasPublished(partial("EP:1"), as: path("x/1.mp3"), recorded: copied))
    #expect(try publisher.publish(partial("EP:1"), to: path("x/1.mp3"), recorded: copied) == .alreadyPublished(copied))
  }

  @Test("on another disk replaces nothing, and its copies can be ended and removed")
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
    try incoming.clear()
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
}

/// A folder for a library and its state.
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
}
