import Foundation
import Glibc
import PodfluxCore
import Testing

@testable import FileStore

@Suite("Quarantine")
struct QuarantineTests {
  private let library: TemporaryLibrary
  private let files: PublishedFiles

  init() throws {
    library = try TemporaryLibrary()
    files = PublishedFiles(library.library)
  }

  private func identity(_ text: String) throws -> FileIdentity {
    try #require(try files.identity(of: path(text)))
  }

  @Test(
    "A file is put aside under its download's name, and a folder that is empty then goes",
    arguments: [Move.renaming, .linking])
  func moves(move: Move) throws {
    try library.write("bad", to: "x/a b.MP3")
    try files.quarantine(path("x/a b.MP3"), recorded: identity("x/a b.MP3"), as: partial("ep:1"), move: move)
    #expect(try library.contents(".podflux/quarantine/ep:1-1.mp3") == "bad")
    #expect(!library.isThere("x"))
  }

  @Test("Never over another file: each gets the next number", arguments: [Move.renaming, .linking])
  func numbers(move: Move) throws {
    for text in ["one", "two", "three"] {
      try library.write(text, to: "a")
      try files.quarantine(path("a"), recorded: identity("a"), as: partial("d"), move: move)
    }
    #expect(try library.contents(".podflux/quarantine/d-1.bin") == "one")
    #expect(try library.contents(".podflux/quarantine/d-2.bin") == "two")
    #expect(try library.contents(".podflux/quarantine/d-3.bin") == "three")
  }

  @Test("Another file than the recorded one stays where it is; so does one that has changed its length")
  func anotherFile() throws {
    try library.write("new", to: "x/a.mp3")
    let found = try identity("x/a.mp3")
    for recorded in [
      FileIdentity(device: found.device, inode: found.inode + 1, size: found.size),
      FileIdentity(device: found.device, inode: found.inode, size: found.size + 1),
    ] {
      try files.quarantine(path("x/a.mp3"), recorded: recorded, as: partial("d"))
      #expect(try library.contents("x/a.mp3") == "new")
    }
    #expect(!library.isThere(".podflux/quarantine/d-1.mp3"))
  }

  @Test("Can be done again after a crash, and where nothing is or was")
  func repeats() throws {
    try library.write("bad", to: "x/a.mp3")
    let recorded = try identity("x/a.mp3")
    for _ in 1...2 { try files.quarantine(path("x/a.mp3"), recorded: recorded, as: partial("d")) }
    try files.quarantine(path("y/z/a.mp3"), recorded: recorded, as: partial("d"))
    let names = try FileManager.default.contentsOfDirectory(atPath: library.url(".podflux/quarantine").path)
    #expect(names == ["d-1.mp3"])
  }

  @Test("Finishes what a crash between link and unlink left")
  func repairsLink() throws {
    try library.write("bad", to: "a.mp3")
    let recorded = try identity("a.mp3")
    try library.write("other", to: ".podflux/quarantine/d-1.mp3")
    #expect(link(library.url("a.mp3").path, library.url(".podflux/quarantine/d-2.mp3").path) == 0)
    try files.quarantine(path("a.mp3"), recorded: recorded, as: partial("d"), move: .linking)
    #expect(!library.isThere("a.mp3"))
    #expect(try library.contents(".podflux/quarantine/d-2.mp3") == "bad")
    #expect(!library.isThere(".podflux/quarantine/d-3.mp3"))
  }

  @Test("Follows no link, neither to the file nor to the quarantine")
  func links() throws {
    try library.write("mine", to: "mine.mp3")
    let recorded = try identity("mine.mp3")
    try library.link("a.mp3", to: "mine.mp3")
    #expect(throws: FileError.symbolicLink(path: "a.mp3")) {
      try files.quarantine(path("a.mp3"), recorded: recorded, as: partial("d"))
    }
    try FileManager.default.removeItem(at: library.url(".podflux/quarantine"))
    try library.link(".podflux/quarantine", to: "..")
    #expect(throws: FileError.symbolicLink(path: ".podflux/quarantine")) {
      try files.quarantine(path("mine.mp3"), recorded: recorded, as: partial("d"))
    }
    #expect(try library.contents("mine.mp3") == "mine")
  }

  @Test("Only a regular file is opened to be read; a pipe is not waited for")
  func opening() throws {
    try library.write("text", to: "x/a.mp3")
    let contents = try #require(try files.open(path("x/a.mp3")))
    #expect(try contents.identity == identity("x/a.mp3"))
    #expect(try contents.read(offset: 1, count: 2) == Array("ex".utf8))
    #expect(try contents.read(offset: 2, count: 99) == Array("xt".utf8))
    #expect(try files.open(path("x/b.mp3")) == nil)
    #expect(try files.open(path("y/b.mp3")) == nil)
    #expect(mkfifo(library.url("pipe").path, 0o600) == 0)
    #expect(throws: FileError.notARegularFile(path: "pipe")) { try files.open(path("pipe")) }
    #expect(throws: FileError.notARegularFile(path: "x")) { try files.open(path("x")) }
    try library.link("link", to: "x/a.mp3")
    #expect(throws: FileError.symbolicLink(path: "link")) { try files.open(path("link")) }
  }
}
