import Flux
import Foundation
import Glibc
import PodfluxCore
import Testing

@testable import FileStore

@Suite("Restoring files")
struct QuarantineRestoringTests {
  private let library: TemporaryLibrary
  private let files: PublishedFiles
  private let quarantine: Quarantine

  init() throws {
    library = try TemporaryLibrary()
    files = PublishedFiles(library.library)
    quarantine = Quarantine(library.library)
  }

  /// Quarantines a new file, and returns its identity.
  @discardableResult
  private func put(_ text: String, from place: String, at moment: Timestamp = Sample.moment) throws -> FileIdentity {
    try library.write(text, to: place)
    let recorded = try #require(try files.identity(of: path(place)))
    let taking = try quarantine.take(
      EntryPath(place), recorded: recorded, because: "x", download: DownloadID("d"), at: moment,
      ownFolders: Set(["x", "x/y"].map { EntryPath($0) }))
    guard case .moved = taking else { throw FileError.notFound(path: place) }
    return recorded
  }

  @Test("A file returns to its path, its folders are created again, and a mark records that the user wants it there")
  func back() throws {
    let recorded = try put("bad", from: "x/y/a.mp3")
    #expect(!library.isThere("x/y"))
    #expect(try quarantine.restore("d-1.mp3") == .restored(EntryPath("x/y/a.mp3"), recorded))
    #expect(try library.contents("x/y/a.mp3") == "bad")
    #expect(try quarantine.items().isEmpty)
    #expect(try quarantine.restored().map(\.place) == [EntryPath("x/y/a.mp3")])
    #expect(try quarantine.restored().map(\.identity) == [recorded])
    #expect(try quarantine.restore("d-1.mp3") == .restored(EntryPath("x/y/a.mp3"), recorded))
    #expect(try quarantine.restore("d-2.mp3") == .gone)
  }

  @Test("It replaces nothing; another path can be named", arguments: ["file", "folder", "link"])
  func occupied(kind: String) throws {
    try put("bad", from: "a.mp3")
    switch kind {
    case "file": try library.write("new", to: "a.mp3")
    case "folder": try library.makeFolder("a.mp3")
    default: try library.link("a.mp3", to: "/nowhere")
    }
    #expect(try quarantine.restore("d-1.mp3") == .occupied(EntryPath("a.mp3")))
    #expect(try quarantine.items().count == 1)
    #expect(try quarantine.restored().isEmpty)
    guard case .restored = try quarantine.restore("d-1.mp3", to: EntryPath("b/a.mp3")) else {
      Issue.record("it was not restored")
      return
    }
    #expect(try library.contents("b/a.mp3") == "bad")
  }

