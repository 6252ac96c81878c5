import Flux
import Foundation
import Glibc
import PodfluxCore
import Testing

@testable import FileStore

@Suite("Quarantining files")
struct QuarantineTests {
  private let library: TemporaryLibrary
  private let files: PublishedFiles
  private let quarantine: Quarantine

  init() throws {
    library = try TemporaryLibrary()
    files = PublishedFiles(library.library)
    quarantine = Quarantine(library.library)
  }

  private func identity(_ text: String) throws -> FileIdentity {
    try #require(try files.identity(of: path(text)))
  }

  private func take(
    _ text: String, as recorded: FileIdentity? = nil, download: String? = "d", move: Move = .renaming,
    ownFolders: Set<EntryPath> = []
  ) throws -> Quarantine.Taking {
    try Quarantine(library.library, move: move).take(
      EntryPath(text), recorded: recorded ?? identity(text), because: "it is damaged",
      download: download.flatMap { DownloadID($0) }, at: Sample.moment, ownFolders: ownFolders)
  }

  @Test(
    "A file is quarantined under its download's id, and the engine's own folders that are empty then are removed",
    arguments: [Move.renaming, .linking])
  func moves(move: Move) throws {
    try library.write("bad", to: "x/a b.MP3")
    try library.write("bad", to: "theirs/a")
    _ = try take("theirs/a", move: move, ownFolders: [EntryPath("x")])
    #expect(library.isThere("theirs"))
    _ = try quarantine.empty(olderThan: nil)
    let own: Set<EntryPath> = [EntryPath("x")]
    #expect(try take("x/a b.MP3", download: "ep:1", move: move, ownFolders: own) == .moved(name: "ep:1-1.mp3"))
    #expect(try library.contents(".podflux/quarantine/ep:1-1.mp3") == "bad")
    #expect(!library.isThere("x"))
    #expect(
      try quarantine.items() == [
        Quarantine.Item(
          name: "ep:1-1.mp3", place: EntryPath("x/a b.MP3"), length: 3, because: "it is damaged", at: Sample.moment,
          download: DownloadID("ep:1"))
      ])
  }

  @Test("It replaces no file: each gets the next number", arguments: [Move.renaming, .linking])
  func numbers(move: Move) throws {
    let texts = (1...20).map { "file \($0)" }
    for text in texts {
      try library.write(text, to: "a")
      _ = try take("a", move: move)
    }
    for (index, text) in texts.enumerated() {
      #expect(try library.contents(".podflux/quarantine/d-\(index + 1).bin") == text)
    }
  }

  @Test(
    "A file without a download keeps the plain part of its own name",
    arguments: [
      ("My Song.MP3", "My_Song-1.mp3"), ("ü.x", "_-1.x"), ("noend", "noend-1.bin"), ("a.b.c d", "a.b-1.bin"),
      (String(repeating: "n", count: 250) + ".ogg", String(repeating: "n", count: 64) + "-1.ogg"),
    ])
  func names(place: String, name: String) throws {
    try library.write("x", to: place)
    #expect(try take(place, download: nil) == .moved(name: name))
  }

  @Test("Another file than the recorded one stays at its path; so does one with another length")
  func anotherFile() throws {
    try library.write("new", to: "x/a.mp3")
    let found = try identity("x/a.mp3")
    for recorded in [
      FileIdentity(device: found.device, inode: found.inode + 1, size: found.size),
      FileIdentity(device: found.device, inode: found.inode, size: found.size + 1),
    ] {
      #expect(try take("x/a.mp3", as: recorded) == .changed)
      #expect(try library.contents("x/a.mp3") == "new")
    }
    #expect(try library.quarantineNames().isEmpty)
  }

  @Test("It can be repeated after a crash, and without a file")
  func repeats() throws {
    try library.write("bad", to: "x/a.mp3")
    let recorded = try identity("x/a.mp3")
    for _ in 1...2 { #expect(try take("x/a.mp3", as: recorded) == .moved(name: "d-1.mp3")) }
    #expect(try take("y/z/a.mp3", as: recorded) == .gone)
    #expect(try library.quarantineNames() == ["d-1.mp3", "d-1.mp3.manifest.json"])
  }

  @Test("A crash between manifest and move: there is no item, and the next call reuses the name")
  func crashBeforeMove() throws {
    try library.write("bad", to: "a.mp3")
    let recorded = try identity("a.mp3")
    let folder = try QuarantineFolder.make(in: library.library)
    try folder.write(Sample.manifest(EntryPath("a.mp3"), recorded), for: "d-1.mp3")
    #expect(try quarantine.items().isEmpty)
    #expect(try library.contents("a.mp3") == "bad")
    #expect(try take("a.mp3") == .moved(name: "d-1.mp3"))
    #expect(try library.quarantineNames() == ["d-1.mp3", "d-1.mp3.manifest.json"])
  }

  @Test("An incomplete manifest of a dead engine blocks no file")
  func crashInManifest() throws {
    try library.write("bad", to: "a.mp3")
    try library.write("{\"at", to: ".podflux/quarantine/.manifest.new")
    #expect(try take("a.mp3") == .moved(name: "d-1.mp3"))
    #expect(try quarantine.items().map(\.because) == ["it is damaged"])
  }

  @Test("It completes a move after a crash between link and unlink")
  func repairsLink() throws {
    try library.write("bad", to: "a.mp3")
    let recorded = try identity("a.mp3")
    try library.write("other", to: ".podflux/quarantine/d-1.mp3")
    let folder = try QuarantineFolder.make(in: library.library)
    try folder.write(Sample.manifest(EntryPath("a.mp3"), recorded), for: "d-2.mp3")
    #expect(link(library.url("a.mp3").path, library.url(".podflux/quarantine/d-2.mp3").path) == 0)
    #expect(try take("a.mp3", move: .linking) == .moved(name: "d-2.mp3"))
    #expect(!library.isThere("a.mp3"))
    #expect(try library.contents(".podflux/quarantine/d-2.mp3") == "bad")
    #expect(!library.isThere(".podflux/quarantine/d-3.mp3"))
  }

  @Test("Two names of one file are two items", arguments: [Move.renaming, .linking])
  func hardLinks(move: Move) throws {
    try library.write("bad", to: "a.mp3")
    #expect(link(library.url("a.mp3").path, library.url("b.mp3").path) == 0)
    #expect(try take("a.mp3", move: move) == .moved(name: "d-1.mp3"))
    #expect(try take("b.mp3", move: move) == .moved(name: "d-2.mp3"))
    #expect(try quarantine.items().map(\.place?.text) == ["a.mp3", "b.mp3"])
  }

  @Test(
    "An entry that replaced the file at the last moment is moved back", arguments: ["file", "folder", "link"],
    [Move.renaming, .linking])
  func swapped(kind: String, move: Move) throws {
    switch kind {
    case "file": try library.write("a person's", to: "a.mp3")
    case "folder": try library.write("a person's", to: "a.mp3/inner")
    default: try library.link("a.mp3", to: "/nowhere")
    }
    let recorded = FileIdentity(device: 0, inode: 1, size: 3)
    let folder = try QuarantineFolder.make(in: library.library)
    let taking = Result {
      try Quarantine(library.library, move: move).carry(
        "a.mp3", in: library.library.top, recorded, Sample.manifest(EntryPath("a.mp3"), recorded), to: folder)
    }
    if kind == "folder", move == .linking {
      // No program can give a folder a second name.
      #expect(throws: FileError.notARegularFile(path: "a.mp3")) { try taking.get() }
    } else {
      #expect(try taking.get() == .changed)
    }
    #expect(library.isThere("a.mp3"))
    #expect(try library.quarantineNames().isEmpty)
  }

  @Test("A file that vanishes at the last moment leaves nothing")
  func vanished() throws {
    let recorded = FileIdentity(device: 0, inode: 1, size: 3)
    let folder = try QuarantineFolder.make(in: library.library)
    let manifest = Sample.manifest(EntryPath("a.mp3"), recorded)
    #expect(try quarantine.carry("a.mp3", in: library.library.top, recorded, manifest, to: folder) == .gone)
    #expect(try library.quarantineNames().isEmpty)
  }

  @Test("It follows no link: to the file, on its path, or to the quarantine")
  func links() throws {
    try library.write("mine", to: "mine.mp3")
    let recorded = try identity("mine.mp3")
    try library.link("a.mp3", to: "mine.mp3")
    #expect(try take("a.mp3", as: recorded) == .changed)
    try library.link("folder", to: ".")
    #expect(throws: FileError.symbolicLink(path: "folder")) { try take("folder/mine.mp3", as: recorded) }
    try FileManager.default.removeItem(at: library.url(".podflux/quarantine"))
    try library.link(".podflux/quarantine", to: "..")
    #expect(throws: FileError.symbolicLink(path: ".podflux/quarantine")) { try take("mine.mp3", as: recorded) }
    #expect(throws: FileError.symbolicLink(path: ".podflux/quarantine")) { try quarantine.items() }
    #expect(try library.contents("mine.mp3") == "mine")
  }

  @Test("A name that is not UTF-8 survives quarantine and restoration")
  func rawName() throws {
    let place = EntryPath(bytes: [0xFF, 0x2E, 0x6D, 0x70, 0x33])
    try library.write("raw", toRaw: place)
    let recorded = try #require(try files.identity(of: place))
    let taking = try quarantine.take(place, recorded: recorded, because: "x", download: nil, at: Sample.moment)
    #expect(taking == .moved(name: "_-1.mp3"))
    #expect(try quarantine.items().map(\.place) == [place])
    #expect(try quarantine.restore("_-1.mp3") == .restored(place, recorded))
    #expect(try library.contents(raw: place) == "raw")
  }

  @Test("No name begins with a dash", arguments: ["-rf.mp3", "--", "-"])
  func dash(name: String) throws {
    try library.write("x", to: name)
    for download in [DownloadID("-rf"), nil] {
      try library.write("x", to: name)
      let recorded = try #require(try files.identity(of: EntryPath(name)))
      _ = try quarantine.take(EntryPath(name), recorded: recorded, because: "x", download: download, at: Sample.moment)
    }
    let names = try quarantine.items().map(\.name)
    #expect(names.count == 2)
    #expect(names.allSatisfy { $0.hasPrefix("_") }, "\(names)")
  }

  @Test("A stray file among the partial files is quarantined, and restored only to a given path")
  func strayPartial() throws {
    try library.makePartial("a", "partial")
    try library.write("stray", to: ".podflux/partial/foreign file.mp3")
    let listing = try Partials(library.library).list()
    while let entry = try listing.next() {
      if entry.name != nil { continue }
      let taking = try quarantine.take(strayPartial: entry, because: "it is no partial", at: Sample.moment)
      #expect(taking == .moved(name: "foreign_file-1.mp3"))
    }
    #expect(try quarantine.items().map(\.place) == [nil])
    #expect(try quarantine.restore("foreign_file-1.mp3") == .noPlace)
    guard case .restored = try quarantine.restore("foreign_file-1.mp3", to: EntryPath("x/y.mp3")) else {
      Issue.record("it was not restored")
      return
    }
    #expect(try library.contents("x/y.mp3") == "stray")
    #expect(try library.contents(".podflux/partial/a.part") == "partial")
  }

  @Test("Concurrent files, from several openings of the library, get different names")
  func atOnce() async throws {
    for number in 0..<16 { try library.write("\(number)", to: "f\(number)/a") }
    let recorded = try (0..<16).map { try identity("f\($0)/a") }
    let libraryPath = library.library.path
    try await withThrowingTaskGroup(of: Quarantine.Taking.self) { group in
      for number in 0..<16 {
        group.addTask {
          try Quarantine(Library.open(at: libraryPath)).take(
            EntryPath("f\(number)/a"), recorded: recorded[number], because: "x", download: DownloadID("d"),
            at: Sample.moment)
        }
      }
      for try await taking in group { #expect(taking != .gone && taking != .changed) }
    }
    let items = try quarantine.items()
    #expect(Set(items.map(\.name)) == Set((1...16).map { "d-\($0).bin" }))
    for item in items {
      let place = try #require(item.place).text
      #expect(try library.contents(".podflux/quarantine/" + item.name) == String(place.dropFirst().dropLast(2)))
    }
  }

  @Test("Only a regular file is opened for reading; a pipe blocks nothing")
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

enum Sample {
  /// 2026-11-21T00:00:00.123Z.
  static let moment = Timestamp(milliseconds: 1_795_219_200_123)

  static func manifest(_ place: EntryPath, _ recorded: FileIdentity) -> QuarantineManifest {
    QuarantineManifest(
      place: place, inode: recorded.inode, length: recorded.size, because: "it is damaged", at: moment,
      download: DownloadID("d"))
  }
}

extension TemporaryLibrary {
  /// The names in the quarantine's folder, hidden ones included.
  func quarantineNames() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: url(".podflux/quarantine").path).sorted()
  }
}
