import Foundation
import Glibc
import PodfluxCore
import Testing

@testable import FileStore

@Suite("Files named by their bytes")
struct RawPathTests {
  private let library: TemporaryLibrary
  private let files: PublishedFiles

  init() throws {
    library = try TemporaryLibrary()
    files = PublishedFiles(library.library)
  }

  @Test("are found, read and deleted by names that are not UTF-8")
  func rawNames() throws {
    try library.makeFolder("x")
    let path = EntryPath(bytes: Array("x/".utf8) + [0xFF, 0xC3])
    #expect(try files.identity(of: path) == nil)
    try library.write("raw", toRaw: path)
    #expect(try files.exists(path))
    #expect(try files.identity(of: path)?.size == 3)
    #expect(try library.contents(raw: path) == "raw")
    #expect(try files.delete(path))
    #expect(library.isThere("x"))
    #expect(try !files.delete(path))
  }

  @Test(
    "are refused where the path could lead elsewhere",
    arguments: [
      "", "/", "a//b", "a/", "/a", "..", "../a", "a/../b", "a/.", ".podflux/library", ".hidden", "a/.b", "a\0b",
      String(repeating: "a", count: 256), String(repeating: "a/", count: 16) + "a",
    ])
  func illegal(text: String) throws {
    try library.write("x", to: "a/b")
    #expect(throws: FileError.illegalPath(path: text)) { try files.identity(of: EntryPath(text)) }
    #expect(throws: FileError.illegalPath(path: text)) { try files.delete(EntryPath(text)) }
    #expect(throws: FileError.illegalPath(path: text)) { try files.removeEmptyFolder(EntryPath(text)) }
  }

  @Test("are deleted only if their identity is the expected one")
  func recorded() throws {
    try library.write("new", to: "a")
    let found = try #require(try files.identity(of: EntryPath("a")))
    let meant = FileIdentity(device: found.device, inode: found.inode, size: 4)
    #expect(try !files.delete(EntryPath("a"), recorded: meant))
    #expect(try library.contents("a") == "new")
    #expect(try files.delete(EntryPath("a"), recorded: found))
    #expect(!library.isThere("a"))
  }

  @Test("Only an empty folder is removed, without hidden entries")
  func emptyFolders() throws {
    for folder in ["a/b", "c", "d"] { try library.makeFolder(folder) }
    try library.write("x", to: "c/.kept")
    try library.write("x", to: "file")
    try library.link("link", to: "d")
    #expect(try files.removeEmptyFolder(EntryPath("a/b")))
    // The parent folder may be a user's.
    #expect(library.isThere("a") && !library.isThere("a/b"))
    for name in ["a/b", "a/b/c", "c", "file", "link"] {
      #expect(try !files.removeEmptyFolder(EntryPath(name)))
    }
    #expect(library.isThere("c/.kept") && library.isThere("file") && library.isThere("link") && library.isThere("d"))
    #expect(throws: FileError.symbolicLink(path: "link")) { try files.removeEmptyFolder(EntryPath("link/x")) }
  }
}
