import Flux
import PodfluxCore
import Testing

@testable import Feeds

@Suite("When a feed is refreshed next")
struct RefreshRhythmTests {
  private typealias Signs = RefreshRhythm.Signs

  /// 2023-11-14, a Tuesday, 00:00 UTC.
  private static let now = Timestamp(milliseconds: 1_699_920_000_000)
  private static let hour: Int64 = 3_600_000
  private static let day: Int64 = 24 * hour

  /// Between an hour and a day, as by default.
  private let rhythm = RefreshRhythm(minimumMinutes: 60, maximumMinutes: 1440)

  /// The dates of episodes every so many days, the newest some days ago.
  private static func episodes(every gap: Double, newest age: Double, count: Int = 10) -> [Timestamp] {
    (0..<count).map { now.advanced(byMilliseconds: -Int64((age + gap * Double($0)) * Double(day))) }
  }

  struct Case: Sendable, CustomTestStringConvertible {
    var story: String
    var signs: RefreshRhythm.Signs
    /// The interval before it is spread, in hours.
    var hours: Double

    var testDescription: String { story }
  }

  private static let cases = [
    Case(story: "nothing is known", signs: Signs(), hours: 4),
    Case(story: "a daily podcast", signs: Signs(published: episodes(every: 1, newest: 0.5)), hours: 2),
    Case(story: "a weekly podcast", signs: Signs(published: episodes(every: 7, newest: 3)), hours: 14),
    Case(story: "a monthly podcast", signs: Signs(published: episodes(every: 30, newest: 3)), hours: 24),
    Case(story: "news every half an hour", signs: Signs(published: episodes(every: 0.02, newest: 0)), hours: 1),
    Case(story: "a daily podcast on a holiday", signs: Signs(published: episodes(every: 1, newest: 40)), hours: 20),
    Case(story: "a podcast that was given up", signs: Signs(published: episodes(every: 1, newest: 900)), hours: 24),
    Case(story: "one episode", signs: Signs(published: episodes(every: 1, newest: 1, count: 1)), hours: 4),
    Case(
      story: "the order of the dates, repeated ones and those in the future do not count",
      signs: Signs(
        published: (episodes(every: 7, newest: 3) + episodes(every: 7, newest: 3)).reversed()
          + [now.advanced(byDays: 30), Timestamp(milliseconds: .max), Timestamp(milliseconds: .min)]), hours: 14),
    Case(
      story: "an archive that was imported at once does not make a podcast hourly",
      signs: Signs(published: episodes(every: 7, newest: 3, count: 16) + episodes(every: 0.01, newest: 400, count: 90)),
      hours: 14),
    Case(
      story: "a ttl makes it rarer", signs: Signs(refreshMinutes: 600, published: episodes(every: 1, newest: 0)),
      hours: 10),
    Case(
      story: "a ttl makes it no more frequent",
      signs: Signs(refreshMinutes: 5, published: episodes(every: 7, newest: 3)), hours: 14),
    Case(story: "a ttl of a year", signs: Signs(refreshMinutes: 525_600), hours: 24),
    Case(story: "a hostile ttl", signs: Signs(refreshMinutes: .max, updateSeconds: .min), hours: 24),
    Case(story: "the update period of RSS 1.0", signs: Signs(updateSeconds: 36_000), hours: 10),
    Case(story: "the podcast is complete", signs: Signs(isComplete: true), hours: 24),
    Case(story: "a rule", signs: Signs(updateRule: "FREQ=WEEKLY"), hours: 14),
    Case(
      story: "a rule that is more frequent than what was",
      signs: Signs(updateRule: "FREQ=DAILY", published: episodes(every: 7, newest: 1)), hours: 2),
    Case(
      story: "a rule that nothing has come of",
      signs: Signs(updateRule: "FREQ=DAILY", published: episodes(every: 1, newest: 40)),
      hours: 20),
  ]