  @Test("A blocked path or a link is refused, and the file stays in quarantine")
  func refused() throws {
    try put("bad", from: "a.mp3")
    try library.write("x", to: "file")
    try library.link("link", to: "..")
    for place in ["../b", ".podflux/library", "", "/tmp/b", "a/../../b"] {
      #expect(throws: FileError.illegalPath(path: place)) { try quarantine.restore("d-1.mp3", to: EntryPath(place)) }
    }
    #expect(throws: FileError.notAFolder(path: "file")) {
      try quarantine.restore("d-1.mp3", to: EntryPath("file/b"))
    }
    #expect(throws: FileError.symbolicLink(path: "link")) {
      try quarantine.restore("d-1.mp3", to: EntryPath("link/b"))
    }
    #expect(try library.contents(".podflux/quarantine/d-1.mp3") == "bad")
  }

  @Test(
    "Only a file in quarantine has a name there",
    arguments: ["", ".", "..", "../library", "/etc/passwd", "d-1.mp3.manifest.json", ".manifest.new", "a\0b", "folder"])
  func names(name: String) throws {
    try put("bad", from: "a.mp3")
    try library.makeFolder(".podflux/quarantine/folder")
    #expect(try quarantine.restore(name, to: EntryPath("b")) == .gone)
    #expect(!library.isThere("b"))
  }

  @Test("A crash between mark and move: it is still an item, and no file counts as restored")
  func crashBeforeMove() throws {
    let recorded = try put("bad", from: "a.mp3")
    var manifest = Sample.manifest(EntryPath("a.mp3"), recorded)
    manifest.restoration = .init(place: EntryPath("a.mp3"), inode: recorded.inode, length: recorded.size)
    try QuarantineFolder.make(in: library.library).write(manifest, for: "d-1.mp3")
    #expect(try quarantine.restored().isEmpty)
    try quarantine.dropGoneRestorations()
    #expect(try quarantine.items().map(\.place) == [EntryPath("a.mp3")])
    #expect(try quarantine.restore("d-1.mp3") == .restored(EntryPath("a.mp3"), recorded))
  }

  @Test("The next call repairs a crash between link and unlink")
  func crashAfterLink() throws {
    let recorded = try put("bad", from: "a.mp3")
    #expect(link(library.url(".podflux/quarantine/d-1.mp3").path, library.url("a.mp3").path) == 0)
    let again = Quarantine(library.library, move: .linking)
    #expect(try again.restore("d-1.mp3") == .restored(EntryPath("a.mp3"), recorded))
    #expect(try library.contents("a.mp3") == "bad")
    #expect(try quarantine.items().isEmpty)
  }

  /// Old quarantines filled up with manifests of restored files.
  @Test("A restored file leaves nothing in quarantine, after any version and any crash")
  func nothingStaysBehind() throws {
    let recorded = try put("bad", from: "a.mp3")
    _ = try quarantine.restore("d-1.mp3")
    #expect(try library.quarantineNames().isEmpty)
    // As an older version without marks left it, and as a crash leaves it.
    var manifest = Sample.manifest(EntryPath("a.mp3"), recorded)
    manifest.restoration = .init(place: EntryPath("a.mp3"), inode: recorded.inode, length: recorded.size)
    try QuarantineFolder.make(in: library.library).write(manifest, for: "old-1.mp3")
    #expect(try quarantine.restored().map(\.place) == [EntryPath("a.mp3")])
    #expect(try quarantine.restore("old-1.mp3") == .restored(EntryPath("a.mp3"), recorded))
    #expect(try library.quarantineNames().isEmpty)
    try QuarantineFolder.make(in: library.library).write(manifest, for: "old-2.mp3")
    try quarantine.dropGoneRestorations()
    #expect(try library.quarantineNames().isEmpty)
    #expect(try quarantine.restored().map(\.place) == [EntryPath("a.mp3")])
    #expect(unlink(library.url("a.mp3").path) == 0)
    try quarantine.dropGoneRestorations()
    #expect(!library.isThere(".podflux/restored"))
  }

  @Test("The mark stays as long as the file, and its name is not reused before")
  func marks() throws {
    let recorded = try put("bad", from: "a.mp3")
    _ = try quarantine.restore("d-1.mp3")
    try put("other", from: "b.mp3")
    #expect(try quarantine.items().map(\.name) == ["d-2.mp3"])
    try library.write("longer", to: "c.mp3")
    #expect(truncate(library.url("a.mp3").path, 1) == 0)
    try quarantine.dropGoneRestorations()
    #expect(try quarantine.restored().map(\.identity.inode) == [recorded.inode])
    #expect(rename(library.url("c.mp3").path, library.url("a.mp3").path) == 0)
    #expect(try quarantine.restored().isEmpty)
    try quarantine.dropGoneRestorations()
    #expect(try library.quarantineNames() == ["d-2.mp3", "d-2.mp3.manifest.json"])
  }

  @Test("A file without a manifest can be restored to a given path")
  func withoutManifest() throws {
    let longName = String(repeating: "n", count: 250)
    for name in ["plain", longName] {
      try library.write("x", to: ".podflux/quarantine/" + name)
      #expect(try quarantine.restore(name) == .noPlace)
      guard case .restored = try quarantine.restore(name, to: EntryPath("back/" + name)) else {
        Issue.record("it was not restored")
        continue
      }
      #expect(try library.contents("back/" + name) == "x")
    }
    #expect(try quarantine.restored().map(\.place) == [EntryPath("back/plain")])
  }

  @Test("A file whose name is not UTF-8 can be restored by its displayed name")
  func rawName() throws {
    try put("x", from: "a")
    try library.write("raw", toRaw: EntryPath(bytes: Array(".podflux/quarantine/".utf8) + [0x61, 0xFF]))
    let shown = try #require(try quarantine.items().first).name
    #expect(shown == "a\u{FFFD}")
    guard case .restored = try quarantine.restore(shown, to: EntryPath("b")) else {
      Issue.record("it was not restored")
      return
    }
    #expect(try library.contents("b") == "raw")
  }
}
