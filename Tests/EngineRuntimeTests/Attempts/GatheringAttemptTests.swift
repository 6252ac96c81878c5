import Flux
import PodfluxCore
import Testing

@testable import EngineRuntime

@Suite("An attempt that fetches what its file's tags show")
struct GatheringAttemptTests {
  private static let body = Array("ID3".utf8) + [UInt8](repeating: 7, count: 2_997)
  private static let picture: [UInt8] = [0xFF, 0xD8, 0xFF, 0xE0] + [UInt8](repeating: 1, count: 60)
  private static let cover: [UInt8] =
    [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A] + [UInt8](repeating: 2, count: 60)
  private static let chapters = Array(#"{"version":"1.2.0","chapters":[]}"#.utf8)

  /// An attempt whose file is complete, and whose exchange has ended.
  private func complete(
    _ parts: [TagMaterial.Part] = TagMaterial.Part.allCases, sidecars: [SidecarKind] = [],
    configure: (FakeFiles) -> Void = { _ in }
  ) throws -> AttemptUnderTest {
    let files = FakeFiles()
    configure(files)
    let sources = try parts.map { part in
      (
        part,
        TagSources.Source(
          try WebAddress("http://art.example/\(part.rawValue)"), route: .only(device: "wlan0"), reach: .publicOnly)
      )
    }
    let attempt = try AttemptUnderTest(files: files) { attempt in
      attempt.tags = EpisodeTags(title: "T", isEpisode: true)
      attempt.settings.sidecars = SidecarKinds(sidecars)
      attempt.tagSources = TagSources(Dictionary(uniqueKeysWithValues: sources))
      attempt.description.headers = [Header(name: "Authorization", value: "secret")]
    }
    attempt.hand { $0.begin() }
    attempt.run()
    try #require(attempt.head(length: Self.body.count) == .proceed)
    #expect(attempt.receive(Self.body) == .more)
    attempt.run()
    attempt.finishExchange()
    attempt.run()
    return attempt
  }

  /// The paths of the requests behind the first one.
  private func asked(_ attempt: AttemptUnderTest) -> [String] {
    attempt.requests.dropFirst().map { String($0.url.split(separator: "/").last ?? "") }
  }

  private func answer(_ attempt: AttemptUnderTest, _ bytes: [UInt8], failure: ExchangeFailure? = nil) {
    #expect(attempt.head(length: bytes.count) == .proceed)
    #expect(attempt.receive(Array(bytes.prefix(20))) == .more)
    #expect(attempt.receive(Array(bytes.dropFirst(20))) == .more)
    attempt.finishExchange(failure)
    attempt.run()
  }

  private func material(_ attempt: AttemptUnderTest) throws -> TagMaterial {
    (try #require(attempt.files.requests.last ?? nil)).material
  }

  private func publish(_ attempt: AttemptUnderTest) {
    attempt.hand { $0.proceed() }
    attempt.run()
    #expect(attempt.hasEnded && attempt.files.published.count == 1)
  }

  @Test("asks for chapters and the episode's picture when the file is complete, and not for the cover then")
  func parts() throws {
    let attempt = try complete()
    #expect(asked(attempt) == ["chapters"])
    #expect(attempt.files.requests.isEmpty)
    answer(attempt, Self.chapters)
    #expect(asked(attempt) == ["chapters", "picture"])
    answer(attempt, Self.picture)
    #expect(asked(attempt) == ["chapters", "picture"])
    #expect(try material(attempt) == TagMaterial(parts: [.chapters: Self.chapters, .picture: Self.picture]))
    #expect(attempt.files.bytes == Self.body)
    publish(attempt)
  }

  @Test("keeps for the sidecars what they want too, if it is what it should be")
  func sidecars() throws {
    let attempt = try complete(sidecars: [.picture, .cover])
    answer(attempt, Self.chapters)
    answer(attempt, Self.picture)
    #expect(attempt.gathered.map(\.bytes) == [Self.picture])
    let source = try WebAddress("http://art.example/picture")
    #expect(attempt.gathered.map(\.source) == [.init(address: source, session: nil)])
    let useless = try complete([.chapters], sidecars: [.chapters])
    answer(useless, Self.picture)
    #expect(useless.gathered.isEmpty)
  }

  @Test("sends none of the client's headers for it, and takes the way that it was given")
  func request() throws {
    let request = try #require(try complete().requests.last)
    #expect(request.headers.isEmpty && request.rangeStart == nil)
    #expect(request.route == .only(device: "wlan0"))
  }

  @Test("asks for the podcast's cover where the episode's picture does not come, and is no picture")
  func cover() throws {
    for page in [Array("<!DOCTYPE html>".utf8) + [UInt8](repeating: 32, count: 40), Self.chapters] {
      let attempt = try complete([.picture, .cover])
      answer(attempt, page)
      #expect(asked(attempt) == ["picture", "cover"])
      answer(attempt, Self.cover)
      let material = try material(attempt)
      #expect(material.parts == [.cover: Self.cover])
      #expect(material.missing == [.picture: "the server sent neither a JPEG nor a PNG"])
      publish(attempt)
    }
  }

  @Test("asks for nothing that the file cannot show or finds in its folder")
  func unneeded() throws {
    let attempt = try complete { $0.parts = [.picture] }
    #expect(asked(attempt) == ["picture"])
    let none = try complete { $0.parts = [] }
    #expect(asked(none).isEmpty)
    publish(none)
  }

  @Test("does without what may come no more: the request under way ends, and none follows for the rest")
  func left() throws {
    let attempt = try complete()
    attempt.hand { $0.leave([.chapters, .picture]) }
    #expect(attempt.cancellations == 1)
    attempt.finishExchange(.cancelled)
    attempt.run()
    #expect(asked(attempt) == ["chapters", "cover"])
    attempt.hand { $0.leave([.picture]) }
    #expect(attempt.cancellations == 1)
    answer(attempt, Self.cover)
    let material = try material(attempt)
    #expect(material.parts == [.cover: Self.cover] && Set(material.missing.keys) == [.chapters])
    publish(attempt)
  }

  @Test("does without what is refused, breaks off, is too long or coded, and says why")
  func failures() throws {
    let refused = try complete([.chapters])
    #expect(refused.head(404) == .stop)
    refused.finishExchange(ExchangeFailure(.refusedByDelegate, message: "no longer wanted"))
    refused.run()
    #expect(try material(refused).missing == [.chapters: "the server answered 404"])
    publish(refused)

    let broken = try complete([.chapters])
    answer(broken, Self.chapters, failure: ExchangeFailure(.connectionLost, message: "the connection broke"))
    #expect(try material(broken) == TagMaterial(missing: [.chapters: "the connection broke"]))
    publish(broken)

    let long = try complete([.chapters])
    #expect(long.head(length: TagMaterial.chaptersBytes + 1) == .stop)
    long.finishExchange(ExchangeFailure(.refusedByDelegate, message: "no longer wanted"))
    long.run()
    #expect(try material(long).missing[.chapters]?.contains("262144 bytes") == true)

    let unannounced = try complete([.chapters])
    #expect(unannounced.head() == .proceed)
    #expect(unannounced.receive([UInt8](repeating: 32, count: TagMaterial.chaptersBytes)) == .more)
    #expect(unannounced.receive([32]) == .stop)
    unannounced.finishExchange(ExchangeFailure(.refusedByDelegate, message: "no longer wanted"))
    unannounced.run()
    #expect(try material(unannounced).parts.isEmpty)
    publish(unannounced)

    let coded = try complete([.chapters])
    #expect(coded.head(200, [HTTPField(name: "Content-Encoding", value: "gzip")]) == .stop)
  }

  @Test("waits for all parts together no longer than its patience")
  func patience() throws {
    let attempt = try complete()
    attempt.milliseconds = TagMaterial.patienceMilliseconds - 1
    #expect(attempt.hand { $0.tick(at: attempt.now) } == nil)
    #expect(attempt.cancellations == 0)
    attempt.milliseconds += 1
    #expect(attempt.hand { $0.tick(at: attempt.now) } == nil)
    #expect(attempt.cancellations == 1)
    attempt.finishExchange(.cancelled)
    attempt.run()
    #expect(asked(attempt) == ["chapters"])
    let reasons = try material(attempt).missing
    #expect(
      reasons == Dictionary(uniqueKeysWithValues: TagMaterial.Part.allCases.map { ($0, "fetching it took too long") }))
    publish(attempt)
  }

  @Test("ends with its file kept when it is stopped meanwhile, and asks for no other part")
  func stopped() throws {
    let attempt = try complete()
    attempt.hand { $0.stop() }
    #expect(attempt.cancellations == 1)
    // An effect may be carried out twice (seed 3022).
    attempt.hand { $0.stop() }
    #expect(attempt.cancellations == 1)
    attempt.finishExchange(.cancelled)
    attempt.run()
    #expect(asked(attempt) == ["chapters"])
    #expect(attempt.hasEnded && attempt.files.published.isEmpty)
    guard case .stopped(let kept?)? = attempt.news.last else { return #expect(Bool(false), "\(attempt.news)") }
    #expect(kept.durable == Int64(Self.body.count))
  }

  @Test("fetches it once, although the first name turns out to be taken")
  func takenName() throws {
    let attempt = try complete([.chapters]) { $0.takenNames = 1 }
    answer(attempt, Self.chapters)
    attempt.hand { $0.proceed() }
    attempt.run()
    #expect(asked(attempt) == ["chapters"])
    #expect(attempt.files.requests.map { $0?.material.parts[.chapters] } == [Self.chapters, Self.chapters])
    publish(attempt)
  }

  @Test("tells of the bytes that came over the network for it")
  func traffic() throws {
    let attempt = try complete([.chapters])
    attempt.hand { $0.received(overNetwork: 33) }
    answer(attempt, Self.chapters)
    #expect(attempt.reports.map(\.fetched).reduce(0, +) == 33)
  }

  @Test("hears of a file that fails meanwhile when the exchange has ended")
  func failedFile() throws {
    let attempt = try complete([.chapters])
    attempt.hand { _ = $0.fail(DownloadError(.io, "the device does not take it")) }
    #expect(attempt.cancellations == 1 && !attempt.hasEnded)
    attempt.finishExchange(.cancelled)
    attempt.run()
    guard case .failed(let error, _, _)? = attempt.news.last else { return #expect(Bool(false), "\(attempt.news)") }
    #expect(error.message == "the device does not take it")
    #expect(attempt.hasEnded && attempt.files.requests.isEmpty)
  }
}
