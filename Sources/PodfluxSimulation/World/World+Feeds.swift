import EngineRuntime
import Flux
import PodfluxCore

/// What happens to feeds, and what refreshes find outside. Everything is drawn from the feeds' own generator.
extension World {
  /// A publisher or a server does something.
  func changeFeeds() throws {
    guard !isCalm, feeds != nil else { return }
    if let text = try feeds?.change(origins) { noteTrouble(text) }
    schedule(.feedChange, after: Int64(feeds?.random.within(10...1_200) ?? 0))
  }

  /// Milliseconds until a refresh does the next thing: some once in so many steps.
  func feedDelay(oneIn draws: Int) -> Int64 {
    guard feeds?.random.once(in: draws) == true else { return 0 }
    return feeds?.random.delay() ?? 0
  }

  func feedAnswer(to request: HTTPRequest, _ enter: (String, Int) -> ExchangeFailure?) -> FeedAnswer {
    feeds?.answer(request, hasFaults: suffers(.network), enter)
      ?? FeedAnswer(
        head: ResponseHead(status: 404, effectiveURL: request.url, fields: []))
  }

  /// A body in pieces of random lengths.
  func feedPieces(of body: [UInt8]) -> [[UInt8]] {
    guard var random = feeds?.random else { return [body] }
    defer { feeds?.random = random }
    var (pieces, start): ([[UInt8]], Int) = ([], 0)
    while start < body.count {
      // The beginning of a long one is of no interest.
      let longest = body.count - start > 100_000 ? body.count - start - 50_000 : random.once(in: 3) ? 300 : 8_000
      let length = min(body.count - start, 1 + random.below(longest))
      pieces.append(Array(body[start..<(start + length)]))
      start += length
    }
    return pieces
  }

  /// Perhaps the people of the feeds want something.
  func speakOfFeeds(to engine: SimulatedEngine) {
    guard var feeds, suffers(.feeds) else { return }
    for _ in 0..<feeds.random.below(3) {
      engine.ask(listener.intent(checker.feeds, feeds.places, downloads: checker.rows.count, using: &feeds.random))
    }
    self.feeds?.random = feeds.random
  }
}
