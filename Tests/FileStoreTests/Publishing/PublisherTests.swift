import Foundation
import Glibc
import PodfluxCore
import Synchronization
import Testing

@testable import FileStore

@Suite("Publishing")
struct PublisherTests {
  @Test("moves the file to its path and creates missing folders", arguments: [Move.renaming, .linking])
  func publishes(move: Move) throws {
    let library = try TemporaryLibrary()
    let identity = try library.makePartial("a", "text")
    let publication = try Publisher(library.library, move: move).publish(partial("a"), to: path("x/y/z.mp3"))
    #expect(publication == .published(identity, madeFolders: [EntryPath("x"), EntryPath("x/y")]))
    #expect(publication.identity.modifiedNanoseconds == identity.modifiedNanoseconds)
    #expect(try library.contents("x/y/z.mp3") == "text")
    #expect(!library.isThere(".podflux/partial/a.part"))
    #expect(try PublishedFiles(library.library).identity(of: path("x/y/z.mp3")) == identity)
  }

  @Test("never replaces an existing entry", arguments: [Move.renaming, .linking])
  func keepsOthers(move: Move) throws {
    let library = try TemporaryLibrary()
    let recorded = try library.makePartial("a", "new")
    try library.write("old", to: "x/a.mp3")
    try library.write("old", to: "x/folder/b")
    try library.link("x/link", to: "nowhere")
    let publisher = Publisher(library.library, move: move)
    for taken in ["x/a.mp3", "x/folder", "x/link"] {
      #expect(throws: FileError.exists(path: taken)) {
        try publisher.publish(partial("a"), to: path(taken), recorded: recorded)
      }
    }
    #expect(try library.contents("x/a.mp3") == "old")
    #expect(library.isThere(".podflux/partial/a.part"))
  }

  @Test("can be repeated after a crash after the rename")
  func repeats() throws {
    let library = try TemporaryLibrary()
    let recorded = try library.makePartial("a", "text")
    let publisher = Publisher(library.library)
    _ = try publisher.publish(partial("a"), to: path("x/a.mp3"), recorded: recorded)
    #expect(
      try publisher.publish(partial("a"), to: path("x/a.mp3"), recorded: recorded) == .alreadyPublished(recorded))
    let afterReboot = FileIdentity(device: recorded.device + 1, inode: recorded.inode, size: recorded.size)
    #expect(
      try publisher.publish(partial("a"), to: path("x/a.mp3"), recorded: afterReboot) == .alreadyPublished(recorded))
  }

  @Test("finds nothing to repeat where another file is, and leaves no folder behind")
  func noticesLoss() throws {
    let library = try TemporaryLibrary()
    let publisher = Publisher(library.library)
    let missing = FileError.notFound(path: ".podflux/partial/a.part")
    try library.write("other", to: "x/a.mp3")
    let recorded = FileIdentity(device: 1, inode: 1, size: 5)
    #expect(throws: missing) { try publisher.publish(partial("a"), to: path("x/a.mp3"), recorded: recorded) }
    #expect(throws: missing) { try publisher.publish(partial("a"), to: path("y/a.mp3"), recorded: recorded) }
    #expect(throws: missing) { try publisher.publish(partial("a"), to: path("x/a.mp3")) }
    #expect(!library.isThere("y"))
  }

  @Test("finishes what a crash between link and unlink left")
  func repairsLink() throws {
    let library = try TemporaryLibrary()
    let identity = try library.makePartial("a", "text")
    #expect(link(library.url(".podflux/partial/a.part").path, library.url("a.mp3").path) == 0)
    #expect(try Publisher(library.library).publish(partial("a"), to: path("a.mp3")) == .alreadyPublished(identity))
    #expect(!library.isThere(".podflux/partial/a.part"))
    #expect(try library.contents("a.mp3") == "text")
  }

  @Test("follows no link at any level", arguments: [["x"], ["x", "y"], ["x", "y", "z"]])
  func followsNoLink(level: [String]) throws {
    let library = try TemporaryLibrary()
    let outside = library.folder.appending(path: "outside")
    try FileManager.default.createDirectory(
      at: outside.appending(path: "y/z"), withIntermediateDirectories: true)
    let linkPath = level.joined(separator: "/")
    try FileManager.default.createDirectory(
      at: library.url(linkPath).deletingLastPathComponent(), withIntermediateDirectories: true)
    try library.link(linkPath, to: outside.path)
    try library.makePartial("a", "text")
    let refusal = FileError.symbolicLink(path: linkPath)
    let target = try path("x/y/z/a.mp3")
    #expect(throws: refusal) { try Publisher(library.library).publish(partial("a"), to: target) }
    #expect(throws: refusal) { try PublishedFiles(library.library).identity(of: target) }
    #expect(throws: refusal) { try PublishedFiles(library.library).delete(target) }
    #expect(library.isThere(".podflux/partial/a.part"))
  }

  @Test("fails if a file is in the place of a folder")
  func stopsAtFile() throws {
    let library = try TemporaryLibrary()
    try library.write("x", to: "file")
    try library.makePartial("a", "text")
    #expect(throws: FileError.notAFolder(path: "file")) {
      try Publisher(library.library).publish(partial("a"), to: path("file/a.mp3"))
    }
    #expect(try PublishedFiles(library.library).identity(of: path("file/a.mp3")) == nil)
  }

  @Test("refuses a link in the place of the partial file")
  func movesNoLink() throws {
    let library = try TemporaryLibrary()
    try library.link(".podflux/partial/a.part", to: "/etc/passwd")
    #expect(throws: FileError.symbolicLink(path: ".podflux/partial/a.part")) {
      try Publisher(library.library).publish(partial("a"), to: path("a.mp3"))
    }
  }

  @Test("succeeds beside a deletion that removes its folder")
  func survivesRemovedFolders() async throws {
    let library = try TemporaryLibrary()
    let opened = library.library
    let rounds = 100
    for number in 0..<rounds { try library.makePartial("p\(number)", "x") }
    let victim = try path("x/victim.mp3")
    let isPublishing = Atomic(true)
    async let deletions: Void = {
      while isPublishing.load(ordering: .acquiring) { try PublishedFiles(opened).delete(victim) }
    }()
    defer { isPublishing.store(false, ordering: .releasing) }
    for number in 0..<rounds {
      _ = try Publisher(opened).publish(partial("p\(number)"), to: victim)
      try PublishedFiles(opened).delete(victim)
    }
    isPublishing.store(false, ordering: .releasing)
    try await deletions
    #expect(try !PublishedFiles(opened).exists(victim))
  }

  @Test("Published files are readable as the umask allows")
  func setsMode() throws {
    let library = try TemporaryLibrary()
    try library.makePartial("a", "x")
    _ = try Publisher(library.library).publish(partial("a"), to: path("a"))
    try library.write("x", to: "reference")
    let modes = try ["a", "reference"].map {
      try FileManager.default.attributesOfItem(atPath: library.url($0).path)[.posixPermissions] as? Int
    }
    #expect(modes.first == modes.last)
  }
}

