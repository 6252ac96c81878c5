import FileStore
import Foundation
import Testing

@Suite("A library")
struct LibraryTests {
  @Test("is made with its folders and marker, and opened again as it is")
  func makesLayout() throws {
    let temporary = try TemporaryLibrary()
    #expect(try temporary.contents(".podflux/library") == "podflux library 1\n")
    let attributes = try FileManager.default.attributesOfItem(atPath: temporary.url(".podflux").path)
    #expect(attributes[.posixPermissions] as? Int == 0o700)
    #expect(temporary.isThere(".podflux/partial"))
    #expect(temporary.library.databasePath == temporary.url(".podflux/podflux.sqlite").path)
    _ = try Library.open(at: temporary.library.path, mode: .existing)
  }

  @Test("is made with the folders above it, whatever the slashes")
  func makesParents() throws {
    let temporary = try TemporaryLibrary()
    _ = try Library.open(at: temporary.folder.path + "//a///b/")
    #expect(FileManager.default.fileExists(atPath: temporary.folder.path + "/a/b/.podflux/library"))
  }

  @Test("is not made where an existing one is asked for")
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

  @Test("is refused in a format of the future, and repaired when a crash left the marker empty")
  func checksMarker() throws {
    let temporary = try TemporaryLibrary()
    try temporary.write("podflux library 2\n", to: ".podflux/library")
    #expect(throws: FileError.unknownFormat(path: ".podflux/library")) { try Library.open(at: temporary.library.path) }
    try temporary.write("", to: ".podflux/library")
    _ = try Library.open(at: temporary.library.path)
    #expect(try temporary.contents(".podflux/library") == "podflux library 1\n")
  }

  @Test("goes with its folder when that is renamed while open")
  func followsItsFolder() throws {
    let temporary = try TemporaryLibrary()
    let moved = temporary.folder.appending(path: "moved")
    try FileManager.default.moveItem(atPath: temporary.library.path, toPath: moved.path)
    try temporary.makePartial("a", "text")
    _ = try Publisher(temporary.library).publish(partial("a"), to: path("a.mp3"))
    #expect(try Data(contentsOf: moved.appending(path: "a.mp3")) == Data("text".utf8))
  }

  @Test("knows how much room there is")
  func knowsDiskSpace() throws {
    let space = try TemporaryLibrary().library.diskSpace()
    #expect(space.freeBytes > 0)
    #expect(space.totalBytes >= space.freeBytes)
  }
}
