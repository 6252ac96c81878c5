import FileStore
import Foundation
import Testing

@Suite("A library")
struct LibraryTests {
  @Test("is created with its folders and marker, and opened again unchanged")
  func makesLayout() throws {
    let temporary = try TemporaryLibrary()
    #expect(try temporary.contents(".podflux/library") == "podflux library 1\n")
    let attributes = try FileManager.default.attributesOfItem(atPath: temporary.url(".podflux").path)
    #expect(attributes[.posixPermissions] as? Int == 0o700)
    #expect(temporary.isThere(".podflux/partial"))
    #expect(temporary.library.databasePath == temporary.url(".podflux/podflux.sqlite").path)
    _ = try Library.open(at: temporary.library.path, mode: .existing)
  }

  @Test("notes once that it has a database")
  func databaseNote() throws {
    let temporary = try TemporaryLibrary()
    #expect(try !temporary.library.notesDatabase())
    for _ in 0..<2 { try temporary.library.noteDatabase() }
    #expect(try temporary.library.notesDatabase())
    #expect(try temporary.contents(".podflux/database") == "podflux database 1\n")
    #expect(!temporary.isThere(".podflux/database.temp"))
  }

  @Test("is created with the folders above it, with any slashes")
  func makesParents() throws {
    let temporary = try TemporaryLibrary()
    _ = try Library.open(at: temporary.folder.path + "//a///b/")
    #expect(FileManager.default.fileExists(atPath: temporary.folder.path + "/a/b/.podflux/library"))
  }

  @Test("is created where the path has single dots behind a missing folder: \"new/.\" was said to exist already")
  func makesDots() throws {
    let temporary = try TemporaryLibrary()
    _ = try Library.open(at: temporary.folder.path + "/new/./library")
    #expect(FileManager.default.fileExists(atPath: temporary.folder.path + "/new/library/.podflux/library"))
  }

  @Test("is not made at a path that is too long for SQLite, but with its state elsewhere")
  func longPath() throws {
    let temporary = try TemporaryLibrary()
    let real = try #require(realpath(temporary.folder.path, nil))
    defer { free(real) }
    let base = String(cString: real) + "/" + String(repeating: "a", count: 200) + "/"
    func path(of bytes: Int) -> String { base + String(repeating: "b", count: bytes - base.utf8.count) }
    let longest = path(of: 480)
    let library = try Library.open(at: longest)
    #expect((library.databasePath + "-journal").utf8.count == 512)
    let tooLong = path(of: 481)
    let error = FileError.longStatePath(path: tooLong + "/.podflux")
    for mode in [Library.Mode.existing, .createIfMissing] {
      #expect(throws: error) { try Library.open(at: tooLong, mode: mode) }
    }
    #expect(!FileManager.default.fileExists(atPath: tooLong))
    let state = temporary.folder.path + "/state"
    _ = try Library.open(at: tooLong, state: state)
    _ = try Library.open(at: tooLong, mode: .existing)
    let longState = path(of: 490)
    #expect(throws: FileError.longStatePath(path: longState)) { try Library.open(at: tooLong, state: longState) }
  }

  @Test("is not created if only an existing one is requested")
  func changesNothing() throws {
    let temporary = try TemporaryLibrary()
    let missing = temporary.folder.path + "/missing"
    #expect(throws: FileError.notFound(path: missing)) { try Library.open(at: missing, mode: .existing) }
    #expect(!FileManager.default.fileExists(atPath: missing))
    let foreign = temporary.folder.path
    #expect(throws: FileError.notFound(path: ".podflux")) { try Library.open(at: foreign, mode: .existing) }
    #expect(!FileManager.default.fileExists(atPath: foreign + "/.podflux"))
    #expect(throws: FileError.notFound(path: "")) { try Library.open(at: "") }
  }

  @Test("is refused where a file stands in its place")
  func refusesFile() throws {
    let temporary = try TemporaryLibrary()
    try temporary.write("x", to: "file")
    let file = temporary.url("file").path
    #expect(throws: FileError.notAFolder(path: file)) { try Library.open(at: file) }
    #expect(throws: FileError.notAFolder(path: file + "/sub")) { try Library.open(at: file + "/sub") }
  }

  @Test(
    "is refused when one of the engine's own names is a link",
    arguments: [".podflux", ".podflux/partial", ".podflux/library"])
  func refusesLinks(name: String) throws {
    let temporary = try TemporaryLibrary()
    try FileManager.default.moveItem(at: temporary.url(name), to: temporary.folder.appending(path: "moved"))
    try temporary.link(name, to: temporary.folder.path + "/moved")
    #expect(throws: FileError.symbolicLink(path: name)) { try Library.open(at: temporary.library.path) }
  }

  @Test("is opened where a copy lacks the empty folder of partial files, or the marker")
  func incompleteCopy() throws {
    let temporary = try TemporaryLibrary()
    let engine = temporary.library.path + "/.podflux"
    try Data().write(to: URL(filePath: engine + "/podflux.sqlite"))
    try FileManager.default.removeItem(atPath: engine + "/partial")
    try FileManager.default.removeItem(atPath: engine + "/library")
    _ = try Library.open(at: temporary.library.path, mode: .existing)
    #expect(FileManager.default.fileExists(atPath: engine + "/partial"))
    #expect(!FileManager.default.fileExists(atPath: engine + "/library"))
  }

  @Test("is refused with a later format, and repaired if a crash left the marker empty")
  func checksMarker() throws {
    let temporary = try TemporaryLibrary()
    try temporary.write("podflux library 2\n", to: ".podflux/library")
    #expect(throws: FileError.unknownFormat(path: ".podflux/library")) { try Library.open(at: temporary.library.path) }
    try temporary.write("", to: ".podflux/library")
    _ = try Library.open(at: temporary.library.path)
    #expect(try temporary.contents(".podflux/library") == "podflux library 1\n")
  }

  @Test("stays open when its folder is renamed")
  func followsItsFolder() throws {
    let temporary = try TemporaryLibrary()
    let moved = temporary.folder.appending(path: "moved")
    try FileManager.default.moveItem(atPath: temporary.library.path, toPath: moved.path)
    try temporary.makePartial("a", "text")
    _ = try Publisher(temporary.library).publish(partial("a"), to: path("a.mp3"))
    #expect(try Data(contentsOf: moved.appending(path: "a.mp3")) == Data("text".utf8))
  }

  @Test("knows the free space")
  func knowsDiskSpace() throws {
    let space = try TemporaryLibrary().library.diskSpace()
    #expect(space.freeBytes > 0)
    #expect(space.totalBytes >= space.freeBytes)
  }
}
