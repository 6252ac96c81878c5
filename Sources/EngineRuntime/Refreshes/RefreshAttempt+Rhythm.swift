import Feeds
import Flux
import PodfluxCore

/// When the feed is refreshed next.
extension RefreshAttempt {
  private var rhythm: RefreshRhythm {
    let settings = refresh.settings
    return RefreshRhythm(
      minimumMinutes: Int64(settings.feedRefreshMinutes), maximumMinutes: Int64(settings.feedRefreshMaxMinutes))
  }

  /// How often the feed is refreshed from now on.
  func rhythm(_ podcast: FeedPodcast, _ latest: [Timestamp]) -> FeedRhythm {
    rhythm.rhythm(at: now.wall, signs: RefreshRhythm.Signs(podcast: podcast, published: latest))
  }

  /// When it is refreshed next; without a rhythm of its own, as a feed of which nothing is known.
  func nextAfterSuccess(_ own: FeedRhythm?) -> Timestamp {
    rhythm.next(
      afterSuccessAt: now.wall, rhythm: own ?? rhythm.rhythm(at: now.wall, signs: RefreshRhythm.Signs()),
      draw: refresh.draw)
  }

  func nextAfterFailure(_ retryAfterMilliseconds: Int64?) -> Timestamp {
    rhythm.next(
      afterFailureAt: now.wall, failures: refresh.feed.refreshes.failures + 1,
      retryAfterMilliseconds: retryAfterMilliseconds, draw: refresh.draw)
  }
}
