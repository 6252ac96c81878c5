import Foundation
import Glibc
import PodfluxCore
import Testing

@testable import FileStore

@Suite("A library's listing")
struct LibraryListingTests {
  private let library: TemporaryLibrary

  init() throws {
    library = try TemporaryLibrary()
  }

  private func files() throws -> [EntryPath] {
    try library.listed().filter(\.isFile).map(\.path)
  }

  @Test("An empty library has no entries: its own folder is not an entry")
  func empty() throws {
    #expect(try library.listed().isEmpty)
  }

  @Test("Files come in the order of their whole paths' bytes, also if a name continues with a byte below the slash")
  func order() throws {
    let paths = ["a b/x", "a-b", "a.mp3", "a/b-c", "a/b/c", "a0", "A", "ä/z", "z"]
    for path in paths.reversed() { try library.write(path, to: path) }
    let expected = paths.map { EntryPath($0) }.sorted()
    #expect(try files() == expected)
    #expect(expected.map(\.text) == ["A", "a b/x", "a-b", "a.mp3", "a/b-c", "a/b/c", "a0", "z", "ä/z"])
  }

  @Test("Random trees come in order and completely", arguments: [1, 2, 3] as [UInt64])
  func randomTrees(seed: UInt64) throws {
    var state = seed
    func draw(_ bound: UInt64) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int((state >> 33) % bound)
    }
    let letters = ["a", "b", "-", "0", "+", "é"]
    var expected: Set<EntryPath> = []
    for _ in 0..<300 {
      let folders = (0..<draw(4)).map { _ in "d" + letters[draw(6)] }
      let path = (folders + [letters[draw(3)] + letters[draw(6)] + letters[draw(6)]]).joined(separator: "/")
      try library.write("x", to: path)
      expected.insert(EntryPath(path))
    }
    #expect(try files() == expected.sorted())
  }

  @Test("Names are bytes, whether they are UTF-8 or not")
  func rawNames() throws {
    let names: [[UInt8]] = [[0xFF, 0xFE], [0x61, 0x0A, 0x62], [0xC3, 0x28], [0x80], [0x20]]
    for name in names { try library.write("x", toRaw: EntryPath(bytes: name)) }
    #expect(try files() == names.map { EntryPath(bytes: $0) }.sorted())
  }

  @Test("A file comes with its identity")
  func identity() throws {
    try library.write("four", to: "x/a.mp3")
    let expected = try #require(try PublishedFiles(library.library).identity(of: path("x/a.mp3")))
    #expect(expected.size == 4)
    #expect(try library.listed() == [.file(EntryPath("x/a.mp3"), expected)])
  }

  @Test("A hidden entry is skipped, and its folder is not empty")
  func hidden() throws {
    for folder in ["empty", "outer/inner", ".git/objects", "kept"] { try library.makeFolder(folder) }
    try library.write("x", to: "kept/.nomedia")
    try library.write("x", to: ".hidden")
    #expect(try library.listed() == [.emptyFolder(EntryPath("empty")), .emptyFolder(EntryPath("outer/inner"))])
  }

  @Test("Links, pipes and sockets are listed, and no entry below a link is")
  func others() throws {
    try library.write("secret", to: "../outside/file")
    try library.link("folder", to: "../outside")
    try library.link("file", to: "../outside/file")
    try library.link("loop", to: ".")
    try library.link("nowhere", to: "none")
    #expect(mkfifo(library.url("pipe").path, 0o600) == 0)
    let names = ["file", "folder", "loop", "nowhere", "pipe"]
    #expect(try library.listed() == names.map { .other(EntryPath($0)) })
  }

  @Test("Another library, and the state of one, is one entry, of which no file is listed")
  func otherLibraries() throws {
    for path in ["anna/.podflux/library", "anna/Show/1.mp3", "state/binding", "state/podflux.sqlite", "state/1.mp3"] {
      try library.write("x", to: path)
    }
    // One of the two is a name that a person may give.
    for path in ["music/binding", "data/podflux.sqlite"] { try library.write("x", to: path) }
    let entries = try library.listed()
    #expect(entries.map(\.path) == ["anna", "data/podflux.sqlite", "music/binding", "state"].map { EntryPath($0) })
    for folder in ["anna", "state"] {
      #expect(entries.contains(.unreadable(EntryPath(folder), .ofOtherLibrary(path: folder))))
    }
  }

  @Test("A folder that is too deep is one entry; one less deep is walked through")
  func deep() throws {
    let folders = (1...LibraryPath.maximumComponents).map { "\($0)" }
    let deepest = folders.dropLast().joined(separator: "/")
    let tooDeep = folders.joined(separator: "/")
    try library.write("x", to: deepest + "/file")
    try library.write("x", to: tooDeep + "/file")
    let entries = try library.listed()
    #expect(entries.map(\.path) == [EntryPath(tooDeep), EntryPath(deepest + "/file")])
    #expect(entries.first == .unreadable(EntryPath(tooDeep), .tooDeep(path: tooDeep)))
  }

  @Test(
    "A folder that cannot be listed is neither empty nor gone", .enabled(if: geteuid() != 0, "root reads everything"))
  func unreadable() throws {
    for (folder, mode) in [("a", 0o000), ("b", 0o400), ("c", 0o100)] as [(String, mode_t)] {
      try library.write("x", to: folder + "/file")
      #expect(chmod(library.url(folder).path, mode) == 0)
    }
    defer { for folder in ["a", "b", "c"] { chmod(library.url(folder).path, 0o700) } }
    let expected = ["a", "b", "c"].map {
      LibraryListing.Entry.unreadable(EntryPath($0), .denied(path: $0))
    }
    #expect(try library.listed() == expected)
  }

  @Test("Entries that vanish during the walk are skipped")
  func vanishing() throws {
    try library.write("x", to: "a/file")
    try library.write("x", to: "b/file")
    let listing = try LibraryListing(library.library)
    #expect(try listing.next()?.path == EntryPath("a/file"))
    try FileManager.default.removeItem(at: library.url("b"))
    #expect(try listing.next() == nil)
  }

  @Test("A folder that becomes a link before the walk reaches it is not followed")
  func swapped() throws {
    try library.write("x", to: "a/file")
    try library.write("x", to: "b/file")
    let listing = try LibraryListing(library.library)
    #expect(try listing.next()?.path == EntryPath("a/file"))
    try FileManager.default.removeItem(at: library.url("b"))
    try library.link("b", to: "a")
    #expect(try listing.next() == .unreadable(EntryPath("b"), .symbolicLink(path: "b")))
    #expect(try listing.next() == nil)
  }
}
