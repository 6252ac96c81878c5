import Glibc
import PodfluxCore
import Testing

@testable import FileStore

@Suite("Small files that wait for their names")
struct StagedFilesTests {
  private func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

  @Test("A file is written, and moved to its path; the same call again comes to the same end")
  func publishes() throws {
    let library = try TemporaryLibrary()
    let staged = StagedFiles(library.library)
    try library.write("media", to: "Show/a.mp3")
    let identity = try staged.write(bytes("text"), as: 7, keepingFree: 0)
    #expect(try library.contents(".podflux/sidecars/7") == "text")
    let path = try path("Show/a.info.json")
    for _ in 0..<2 {
      #expect(try staged.publish(7, to: path, recorded: identity, sparingTwins: true))
      #expect(try library.contents("Show/a.info.json") == "text")
    }
    #expect(!library.isThere(".podflux/sidecars/7"))
    #expect(try PublishedFiles(library.library).identity(of: EntryPath(path)) == identity)
  }

  @Test("Nothing that lies there is replaced, and no folder is made")
  func keepsOthers() throws {
    let library = try TemporaryLibrary()
    let staged = StagedFiles(library.library)
    try library.write("old", to: "Show/cover.jpg")
    let identity = try staged.write(bytes("new"), as: 1, keepingFree: 0)
    for name in ["Show/cover.jpg", "Show/COVER.jpg"] {
      #expect(try !staged.publish(1, to: path(name), recorded: identity, sparingTwins: true))
    }
    #expect(throws: FileError.self) {
      try staged.publish(1, to: path("Other/cover.jpg"), recorded: identity, sparingTwins: true)
    }
    #expect(try library.contents("Show/cover.jpg") == "old")
    #expect(!library.isThere("Other"))
    try staged.discard(1)
    try staged.discard(1)
    #expect(!library.isThere(".podflux/sidecars/1"))
  }

  @Test("The placeholder of an engine that was killed goes, where files are moved over one", arguments: [true, false])
  func placeholder(isStaged: Bool) throws {
    let library = try TemporaryLibrary(traits: .least, firstMove: .placing)
    let staged = StagedFiles(library.library)
    let identity = try staged.write(bytes("text"), as: 7, keepingFree: 0)
    try library.write("", to: "Show/a.info.json")
    if !isStaged { try staged.clear() }
    let path = try path("Show/a.info.json")
    #expect(try staged.publish(7, to: path, recorded: identity, sparingTwins: true) == isStaged)
    #expect(library.isThere("Show/a.info.json") == isStaged)
    // A person's empty file, where no placeholders are made.
    let other = try TemporaryLibrary()
    try other.write("", to: "Show/a.info.json")
    _ = try StagedFiles(other.library).write(bytes("text"), as: 7, keepingFree: 0)
    #expect(try !StagedFiles(other.library).publish(7, to: path, recorded: identity, sparingTwins: true))
    #expect(other.isThere("Show/a.info.json"))
  }

  @Test("The reserve stays free, and a start removes what was left")
  func clears() throws {
    let library = try TemporaryLibrary()
    let staged = StagedFiles(library.library)
    #expect(throws: FileError.self) { try staged.write(bytes("text"), as: 1, keepingFree: .max) }
    _ = try staged.write(bytes("text"), as: 2, keepingFree: 0)
    _ = try staged.write(bytes("texts"), as: 2, keepingFree: 0)
    #expect(try library.contents(".podflux/sidecars/2") == "texts")
    try staged.clear()
    #expect(!library.isThere(".podflux/sidecars/2"))
  }

  private func path(_ text: String) throws -> LibraryPath { try LibraryPath(validating: text) }
}
