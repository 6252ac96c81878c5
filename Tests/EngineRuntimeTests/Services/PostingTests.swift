import EngineRuntime
import PodfluxCore
import Testing

@Suite("A fact that a service posts")
struct PostingTests {
  /// What is done, in order.
  private func deeds(_ fact: Action) -> [String] {
    var deeds: [String] = []
    fact.post(through: { _ in deeds.append("fact") }, readingPath: { deeds.append("path") })
    return deeds
  }

  @Test("Comes behind the path that may have caused it, and alone otherwise")
  func order() throws {
    let id = try #require(DownloadID("a"))
    let attempt = AttemptID(download: id, generation: 1)
    let feed = FeedRefresh.ID(feed: try #require(FeedID("a")), generation: 1)
    let fetch = SidecarFetch.ID(sidecar: 1, generation: 1)
    func facts(_ error: DownloadError) -> [Action] {
      [
        .attempt(.init(attempt: attempt, news: .failed(error, kept: nil))),
        .refresh(.init(refresh: feed, news: .failed(error, next: .init(milliseconds: 0)))),
        .sidecar(.fetch(.init(fetch: fetch, news: .failed(error, retryAfter: nil)))),
      ]
    }
    for fact in facts(DownloadError(.connectionLost, "lost")) { #expect(deeds(fact) == ["path", "fact"], "\(fact)") }
    for fact in facts(DownloadError(.notFound, "gone")) { #expect(deeds(fact) == ["fact"], "\(fact)") }
    for fact in [Action.attempt(.init(attempt: attempt, news: .stopped(kept: nil))), .timeCame, .sidecar(.deleted(1))] {
      #expect(deeds(fact) == ["fact"], "\(fact)")
    }
  }
}
