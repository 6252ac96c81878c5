import Foundation
import Glibc
import PodfluxCore
import Testing

@testable import FileStore

@Suite("Moving a published file to another name")
struct MovingTests {
  private let library: TemporaryLibrary
  private let files: PublishedFiles

  init() throws {
    library = try TemporaryLibrary()
    files = PublishedFiles(library.library)
  }

  private func identity(_ place: String) throws -> FileIdentity { try #require(try files.identity(of: path(place))) }

  private func move(
    _ former: String, to place: String, recorded: FileIdentity? = nil, sparingTwins: Bool = true,
    mayHaveBegun: Bool = false
  ) throws -> PublishedFiles.Moving {
    try files.move(
      EntryPath(path(former)), recorded: recorded ?? identity(former), to: path(place), sparingTwins: sparingTwins,
      mayHaveBegun: mayHaveBegun)
  }

  @Test("keeps its number and its bytes, and makes the folders that are missing")
  func moves() throws {
    try library.write("text", to: "a/x.mp3")
    let before = try identity("a/x.mp3")
    #expect(
      try move("a/x.mp3", to: "b/c/y.mp3")
        == .moved(madeFolders: [EntryPath(path("b")), EntryPath(path("b/c"))]))
    #expect(try identity("b/c/y.mp3") == before)
    #expect(try library.contents("b/c/y.mp3") == "text")
    #expect(!library.isThere("a/x.mp3"))
    #expect(try move("b/c/y.mp3", to: "b/c/z.mp3") == .moved(madeFolders: []))
    #expect(
      try files.move(
        EntryPath(path("b/c/y.mp3")), recorded: before, to: path("x"), sparingTwins: true, mayHaveBegun: true) == .gone)
  }

  @Test("replaces nothing, and takes away the folders that it has made for nothing")
  func replacesNothing() throws {
    try library.write("text", to: "x.mp3")
    try library.write("another's", to: "taken/y.mp3")
    try library.write("", to: "taken/empty.mp3")
    try library.link("link.mp3", to: "nowhere")
    for taken in ["taken/y.mp3", "taken/empty.mp3", "taken", "link.mp3", "Taken/z.mp3", "taken/Y.mp3"] {
      for mayHaveBegun in [false, true] {
        #expect(try move("x.mp3", to: taken, mayHaveBegun: mayHaveBegun) == .taken, "\(taken)")
      }
    }
    #expect(try library.contents("taken/y.mp3") == "another's")
    #expect(library.isThere("taken/empty.mp3"))
    #expect(!library.isThere("Taken"))
    // Where names need not be portable, case tells them apart.
    #expect(try move("x.mp3", to: "taken/Y.mp3", sparingTwins: false) == .moved(madeFolders: []))
  }

  @Test("leaves what is another file, or is none")
  func leavesOthers() throws {
    try library.write("text", to: "x.mp3")
    let before = try identity("x.mp3")
    try library.write("longer text", to: "x.mp3")
    #expect(try move("x.mp3", to: "y.mp3", recorded: before) == .changed)
    try library.link("link.mp3", to: "x.mp3")
    #expect(try move("link.mp3", to: "y.mp3", recorded: before) == .changed)
    #expect(try move("none.mp3", to: "y.mp3", recorded: before) == .gone)
    #expect(!library.isThere("y.mp3"))
  }

  @Test("begun by an engine that was killed is brought to its end: a link, or a placeholder")
  func resumes() throws {
    try library.write("text", to: "x.mp3")
    try FileManager.default.linkItem(at: library.url("x.mp3"), to: library.url("y.mp3"))
    #expect(try move("x.mp3", to: "y.mp3") == .taken)
    #expect(try move("x.mp3", to: "y.mp3", mayHaveBegun: true) == .moved(madeFolders: []))
    #expect(!library.isThere("x.mp3"))
    #expect(try library.contents("y.mp3") == "text")
  }

  @Test("of a folder with many names lists it once, and finds new twins all the same")
  func listings() throws {
    for number in 0..<30 { try library.write("\(number)", to: "many/\(number).mp3") }
    #expect(try move("many/0.mp3", to: "many/a0.mp3") == .moved(madeFolders: []))
    let listings = library.library.foldedFolders.listings
    for number in 1..<20 {
      #expect(try move("many/\(number).mp3", to: "many/a\(number).mp3") == .moved(madeFolders: []))
    }
    #expect(library.library.foldedFolders.listings == listings)
    #expect(try move("many/20.mp3", to: "many/A7.mp3") == .taken)
    #expect(try files.occupant(of: path("many/A8.mp3"), portably: true) == EntryPath(path("many/a8.mp3")))
    #expect(try files.occupant(of: path("many/A8.mp3"), portably: false) == nil)
    #expect(try files.occupant(of: path("many/8.mp3"), portably: true) == nil)
    #expect(try files.occupant(of: path("none/8.mp3"), portably: true) == nil)
  }
}
