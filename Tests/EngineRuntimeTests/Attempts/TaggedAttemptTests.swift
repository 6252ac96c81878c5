import Flux
import PodfluxCore
import Testing

@testable import EngineRuntime

@Suite("An attempt whose file gets tags")
struct TaggedAttemptTests {
  private static let body = Array("ID3".utf8) + [UInt8](repeating: 7, count: 2_997)
  private static let tags = EpisodeTags(title: "T", podcast: "P")

  private func finished(_ outcome: TagOutcome, takenNames: Int = 0) throws -> AttemptUnderTest {
    let files = FakeFiles()
    files.tagOutcome = outcome
    files.takenNames = takenNames
    let attempt = try AttemptUnderTest(files: files) { attempt in
      attempt.tags = Self.tags
      attempt.settings.checksum = true
    }
    attempt.hand { $0.begin() }
    attempt.run()
    try #require(attempt.head(length: Self.body.count) == .proceed)
    #expect(attempt.receive(Self.body) == .more)
    attempt.run()
    attempt.finishExchange()
    attempt.run()
    for _ in 0...takenNames {
      attempt.hand { $0.proceed() }
      attempt.run()
    }
    return attempt
  }

  @Test("asks for them with the name that was found, publishes the copy, and leaves what was downloaded")
  func tagged() throws {
    let attempt = try finished(.tagged(length: 4_000, sha256: "copy"))
    let path = try LibraryPath(validating: "file-1.mp3")
    #expect(attempt.files.requests == [TagRequest(Self.tags, path: path, wantsDigest: true)])
    #expect(attempt.files.publishedTagged == [true])
    #expect(attempt.files.published == [PublishedFile(path: path, length: 4_000, inode: 7, sha256: "copy")])
    #expect(attempt.files.bytes == Self.body)
    guard case .publishing(_, _, .tagged(let original))? = attempt.news.dropLast().last else {
      return #expect(Bool(false), "\(attempt.news)")
    }
    #expect(original.length == Int64(Self.body.count) && original.sha256?.count == 64)
  }

  @Test("publishes what was downloaded where that cannot be tagged")
  func untagged() throws {
    let attempt = try finished(.untagged(because: "so"))
    #expect(attempt.files.publishedTagged == [false])
    #expect(attempt.files.published.map(\.length) == [Int64(Self.body.count)])
  }

  @Test("publishes the copy under the next name where the first is taken")
  func takenName() throws {
    let attempt = try finished(.tagged(length: 4_000, sha256: nil), takenNames: 1)
    #expect(attempt.files.publishedTagged == [true, true])
    #expect(attempt.files.published.map(\.path.description) == ["file-2.mp3"])
  }
}