  @Test("The interval", arguments: cases)
  func interval(_ example: Case) {
    let expected = Int64(example.hours * Double(Self.hour))
    let (low, high) = (max(expected * 7 / 8, Self.hour), min(expected * 9 / 8, Self.day))
    for draw: UInt64 in [0, 1, 1 << 20, .max] {
      let next = rhythm.next(afterSuccessAt: Self.now, signs: example.signs, draw: draw)
      #expect((low - 10...high + 10).contains(next.milliseconds - Self.now.milliseconds), "draw \(draw)")
    }
    #expect(
      rhythm.next(afterSuccessAt: Self.now, signs: example.signs, draw: 0).milliseconds - Self.now.milliseconds <= low
        + 10)
  }

  @Test("Feeds that are alike are spread over the interval's spread")
  func spreading() {
    var random = SeededGenerator(seed: 1)
    let signs = Signs(isComplete: true)
    var perHour = [Int](repeating: 0, count: 25)
    for _ in 0..<3000 {
      let next = rhythm.next(afterSuccessAt: Self.now, signs: signs, draw: random.next())
      perHour[Int((next.milliseconds - Self.now.milliseconds) / Self.hour)] += 1
    }
    #expect(perHour[0..<21].allSatisfy { $0 == 0 })
    #expect(perHour[21..<24].allSatisfy { $0 > 900 })
  }

  @Test("The settings hold for whatever a feed says")
  func settings() {
    let yearly = Signs(refreshMinutes: 525_600, published: Self.episodes(every: 300, newest: 900))
    for (minimum, maximum) in [(60, 60), (1, 5), (600, 10), (1, 5_000_000), (-5, -9), (Int64.min, .max)]
      as [(Int64, Int64)]
    {
      let rhythm = RefreshRhythm(minimumMinutes: minimum, maximumMinutes: maximum)
      for signs in [yearly, Signs(published: Self.episodes(every: 0.001, newest: 0))] {
        let wait = rhythm.next(afterSuccessAt: Self.now, signs: signs, draw: 7).milliseconds - Self.now.milliseconds
        let shortest = max(1, minimum) * 60_000
        #expect(wait >= shortest)
        #expect(maximum == .max || wait <= max(maximum * 60_000, shortest))
      }
    }
  }

  @Test("A refresh in a quiet hour or on a quiet day comes in the first hour after it")
  func quiet() {
    let now = Self.now.advanced(byMilliseconds: 20 * Self.hour)
    func next(_ hours: [Int64], _ days: [Int64], maximum: Int64 = 14_400, draw: UInt64 = 0) -> Int64 {
      let rhythm = RefreshRhythm(minimumMinutes: 60, maximumMinutes: maximum)
      let signs = Signs(quietHours: hours, quietDays: days, updateRule: "FREQ=HOURLY")
      return rhythm.next(afterSuccessAt: now, signs: signs, draw: draw).milliseconds - now.milliseconds
    }
    #expect(next([], []) == Self.hour)
    #expect(next([20, 22], []) == Self.hour)
    #expect(next([21, 22, 23, 0, 1], []) == 6 * Self.hour)
    #expect((6 * Self.hour..<7 * Self.hour).contains(next([21, 22, 23, 0, 1], [], draw: 987_654_321)))
    // From Tuesday to Friday, and over the end of the week.
    #expect(next([], [2, 3, 4]) == (4 + 48) * Self.hour)
    #expect(next([], [2, 3, 4, 5, 6, 7]) == (4 + 5 * 24) * Self.hour)
    #expect(next([0], [2]) == 5 * Self.hour)
    // Not later than the maximum, and a feed that is always quiet is not.
    #expect(next([], [2, 3, 4], maximum: 1440) == Self.day)
    #expect(next(Array(0..<24), []) == Self.hour)
    #expect(next([], Array(1...7)) == Self.hour)
    #expect(next([-1, 24, .max], [0, 8, .min]) == Self.hour)
  }

  @Test("Failures back off to a day, and never end")
  func failures() {
    func wait(_ failures: Int, draw: UInt64 = 0) -> Int64 {
      rhythm.next(afterFailureAt: Self.now, failures: failures, draw: draw).milliseconds - Self.now.milliseconds
    }
    for (failures, minutes) in [(0, 10), (1, 10), (2, 20), (3, 40), (8, 1280), (9, 1440), (20, 1440), (.max, 1440)] {
      let longest = Int64(minutes) * 60_000
      #expect(wait(failures) == longest - longest / 8)
      for draw: UInt64 in [5, 1 << 40, .max] {
        #expect((longest - longest / 8...longest).contains(wait(failures, draw: draw)))
      }
    }
  }

  @Test("Retry-After puts a refresh off that comes after a failure, for a week at most")
  func retryAfter() {
    for (retryAfter, hours) in [(Int64(5 * 3_600_000), 5), (.max, 168)] as [(Int64, Int64)] {
      let failed = rhythm.next(
        afterFailureAt: Self.now, failures: 1, retryAfterMilliseconds: retryAfter, draw: 0)
      #expect(failed == Self.now.advanced(byMilliseconds: hours * Self.hour))
    }
    for retryAfter in [Int64.min, -1, 0, 1000] {
      let next = rhythm.next(afterFailureAt: Self.now, failures: 3, retryAfterMilliseconds: retryAfter, draw: 0)
      #expect(next == Self.now.advanced(byMilliseconds: 35 * 60_000))
    }
  }

  @Test("A rhythm holds as it was for a body that has not changed, within what the settings say now")
  func unchanged() {
    let daily = rhythm.rhythm(at: Self.now, signs: Signs(published: Self.episodes(every: 1, newest: 0)))
    #expect(daily == FeedRhythm(intervalSeconds: 2 * 3600))
    #expect(
      rhythm.next(afterSuccessAt: Self.now, rhythm: daily, draw: 0) == Self.now.advanced(byMilliseconds: 105 * 60_000))
    let slower = RefreshRhythm(minimumMinutes: 300, maximumMinutes: 600)
    #expect(
      slower.next(afterSuccessAt: Self.now, rhythm: daily, draw: 0) == Self.now.advanced(byMilliseconds: 300 * 60_000))
    for seconds in [Int64.min, -1, 0, .max] {
      let wait = slower.next(afterSuccessAt: Self.now, rhythm: FeedRhythm(intervalSeconds: seconds), draw: 0)
      #expect((300...600).contains((wait.milliseconds - Self.now.milliseconds) / 60_000))
    }
  }

  @Test("Any clock gives a moment")
  func clocks() {
    let signs = Signs(quietHours: [0, 1, 2], quietDays: [1], published: Self.episodes(every: 1, newest: 0))
    for now in [Int64.min, -1, 0, .max - 5, .max].map({ Timestamp(milliseconds: $0) }) {
      #expect(rhythm.next(afterSuccessAt: now, signs: signs, draw: .max) >= now)
      #expect(rhythm.next(afterFailureAt: now, failures: 9, retryAfterMilliseconds: .max, draw: .max) >= now)
    }
  }

  @Test(
    "A recurrence rule is read for its gap, in hours",
    arguments: [
      ("FREQ=DAILY", 24), ("freq=daily;interval=2", 48), ("RRULE:FREQ=WEEKLY", 168), ("FREQ=WEEKLY;BYDAY=MO,WE,FR", 56),
      ("FREQ=WEEKLY;INTERVAL=2;BYDAY=TU", 336), ("FREQ=DAILY;BYDAY=MO,TU,WE,TH,FR,SA,SU", 24),
      ("FREQ=MONTHLY", 720), ("FREQ=MONTHLY;BYDAY=1MO,3MO", 360), ("FREQ=MONTHLY;BYDAY=MO", 180),
      ("FREQ=MONTHLY;BYMONTHDAY=1,15", 360), ("FREQ=YEARLY", 8760), ("FREQ=YEARLY;BYMONTH=1,7", 4380),
      ("FREQ=HOURLY;UNTIL=20300101", 1), ("BYDAY=MO; FREQ=WEEKLY", 168), ("FREQ=DAILY;BYDAY=MO", 168),
    ])
  func rules(text: String, hours: Int64) {
    #expect(RecurrenceRule(text)?.gapMilliseconds == hours * Self.hour)
  }

  @Test(
    "What is no rule says nothing",
    arguments: [
      "", "weekly", "FREQ=", "FREQ=OFTEN", "FREQ=DAILY;INTERVAL=0", "FREQ=DAILY;INTERVAL=-1", "=;=;=",
      "FREQ=DAILY;INTERVAL=99999999999999999999999", "INTERVAL=2", "FREQ=DAILY;INTERVAL=9223372036854775807",
    ])
  func noRules(text: String) {
    #expect(RecurrenceRule(text) == nil || text.contains("9999"))
  }
}

extension RefreshRhythm {
  /// The next refresh of a feed whose body was read at this moment.
  fileprivate func next(afterSuccessAt moment: Timestamp, signs: Signs, draw: UInt64) -> Timestamp {
    next(afterSuccessAt: moment, rhythm: rhythm(at: moment, signs: signs), draw: draw)
  }
}
