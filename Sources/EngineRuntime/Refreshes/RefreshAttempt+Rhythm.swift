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
    next(afterFailures: refresh.feed.refreshes.failures + 1, retryAfterMilliseconds)
  }

  /// When a feed is refreshed next whose document ended early: as one that has failed, but no later than its rhythm
  /// says. Some publishers always leave the last tag out, and their new episodes come nevertheless.
  func nextAfterPart(_ own: FeedRhythm) -> Timestamp {
    min(nextAfterFailure(nil), max(nextAfterSuccess(own), next(afterFailures: 1, nil)))
  }

  /// For how long the server wants to be left alone, in milliseconds; nil if it does not say it.
  func retryAfter(_ head: ResponseHead) -> Int64? {
    RetryAfter.milliseconds(in: head, now: now.wall, atMost: RefreshRhythm.longestRetryAfterMilliseconds)
  }

  private func next(afterFailures failures: Int, _ retryAfterMilliseconds: Int64?) -> Timestamp {
    rhythm.next(
      afterFailureAt: now.wall, failures: failures, retryAfterMilliseconds: retryAfterMilliseconds, draw: refresh.draw)
  }
}
