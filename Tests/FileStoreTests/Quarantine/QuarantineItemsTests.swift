import Flux
import Foundation
import Glibc
import PodfluxCore
import Testing

@testable import FileStore

@Suite("The quarantine's items")
struct QuarantineItemsTests {
  private let library: TemporaryLibrary
  private let quarantine: Quarantine

  init() throws {
    library = try TemporaryLibrary()
    quarantine = Quarantine(library.library)
  }

  private func put(_ text: String, from place: String, at moment: Timestamp = Sample.moment) throws {
    try library.write(text, to: place)
    let recorded = try #require(try PublishedFiles(library.library).identity(of: path(place)))
    _ = try quarantine.take(
      EntryPath(place), recorded: recorded, because: "x", download: DownloadID("d"), at: moment)
  }

  @Test("Without a folder the quarantine is empty, and none is created")
  func none() throws {
    #expect(try quarantine.items().isEmpty)
    #expect(try quarantine.usage() == Quarantine.Usage())
    #expect(try quarantine.empty() == Quarantine.Usage())
    #expect(try quarantine.restored().isEmpty)
    #expect(try quarantine.restore("a") == .gone)
    #expect(!library.isThere(".podflux/quarantine"))
  }

  @Test("Files older than a timestamp are deleted with their manifests, the rest stays")
  func empties() throws {
    for (number, text) in ["1", "22", "333"].enumerated() {
      try put(text, from: "a\(number)", at: Sample.moment.advanced(byMilliseconds: Int64(number)))
    }
    #expect(try quarantine.usage() == Quarantine.Usage(files: 3, bytes: 6))
    let limit = Sample.moment.advanced(byMilliseconds: 2)
    #expect(try quarantine.empty(olderThan: limit) == Quarantine.Usage(files: 2, bytes: 3))
    #expect(try library.quarantineNames() == ["d-3.bin", "d-3.bin.manifest.json"])
    #expect(try quarantine.empty(olderThan: nil) == Quarantine.Usage(files: 1, bytes: 3))
    #expect(try library.quarantineNames().isEmpty)
  }

  @Test("Emptying deletes the remains of crashes, and leaves links, folders and the marks of restored files")
  func debris() throws {
    let folder = try QuarantineFolder.make(in: library.library)
    let gone = FileIdentity(device: 0, inode: 1, size: 1)
    try folder.write(Sample.manifest(EntryPath("a"), gone), for: "orphan-1.bin")
    try library.write("{", to: ".podflux/quarantine/.manifest.new")
    try library.write("torn", to: ".podflux/quarantine/torn.manifest.json")
    try library.makeFolder(".podflux/quarantine/folder.manifest.json")
    try library.makeFolder(".podflux/quarantine/folder")
    try library.link(".podflux/quarantine/link", to: "../../kept")
    try library.write("kept", to: "kept")
    try put("x", from: "a")
    _ = try quarantine.restore("d-1.bin")
    #expect(try quarantine.empty() == Quarantine.Usage())
    #expect(
      try library.quarantineNames() == ["folder", "folder.manifest.json", "link"])
    #expect(try quarantine.restored().count == 1)
    #expect(try library.contents("kept") == "kept")
    #expect(try library.contents("a") == "x")
  }

  @Test("A file without a manifest is an item, dated by the disk")
  func withoutManifest() throws {
    try library.write("four", to: ".podflux/quarantine/foreign")
    let item = try #require(try quarantine.items().first)
    #expect(item.name == "foreign" && item.place == nil && item.length == 4 && item.download == nil)
    #expect(item.at.milliseconds > 1_700_000_000_000)
    #expect(try quarantine.empty(olderThan: item.at).files == 0)
    #expect(try quarantine.empty(olderThan: item.at.advanced(byMilliseconds: 1)).files == 1)
  }

  @Test(
    "An edited manifest counts only as far as it can be checked",
    arguments: [
      "", "{}", "null", "[[[[", #"{"because":"x","inode":-1,"length":1,"version":1}"#,
      #"{"because":"x","inode":1,"length":1,"version":2}"#,
      #"{"because":"x","inode":1,"length":1,"place":{"text":"../../etc/passwd"},"version":1}"#,
      #"{"because":"x","inode":1,"length":1,"place":{"text":".podflux/library"},"version":1}"#,
      #"{"because":"x","inode":1,"length":1,"place":{"base64":"AC8=","text":"a"},"version":1}"#,
      #"{"because":"x","inode":1,"length":1,"place":{"text":"a//b"},"at":"yesterday","download":"../x","version":1}"#,
      String(repeating: "[", count: 300_000),
      #"{"because":""# + String(repeating: "x", count: 300_000) + #"","inode":1,"length":1,"version":1}"#,
    ])
  func hostile(json: String) throws {
    try library.write("x", to: ".podflux/quarantine/a")
    try library.write(json, to: ".podflux/quarantine/a.manifest.json")
    let item = try #require(try quarantine.items().first)
    #expect(item.place == nil && item.length == 1 && item.download == nil)
    #expect(try quarantine.restore("a") == .noPlace)
    #expect(try library.contents(".podflux/quarantine/a") == "x")
  }

  @Test("A manifest that is a link or a pipe is not read")
  func linkedManifest() throws {
    let recorded = FileIdentity(device: 0, inode: 1, size: 1)
    try library.write(
      String(decoding: Sample.manifest(EntryPath("place"), recorded).json, as: UTF8.self), to: "outside.json")
    try library.write("x", to: ".podflux/quarantine/a")
    try library.link(".podflux/quarantine/a.manifest.json", to: "../../outside.json")
    try library.write("x", to: ".podflux/quarantine/b")
    #expect(mkfifo(library.url(".podflux/quarantine/b.manifest.json").path, 0o600) == 0)
    #expect(try quarantine.items().map(\.place) == [nil, nil])
  }

  @Test("A manifest is one line of JSON with sorted keys, and is read back unchanged")
  func manifest() throws {
    let raw = EntryPath(bytes: [0x61, 0x2F, 0xFF])
    var manifest = Sample.manifest(raw, FileIdentity(device: 0, inode: .max, size: 5))
    manifest.restoration = .init(place: EntryPath("b"), inode: .max, length: 5)
    let text = String(decoding: manifest.json, as: UTF8.self)
    #expect(
      text
        == #"{"at":"2026-11-21T00:00:00.123Z","because":"it is damaged","download":"d","inode":18446744073709551615,"#
        + #""length":5,"place":{"base64":"YS//","text":"a/\#u{FFFD}"},"#
        + #""restored":{"inode":18446744073709551615,"length":5,"place":{"text":"b"}},"version":1}"# + "\n")
    #expect(QuarantineManifest(json: manifest.json) == manifest)
  }
}
