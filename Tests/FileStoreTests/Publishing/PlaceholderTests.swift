import Foundation
import Glibc
import PodfluxCore
import Testing

@testable import FileStore

/// Publishing on file systems without links and without renames that never replace, such as exFAT.
@Suite("Publishing by a placeholder")
struct PlaceholderTests {
  private let library: TemporaryLibrary

  init() throws {
    library = try TemporaryLibrary(traits: .least)
  }

  private var publisher: Publisher { Publisher(library.library, move: .placing) }

  @Test("Never replaces an existing entry, and leaves it unchanged")
  func keepsOthers() throws {
    let recorded = try library.makePartial("a", "new")
    try library.write("old", to: "x/a.mp3")
    try library.write("", to: "x/empty")
    try library.write("old", to: "x/folder/b")
    for taken in ["x/a.mp3", "x/empty", "x/folder"] {
      #expect(throws: FileError.exists(path: taken)) {
        try publisher.publish(partial("a"), to: path(taken), recorded: recorded)
      }
      #expect(try !publisher.withdrawPlaceholder(of: partial("a"), at: path("x/a.mp3"), length: 3))
    }
    #expect(try library.contents("x/a.mp3") == "old")
    #expect(library.isThere("x/empty"))
    #expect(library.isThere(".podflux/partial/a.part"))
  }

  @Test("A file of equal length at its path is not taken for it while its partial file exists")
  func mistakesNoTwin() throws {
    let recorded = try library.makePartial("a", "new")
    try library.write("old", to: "x/a.mp3")
    #expect(try !publisher.hasPublished(partial("a"), as: path("x/a.mp3"), recorded: recorded))
    _ = try publisher.publish(partial("a"), to: path("x/b.mp3"), recorded: recorded)
    #expect(try publisher.hasPublished(partial("a"), as: path("x/b.mp3"), recorded: recorded))
    #expect(
      try publisher.publish(partial("a"), to: path("x/b.mp3"), recorded: recorded).identity.size == recorded.size)
  }

  /// mergerfs and bindfs have hard links, and their numbers need not last.
  @Test("A file that was linked to its path, and not unlinked because of a crash, is there", arguments: [true, false])
  func linked(isFoundByRecovery: Bool) throws {
    let recorded = try library.makePartial("a", "new")
    try library.write("old", to: "x/other.mp3")
    try FileManager.default.linkItem(at: library.url(".podflux/partial/a.part"), to: library.url("x/a.mp3"))
    #expect(try !publisher.hasPublished(partial("a"), as: path("x/other.mp3"), recorded: recorded))
    #expect(library.isThere(".podflux/partial/a.part"))
    if isFoundByRecovery {
      #expect(try publisher.hasPublished(partial("a"), as: path("x/a.mp3"), recorded: recorded))
    } else {
      let linking = Publisher(library.library, move: .linking)
      #expect(
        try linking.publish(partial("a"), to: path("x/a.mp3"), recorded: recorded).identity.size == recorded.size)
    }
    #expect(!library.isThere(".podflux/partial/a.part"))
    #expect(try library.contents("x/a.mp3") == "new")
  }

  @Test("A placeholder left by a crash is removed: if its row names it, it is empty, and the complete file exists")
  func withdraws() throws {
    try library.makePartial("a", "text")
    try library.write("", to: "x/a.mp3")
    #expect(try !publisher.withdrawPlaceholder(of: partial("a"), at: path("x/a.mp3"), length: 5))
    #expect(try !publisher.withdrawPlaceholder(of: partial("b"), at: path("x/a.mp3"), length: 4))
    // On file systems with atomic renames there are no placeholders: that empty file is a user's.
    #expect(
      try !Publisher(library.library, move: .linking).withdrawPlaceholder(
        of: partial("a"), at: path("x/a.mp3"), length: 4))
    #expect(library.isThere("x/a.mp3"))
    #expect(try publisher.withdrawPlaceholder(of: partial("a"), at: path("x/a.mp3"), length: 4))
    #expect(!library.isThere("x/a.mp3"))
    #expect(library.isThere("x"))
    _ = try publisher.publish(partial("a"), to: path("x/a.mp3"))
    #expect(try library.contents("x/a.mp3") == "text")
  }

  @Test("A file goes into quarantine and back, and no placeholder stays")
  func quarantines() throws {
    try library.write("text", to: "x/a.mp3")
    let quarantine = Quarantine(library.library, move: .placing)
    let identity = try #require(try PublishedFiles(library.library).identity(of: path("x/a.mp3")))
    #expect(identity.lastingInode == 0)
    let taking = try quarantine.take(
      EntryPath(path("x/a.mp3")), recorded: identity, because: "it is a test", download: nil,
      at: .init(milliseconds: 0))
    #expect(taking == .moved(name: "a-1.mp3"))
    #expect(try quarantine.items().map(\.name) == ["a-1.mp3"])
    guard case .restored = try quarantine.restore("a-1.mp3") else {
      Issue.record("it was not restored")
      return
    }
    #expect(try library.contents("x/a.mp3") == "text")
    #expect(try quarantine.restored().map(\.identity.size) == [4])
  }

  @Test("A restoration continues after a crash")
  func restoresAgain() throws {
    try library.write("text", to: "x/a.mp3")
    let quarantine = Quarantine(library.library, move: .placing)
    let identity = try #require(try PublishedFiles(library.library).identity(of: path("x/a.mp3")))
    _ = try quarantine.take(
      EntryPath(path("x/a.mp3")), recorded: identity, because: "it is a test", download: nil,
      at: .init(milliseconds: 0))
    // A user's empty file blocks the path, and stays.
    try library.write("", to: "x/a.mp3")
    #expect(try quarantine.restore("a-1.mp3") == .occupied(EntryPath(path("x/a.mp3"))))
    let folder = try #require(try QuarantineFolder.existing(in: library.library))
    guard case .manifest(var manifest) = try folder.beside("a-1.mp3") else {
      Issue.record("there is no manifest")
      return
    }
    manifest.restoration = .init(place: EntryPath(try path("x/a.mp3")), inode: 0, length: 4)
    try folder.write(manifest, for: "a-1.mp3")
    guard case .restored = try quarantine.restore("a-1.mp3") else {
      Issue.record("it was not restored")
      return
    }
    #expect(try library.contents("x/a.mp3") == "text")
  }
}

@Suite("The names of partial files")
struct PartialNameStyleTests {
  static let names = [
    "a", "A", "aB", "ep:1", "Ep:1", "x-Y_z.0:Q", String(repeating: "Z", count: 128),
    String(repeating: "aB:c", count: 32),
  ]

  @Test(
    "A portable spelling is unique, in lower case, without a colon, and parses to its name", arguments: names)
  func portable(text: String) throws {
    let name = try partial(text)
    let file = PartialName.Style.portable.fileName(of: name)
    #expect(file.text == file.text.lowercased())
    #expect(!file.text.contains(":"))
    #expect(file.bytes.count <= LibraryPath.maximumComponentBytes)
    #expect(PartialName(fileName: file) == name)
    #expect(PartialName(fileName: PartialName.Style.plain.fileName(of: name)) == name)
  }

  @Test("Different names have different spellings")
  func distinct() throws {
    let files = try Set(Self.names.map { PartialName.Style.portable.fileName(of: try partial($0)) })
    #expect(files.count == Self.names.count)
  }

  @Test(
    "A name with another spelling is no partial file",
    arguments: ["A%.part", "a%0.part", "a%10.part", "a%g.part", "%.part"])
  func others(file: String) {
    #expect(PartialName(fileName: EntryName(file)) == nil)
  }
}