@Suite("Published files")
struct PublishedFilesTests {
  @Test("are deleted with the engine's own folders that they leave empty")
  func deletes() throws {
    let library = try TemporaryLibrary()
    let files = PublishedFiles(library.library)
    for name in ["x/y/a", "x/y/b", "top"] { try library.write("x", to: name) }
    #expect(try files.delete(path("x/y/a")))
    #expect(library.isThere("x/y/b"))
    let own = try path("x/y")
    #expect(try files.delete(path("x/y/b"), ownFolders: [own]))
    #expect(!library.isThere("x/y"))
    #expect(library.isThere("x"))
    try library.write("x", to: "x/y/c")
    #expect(try files.delete(path("x/y/c"), ownFolders: [path("x")]))
    #expect(library.isThere("x/y"))
    try library.write("x", to: "x/y/c")
    #expect(try files.delete(path("x/y/c"), ownFolders: [path("x"), own]))
    #expect(!library.isThere("x"))
    #expect(try files.delete(path("top")))
    #expect(try !files.delete(path("top")))
    #expect(try !files.delete(path("gone/a")))
  }

  @Test("are the only thing that is deleted")
  func sparesOthers() throws {
    let library = try TemporaryLibrary()
    let files = PublishedFiles(library.library)
    try library.write("x", to: "folder/a")
    try library.link("link", to: "folder/a")
    #expect(throws: FileError.notARegularFile(path: "folder")) { try files.delete(path("folder")) }
    #expect(throws: FileError.symbolicLink(path: "link")) { try files.delete(path("link")) }
    #expect(try files.exists(path("link")))
    #expect(try files.exists(path("folder")))
    #expect(try !files.exists(path("folder/b")))
    #expect(throws: FileError.symbolicLink(path: "link")) { try files.identity(of: path("link")) }
    #expect(try library.contents("folder/a") == "x")
  }

  @Test("distinguish NFC and NFD")
  func keepsNormalizationsApart() throws {
    let library = try TemporaryLibrary()
    let files = PublishedFiles(library.library)
    try library.makePartial("a", "composed")
    _ = try Publisher(library.library).publish(partial("a"), to: path("\u{E9}"))
    #expect(try files.exists(path("\u{E9}")))
    #expect(try !files.exists(path("e\u{301}")))
  }
}
