import Flux
import Testing

@testable import PodfluxCore

@Suite("Schedules")
struct ScheduleTests {
  private func verdict(
    _ window: ScheduleWindow, _ now: Timestamp, _ zone: LocalTime = .utc
  ) -> ScheduleVerdict {
    ScheduleVerdict(of: [window], at: now, in: zone)
  }

  @Test("Without windows it is always open")
  func none() {
    let verdict = ScheduleVerdict(of: [], at: World.beginning, in: .berlin)
    #expect(verdict.isOpen)
    #expect(verdict.until == nil)
  }

  /// 2027-01-15 is a Friday, 2027-01-18 a Monday.
  @Test(
    "A window opens and closes in local time, over midnight too",
    arguments: [
      (540, 1020, Timestamp.on(2027, 1, 18, 8, 59), false, Timestamp.on(2027, 1, 18, 9)),
      (540, 1020, .on(2027, 1, 18, 9), true, .on(2027, 1, 18, 17)),
      (540, 1020, .on(2027, 1, 18, 17), false, .on(2027, 1, 25, 9)),
      (1320, 360, .on(2027, 1, 18, 23), true, .on(2027, 1, 19, 6)),
      (1320, 360, .on(2027, 1, 19, 5, 59), true, .on(2027, 1, 19, 6)),
      (1320, 360, .on(2027, 1, 18, 5), false, .on(2027, 1, 18, 22)),
      (0, 1440, .on(2027, 1, 18), true, .on(2027, 1, 19)), (0, 1440, .on(2027, 1, 15), false, .on(2027, 1, 18)),
      (480, 480, .on(2027, 1, 19, 7, 59), true, .on(2027, 1, 19, 8)),
      (0, 0, .on(2027, 1, 18, 12), true, .on(2027, 1, 19)),
    ])
  func mondays(from: Int, to: Int, now: Timestamp, isOpen: Bool, until: Timestamp) {
    let verdict = verdict(ScheduleWindow(days: [.mon], from: from, to: to), now)
    #expect(verdict.isOpen == isOpen)
    #expect(verdict.until == until)
  }

  @Test("A window of all days and hours never closes, and one that a clock change skips opens a week later")
  func never() {
    #expect(
      verdict(ScheduleWindow(from: 0, to: 1440), World.beginning)
        == verdict(ScheduleWindow(from: 0, to: 0), World.beginning))
    #expect(verdict(ScheduleWindow(from: 0, to: 1440), World.beginning).until == nil)
    let skipped = ScheduleWindow(days: [.sun], from: 150, to: 165)
    let verdict = verdict(skipped, .on(2027, 3, 28), .berlin)
    #expect(!verdict.isOpen)
    #expect(verdict.until == .on(2027, 4, 4, 0, 30))
  }

  @Test("A night with a clock change is an hour shorter, or longer")
  func changes() {
    let night = ScheduleWindow(days: [.sat], from: 1320, to: 360)
    #expect(verdict(night, .on(2027, 3, 27, 21), .berlin).until == .on(2027, 3, 28, 4))
    #expect(verdict(night, .on(2027, 10, 30, 20), .berlin).until == .on(2027, 10, 31, 5))
    #expect(verdict(night, .on(2027, 10, 30, 19, 59), .berlin).until == .on(2027, 10, 30, 20))
  }

  @Test("In a repeated hour a window opens twice; a jump over its end closes it")
  func repeated() {
    let window = ScheduleWindow(days: [.sun], from: 135, to: 165)
    var moments: [Timestamp] = []
    var now = Timestamp.on(2027, 10, 31)
    for _ in 0..<4 {
      guard let until = verdict(window, now, .berlin).until else { break }
      moments.append(until)
      now = until
    }
    #expect(
      moments == [
        .on(2027, 10, 31, 0, 15), .on(2027, 10, 31, 0, 45), .on(2027, 10, 31, 1, 15), .on(2027, 10, 31, 1, 45),
      ])
    let cut = ScheduleWindow(days: [.sun], from: 90, to: 150)
    #expect(verdict(cut, .on(2027, 3, 28, 0, 30), .berlin).until == .on(2027, 3, 28, 1))
  }

  @Test("A verdict holds until its end, in random schedules", arguments: UInt64(1)...12)
  func minutes(seed: UInt64) {
    var random = SeededGenerator(seed: seed, index: 0)
    let windows = (0..<Int.random(in: 1...3, using: &random)).map { _ in
      ScheduleWindow(
        days: ScheduleWindow.Weekday.allCases.filter { _ in Bool.random(using: &random) } + [.wed],
        from: Int.random(in: 0..<1440, using: &random), to: Int.random(in: 0...1440, using: &random))
    }
    let changeDays = [Timestamp.on(2027, 3, 27), .on(2027, 10, 30), .on(2027, 6, 1)]
    let now = changeDays[Int(seed % 3)].advanced(byMilliseconds: Int64.random(in: 0..<2880, using: &random) * 60_000)
    let verdict = ScheduleVerdict(of: windows, at: now, in: .berlin)
    let isOpen = { (moment: Timestamp) in
      let shown = LocalTime.berlin.shown(at: moment).milliseconds / 60_000
      return windows.contains { $0.isOpen(onDay: shown / 1440, minute: Int(shown % 1440)) }
    }
    let next = (0..<8 * 1440).lazy.map { now.advanced(byMilliseconds: Int64($0) * 60_000) }
      .first { isOpen($0) != verdict.isOpen }
    #expect(verdict.isOpen == isOpen(now), "seed \(seed)")
    #expect(verdict.until == next, "seed \(seed): \(windows) at \(now)")
  }

  @Test("Windows outside their ranges are invalid")
  func limits() {
    #expect(ScheduleWindow(from: 0, to: 1440).isWithinLimits)
    #expect(!ScheduleWindow(days: [], from: 0, to: 1440).isWithinLimits)
    #expect(!ScheduleWindow(from: 1440, to: 1440).isWithinLimits)
    #expect(!ScheduleWindow(from: -1, to: 5).isWithinLimits)
    #expect(!ScheduleWindow(from: 0, to: 1441).isWithinLimits)
    #expect(ScheduleWindow(days: [.sun, .mon, .sun], from: 0, to: 5).days == [.mon, .sun])
  }
}
