import Flux
import PodfluxCore

/// When a feed is refreshed next.
///
/// After a success, in this order:
///
/// 1. **The gap between episodes.** The median of the gaps between the newest episodes' dates, or the gap of the
///    recurrence rule (`podcast:updateFrequency`) if that is shorter; `assumedGapMilliseconds` if neither is known. A
///    feed that has been silent for longer counts as slower: the gap is at least a quarter of the newest episode's age.
/// 2. **The interval** is a twelfth of the gap: a daily podcast is refreshed every two hours, a weekly one every 14.
///    A podcast that says that it is complete has the longest one.
/// 3. **What the publisher allows.** The interval is at least the `ttl` and the update period of RSS 1.0.
/// 4. **The settings** limit it: neither shorter than the minimum nor longer than the maximum, against what the feed
///    says too.
/// 5. **Spreading.** The random draw moves it by up to an eighth, within the same limits, so that feeds that were
///    subscribed to together do not strike together.
/// 6. **Quiet hours and days** (`skipHours`, `skipDays`, in UTC): a refresh in one comes in the first hour after them,
///    but not later than the maximum allows. A feed that is always quiet says nothing.
///
/// After a failure it is `firstRetryMilliseconds`, twice as much after each further one, and at most
/// `longestRetryMilliseconds`, spread by an eighth. It never ends.
///
/// A `Retry-After` of the server puts the latter off, by at most `longestRetryAfterMilliseconds`.
package struct RefreshRhythm: Hashable, Sendable {
  /// What is known of a feed's rhythm.
  package struct Signs: Hashable, Sendable {
    /// `ttl`, in minutes.
    package var refreshMinutes: Int64?
    /// `skipHours`: from 0 to 23.
    package var quietHours: [Int64]
    /// `skipDays`: from 1 for Monday to 7.
    package var quietDays: [Int64]
    /// The update period of RSS 1.0.
    package var updateSeconds: Int64?
    /// A recurrence rule (RFC 5545 section 3.3.10) as it is written.
    package var updateRule: String?
    /// Whether no further episode will come.
    package var isComplete: Bool
    /// When the newest episodes were published, in any order. `RefreshRhythm.episodes` are enough.
    package var published: [Timestamp]

    package init(
      refreshMinutes: Int64? = nil, quietHours: [Int64] = [], quietDays: [Int64] = [], updateSeconds: Int64? = nil,
      updateRule: String? = nil, isComplete: Bool = false, published: [Timestamp] = []
    ) {
      self.refreshMinutes = refreshMinutes
      self.quietHours = quietHours
      self.quietDays = quietDays
      self.updateSeconds = updateSeconds
      self.updateRule = updateRule
      self.isComplete = isComplete
      self.published = published
    }

    /// What a podcast says, with the dates of its newest episodes.
    package init(podcast: FeedPodcast, published: [Timestamp]) {
      self.init(
        refreshMinutes: podcast.refreshMinutes, quietHours: podcast.quietHours, quietDays: podcast.quietDays,
        updateSeconds: podcast.updateSeconds, updateRule: podcast.updateFrequency?.rule,
        isComplete: podcast.isComplete ?? podcast.updateFrequency?.isComplete ?? false, published: published)
    }
  }

  /// The dates that count, those of the newest episodes.
  package static let episodes = 16
  /// The gap of a feed whose gap is not known: two days.
  package static let assumedGapMilliseconds: Int64 = 2 * 86_400_000
  /// How often a feed is refreshed in the time in which an episode is expected.
  static let refreshesPerGap: Int64 = 12
  /// A gap is at least this part of the newest episode's age.
  static let silencePart: Int64 = 4
  /// An interval is spread by this part of it.
  static let spreadPart: Int64 = 8

  /// The first wait after a failure: ten minutes.
  package static let firstRetryMilliseconds: Int64 = 600_000
  /// The longest wait after failures: 24 hours.
  package static let longestRetryMilliseconds: Int64 = 86_400_000
  /// How far a server can put off the next refresh: seven days.
  package static let longestRetryAfterMilliseconds: Int64 = 7 * 86_400_000

  private static let millisecondsPerMinute: Int64 = 60_000

  private let minimum: Int64
  private let maximum: Int64

  /// The rhythm with the settings `feedRefreshMinutes` and `feedRefreshMaxMinutes`. A maximum below the minimum counts
  /// as the minimum.
  package init(minimumMinutes: Int64, maximumMinutes: Int64) {
    minimum = Self.milliseconds(minutes: max(1, minimumMinutes))
    maximum = max(minimum, Self.milliseconds(minutes: maximumMinutes))
  }

  /// The rhythm of a feed whose body has been read at this moment: it holds until the next body.
  package func rhythm(at moment: Timestamp, signs: Signs) -> FeedRhythm {
    FeedRhythm(
      intervalSeconds: interval(at: moment, signs: signs) / 1000,
      quietHours: Set(signs.quietHours).filter { (0...23).contains($0) }.sorted(),
      quietDays: Set(signs.quietDays).filter { (1...7).contains($0) }.sorted())
  }

  /// The next refresh after one that has succeeded, of a feed with this rhythm, within what the settings say now.
  package func next(afterSuccessAt moment: Timestamp, rhythm: FeedRhythm, draw: UInt64) -> Timestamp {
    let interval = max(minimum, min(max(0, rhythm.intervalSeconds), maximum / 1000) * 1000)
    let part = interval / Self.spreadPart
    let spread = Self.draw(draw, in: max(minimum, interval - part)...min(maximum, interval + part))
    let next = moment.advanced(byMilliseconds: spread)
    let latest = max(next, moment.advanced(byMilliseconds: maximum))
    return min(latest, rhythm.loudMoment(from: next, draw: draw))
  }

  /// The next refresh after so many that have failed, the last at this moment.
  package func next(
    afterFailureAt moment: Timestamp, failures: Int, retryAfterMilliseconds: Int64? = nil, draw: UInt64
  ) -> Timestamp {
    let doublings = min(max(failures, 1) - 1, 30)
    let wait = min(Self.longestRetryMilliseconds, Self.firstRetryMilliseconds << Int64(doublings))
    let spread = Self.draw(draw, in: wait - wait / Self.spreadPart...wait)
    return moment.advanced(byMilliseconds: max(spread, Self.limited(retryAfterMilliseconds)))
  }

  /// The interval before it is spread, in milliseconds.
  private func interval(at moment: Timestamp, signs: Signs) -> Int64 {
    guard !signs.isComplete else { return maximum }
    let allowed = max(
      Self.milliseconds(minutes: signs.refreshMinutes ?? 0),
      Self.milliseconds(minutes: (signs.updateSeconds ?? 0) / 60))
    return min(max(minimum, Self.gap(at: moment, signs: signs) / Self.refreshesPerGap, allowed), maximum)
  }

  /// The time between two episodes, in milliseconds.
  private static func gap(at moment: Timestamp, signs: Signs) -> Int64 {
    // Dates in the future are announcements, and those before the first podcasts are mistakes.
    let dates = Set(signs.published.filter { $0 <= moment && $0 > Timestamp(milliseconds: 0) })
      .sorted(by: >).prefix(episodes)
    let gaps = zip(dates, dates.dropFirst()).map { $0.milliseconds - $1.milliseconds }.sorted()
    let own = gaps.isEmpty ? nil : gaps[gaps.count / 2]
    let rule = signs.updateRule.flatMap { RecurrenceRule($0) }?.gapMilliseconds
    let gap = [own, rule].compactMap(\.self).min() ?? assumedGapMilliseconds
    let age = dates.first.map { moment.milliseconds - $0.milliseconds } ?? 0
    return max(gap, age / silencePart)
  }

  private static func milliseconds(minutes: Int64) -> Int64 {
    // Ten years bound what a feed can say.
    min(max(0, minutes), 5_256_000) * millisecondsPerMinute
  }

  private static func limited(_ retryAfterMilliseconds: Int64?) -> Int64 {
    min(retryAfterMilliseconds ?? 0, longestRetryAfterMilliseconds)
  }

  private static func draw(_ draw: UInt64, in range: ClosedRange<Int64>) -> Int64 {
    range.lowerBound + Int64(draw % UInt64(range.upperBound - range.lowerBound + 1))
  }
}

extension FeedRhythm {
  private static let millisecondsPerHour: Int64 = 3_600_000
  private static let hoursPerWeek: Int64 = 168

  /// The moment itself if its hour is not quiet, else one in the first hour that is not.
  fileprivate func loudMoment(from moment: Timestamp, draw: UInt64) -> Timestamp {
    guard !quietHours.isEmpty || !quietDays.isEmpty else { return moment }
    let (hour, sinceHour) = moment.milliseconds.dividedDown(by: Self.millisecondsPerHour)
    guard let loud = (0..<Self.hoursPerWeek).first(where: { !isQuiet(hour: hour + $0) }), loud > 0 else {
      return moment
    }
    let offset = Int64(draw % UInt64(Self.millisecondsPerHour))
    return moment.advanced(byMilliseconds: loud * Self.millisecondsPerHour - sinceHour + offset)
  }

  /// Whether an hour, counted from 1970, is quiet.
  private func isQuiet(hour: Int64) -> Bool {
    let (day, hourOfDay) = hour.dividedDown(by: 24)
    // 1970-01-01 was a Thursday, the fourth day.
    let weekday = (day + 3).dividedDown(by: 7).remainder + 1
    return quietHours.contains(hourOfDay) || quietDays.contains(weekday)
  }
}
