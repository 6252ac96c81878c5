import FileStore
import Foundation
import Logging
import PodfluxCore
import ScriptedOrigin
import Tagging
import TestSupport
import Testing

@testable import PodfluxEngine

/// What the engine makes of taggers that do not do what they should: the file is published as it was downloaded.
@Suite("A file whose tagging goes wrong")
struct FileTaggingTests {
  private let folder: TemporaryFolder
  private let id: DownloadID
  private let request: TagRequest
  private let bytes: [UInt8]

  init() throws {
    folder = try TemporaryFolder("podflux-tagging")
    id = try #require(DownloadID("a"))
    request = TagRequest(
      EpisodeTags(title: "T", isEpisode: true), path: try LibraryPath(validating: "P/T.mp3"), wantsDigest: true)
    bytes = [UInt8](try Data(contentsOf: URL(filePath: Fixtures.path("tags/tone.mp3"))))
  }

  private static func shell(_ script: String) -> Tagger.Program {
    .init(path: "/bin/sh", arguments: ["-c", script])
  }

  /// Prepares a complete file, and closes it. What was downloaded has to be unchanged then, and no copy left.
  private func prepare(
    _ program: Tagger.Program?, reserve: Int64 = 0, while goOn: () -> Bool = { true }
  ) throws -> MovableFile? {
    let library = try Library.open(at: folder.path)
    let files = LibraryFiles(library, tagger: program.map { Tagger($0) }, logger: Logger(label: "test"))
    let partial = try files.openPartial(of: id)
    try bytes.withUnsafeBytes { try partial.append([$0]) }
    let movable = try partial.prepareToMove(tagging: request, reserve: reserve, while: goOn)
    #expect(try partial.read(offset: 0, count: bytes.count + 1) == bytes)
    partial.close(deletingEmpty: true)
    let copies = try? FileManager.default.contentsOfDirectory(atPath: folder.path + "/.podflux/incoming")
    #expect((copies ?? []).isEmpty)
    return movable
  }

  private func reason(_ movable: MovableFile?) -> String? {
    if case .untagged(let reason)? = movable?.tags { reason } else { nil }
  }

  @Test(
    "is not tagged by a worker that changes its audio, or cuts it, and says so",
    arguments: [
      "printf garbage >&3", "truncate -s 3000 /proc/self/fd/3", "truncate -s 0 /proc/self/fd/3",
      "truncate -s +1 /proc/self/fd/3",
    ])
  func changedAudio(script: String) throws {
    #expect(reason(try prepare(Self.shell(script))) == "tagging it would have changed its audio")
  }

  @Test("is not tagged by a worker that dies or fails")
  func deaths() throws {
    #expect(reason(try prepare(Self.shell("kill -BUS $$"))) == "the tagger died of it (signal 7)")
  }

  @Test("is not tagged without a worker")
  func noWorker() throws {
    #expect(reason(try prepare(nil)) == "this program has no tagger")
  }

  @Test("is not tagged where a copy would take of the reserve")
  func reserve() throws {
    #expect(reason(try prepare(Self.shell("exit 0"), reserve: 1 << 60)) == "there is no room for a copy")
  }

  @Test("is given back as it is when the attempt is stopped while the worker works")
  func stopped() throws {
    let patience = 20
    var asked = 0
    let movable = try prepare(Self.shell("sleep 100")) {
      asked += 1
      return asked < patience
    }
    #expect(movable == nil)
    #expect(asked >= patience)
  }

  @Test("is a tagged copy if the worker has changed the tags alone, and the same one when it is asked for again")
  func tagged() throws {
    let library = try Library.open(at: folder.path)
    // An empty ID3 tag in front.
    let script =
      "cat <&3 >/dev/null; { printf 'ID3\\004\\000\\000\\000\\000\\000\\000'; cat \(Fixtures.path("tags/tone.mp3")); } "
      + "| dd of=/proc/self/fd/3 conv=notrunc 2>/dev/null"
    let files = LibraryFiles(library, tagger: Tagger(Self.shell(script)), logger: Logger(label: "test"))
    let partial = try files.openPartial(of: id)
    try bytes.withUnsafeBytes { try partial.append([$0]) }
    let movable = try #require(try partial.prepareToMove(tagging: request, reserve: 0, while: { true }))
    guard case .tagged(let length, let sha256) = movable.tags else { return #expect(Bool(false), "\(movable)") }
    #expect(length == Int64(bytes.count + 10) && sha256?.count == 64)
    #expect(try partial.prepareToMove(tagging: request, reserve: 0, while: { true }) == movable)
    let file = PublishedFile(path: request.path, length: length, inode: movable.inode, sha256: sha256)
    #expect(try files.publish(id, as: file, isTagged: true, portably: true) != nil)
    partial.close(deletingEmpty: true)
    let published = try Data(contentsOf: URL(filePath: folder.path + "/P/T.mp3"))
    #expect(published.dropFirst(10).elementsEqual(bytes))
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path + "/.podflux/partial").isEmpty)
  }
}
