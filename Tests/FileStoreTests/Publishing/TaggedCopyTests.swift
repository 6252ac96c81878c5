import Flux
import Foundation
import Glibc
import PodfluxCore
import Testing

@testable import FileStore

@Suite("A copy that gets tags")
struct TaggedCopyTests {
  /// A complete partial file of a download.
  private static func complete(
    _ name: String, in library: TemporaryLibrary
  ) throws -> (file: PartialFile, copies: Incoming) {
    let file = try Partials(library.library).open(partial(name))
    try file.append("text")
    try file.setModificationTime(Timestamp(milliseconds: 1_000_000_123))
    return (file, try Incoming(forTagging: library.library))
  }

  private static func change(_ draft: CopyDraft) throws {
    #expect(pwrite(draft.descriptor, "tags and text", 13, 0) == 13)
  }

  @Test(
    "is published in place of what was downloaded, which is unchanged until then, and goes last",
    arguments: [
      Move.renaming, .linking, .placing,
    ])
  func publishes(move: Move) throws {
    let library = try TemporaryLibrary()
    let (file, incoming) = try Self.complete("a", in: library)
    let draft = try #require(try incoming.draft(of: file, partial("a")) { true })
    try Self.change(draft)
    let copy = try incoming.finish(draft)
    #expect(copy.size == 13 && copy.modifiedNanoseconds == 1_000_000_123_000_000)
    #expect(try library.contents(".podflux/partial/a.part") == "text")
    let publisher = Publisher(library.library, move: move)
    #expect(try !publisher.hasPublished(partial("a"), as: path("x/a.mp3"), recorded: copy, isTagged: true))
    let publication = try publisher.publish(partial("a"), to: path("x/a.mp3"), recorded: copy, isTagged: true)
    #expect(publication.identity == copy)
    #expect(try library.contents("x/a.mp3") == "tags and text")
    #expect(!library.isThere(".podflux/partial/a.part"))
    let copies = ".podflux/incoming/" + Incoming.fileName(of: try partial("a")).text
    #expect(!library.isThere(copies))
    // After a crash before the row: recovery recognizes it.
    #expect(try publisher.hasPublished(partial("a"), as: path("x/a.mp3"), recorded: copy, isTagged: true))
    #expect(
      try publisher.publish(partial("a"), to: path("x/a.mp3"), recorded: copy, isTagged: true)
        == .alreadyPublished(copy))
  }

  @Test("replaces no other file, and can be published under another name")
  func takenName() throws {
    let library = try TemporaryLibrary()
    let (file, copies) = try Self.complete("a", in: library)
    let draft = try #require(try copies.draft(of: file, partial("a")) { true })
    let copy = try copies.finish(draft)
    try library.write("old", to: "a.mp3")
    let publisher = Publisher(library.library)
    #expect(throws: FileError.exists(path: "a.mp3")) {
      try publisher.publish(partial("a"), to: path("a.mp3"), recorded: copy, isTagged: true)
    }
    #expect(library.isThere(".podflux/partial/a.part"))
    #expect(try publisher.publish(partial("a"), to: path("b.mp3"), recorded: copy, isTagged: true).identity == copy)
  }

  @Test("of an engine that was killed is another file than the next one's, and goes at a start")
  func killed() throws {
    let library = try TemporaryLibrary()
    let (file, copies) = try Self.complete("a", in: library)
    let old = try #require(try copies.draft(of: file, partial("a")) { true })
    let new = try #require(try copies.draft(of: file, partial("a")) { true })
    // A worker that has outlived its engine.
    try Self.change(old)
    #expect(try new.read(offset: 0, count: 100) == Array("text".utf8))
    #expect(Incoming.clear(library.library, keeping: [try partial("a")]).isEmpty)
    let copied = ".podflux/incoming/" + Incoming.fileName(of: try partial("a")).text
    #expect(library.isThere(copied))
    #expect(Incoming.clear(library.library, keeping: []).isEmpty)
    #expect(!library.isThere(copied))
    #expect(try library.contents(".podflux/partial/a.part") == "text")
  }

  @Test("is not made to its end when the attempt is stopped")
  func stops() throws {
    let library = try TemporaryLibrary()
    let (file, copies) = try Self.complete("a", in: library)
    #expect(try copies.draft(of: file, partial("a")) { false } == nil)
  }

  @Test("has every byte of a long file")
  func long() throws {
    let library = try TemporaryLibrary()
    let (file, copies) = try Self.complete("a", in: library)
    let bytes = (0..<(3 << 20) + 17).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }
    try bytes.withUnsafeBytes { try file.append([$0]) }
    let draft = try #require(try copies.draft(of: file, partial("a")) { true })
    #expect(try draft.read(offset: 4, count: bytes.count + 1) == bytes)
  }
}
