import Flux

/// A weekly period, in local time, in which downloads run.
///
/// | window | open |
/// |---|---|
/// | mon, 09:00–17:00 | Mondays from nine to five |
/// | mon, 22:00–06:00 | from Monday at ten in the evening to Tuesday at six |
/// | mon, 00:00–24:00 | Mondays |
/// | mon, 08:00–08:00 | from Monday at eight to Tuesday at eight |
///
/// The local clock decides: an hour that it skips is in no window, an hour that it repeats counts twice.
///
/// ```swift
/// var patch = SettingsPatch()
/// patch.schedule = [ScheduleWindow(days: [.sat, .sun], from: 22 * 60, to: 6 * 60)]
/// _ = try await podflux.dispatch(.updateSettings(patch))
/// ```
public struct ScheduleWindow: Hashable, Sendable, Codable {
  /// A day of the week on the local clock, Monday first.
  ///
  /// Use: `settings.schedule.first?.days.first`.
  public enum Weekday: String, Hashable, Sendable, Codable, CaseIterable {
    case mon, tue, wed, thu, fri, sat, sun
  }

  /// The minutes of a day; a window may end at the next midnight, 1440.
  public static let minutes = 0...1440
  /// How many windows a schedule may have.
  public static let maximumCount = 64

  /// The days on which it opens, in order.
  public var days: [Weekday]
  /// When it opens, in minutes after midnight: less than 1440.
  public var from: Int
  /// When it closes, in minutes after midnight; on the next day unless it is later than `from`.
  public var to: Int

  public init(days: [Weekday] = Weekday.allCases, from: Int, to: Int) {
    self.days = Weekday.allCases.filter(days.contains)
    self.from = from
    self.to = to
  }

  /// Whether all values are in their ranges.
  public var isWithinLimits: Bool {
    !days.isEmpty && days == Weekday.allCases.filter(days.contains) && Self.minutes.contains(from) && from < 1440
      && Self.minutes.contains(to)
  }

  /// Whether it is open at a minute of a local day, counted from 1970-01-01.
  func isOpen(onDay day: Int64, minute: Int) -> Bool {
    if from < to { return opens(onDay: day) && (from..<to).contains(minute) }
    return opens(onDay: day) && minute >= from || opens(onDay: day - 1) && minute < to
  }

  private func opens(onDay day: Int64) -> Bool {
    // 1970-01-01 was a Thursday.
    days.contains(Weekday.allCases[Int((day + 3).dividedDown(by: 7).remainder)])
  }
}

/// A schedule's state at a time, and when that changes.
package struct ScheduleVerdict: Hashable, Sendable {
  /// Whether downloads run.
  package var isOpen: Bool
  /// When that changes; nil if it does not within the next week and a day.
  package var until: Timestamp?

  private static let days: Int64 = 8
  private static let minuteMilliseconds: Int64 = 60_000

  /// Evaluates a schedule; without windows it is always open. Cost: the windows' openings of a week, times the windows.
  package init(of windows: [ScheduleWindow], at now: Timestamp, in zone: LocalTime) {
    func isOpen(at moment: Timestamp) -> Bool {
      let shown = zone.shown(at: moment)
      let minute = Int((shown.milliseconds - Timestamp(day: shown.day).milliseconds) / Self.minuteMilliseconds)
      return windows.contains { $0.isOpen(onDay: shown.day, minute: minute) }
    }
    guard !windows.isEmpty else {
      self.isOpen = true
      return
    }
    let isOpenNow = isOpen(at: now)
    let today = zone.shown(at: now).day
    let minutes = Set(windows.flatMap { [$0.from, $0.to] })
    let openings = (today...today + Self.days).flatMap { day in
      minutes.flatMap { minute in
        zone.moments(showing: Timestamp(day: day).advanced(byMilliseconds: Int64(minute) * Self.minuteMilliseconds))
      }
    }
    self.isOpen = isOpenNow
    until = (openings + zone.changes.map(\.from)).filter { $0 > now }.sorted().first { isOpen(at: $0) != isOpenNow }
  }
}
