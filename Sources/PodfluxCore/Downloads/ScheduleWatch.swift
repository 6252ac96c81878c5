import Flux

/// What the schedule says, asked for again only when the answer may be another.
struct ScheduleWatch: Sendable {
  /// How local clocks go, as of the last turn.
  private(set) var localTime = LocalTime.utc
  private var asked: Asked?

  /// What was asked, and the answer.
  private struct Asked: Hashable {
    var windows: [ScheduleWindow]
    var zone: LocalTime
    var at: Timestamp
    var verdict: ScheduleVerdict

    /// When the answer is to be asked for again.
    var end: Timestamp { verdict.until ?? at.advanced(byDays: 1) }

    /// Whether the answer would be the same now. A clock that was set back makes it be asked for again.
    func isValid(for windows: [ScheduleWindow], in zone: LocalTime, at now: Timestamp) -> Bool {
      self.windows == windows && self.zone == zone && now >= at && now < end
    }
  }

  /// Whether one of the windows is open, and until when.
  mutating func verdict(of windows: [ScheduleWindow], in zone: LocalTime, at now: Timestamp)
    -> ScheduleVerdict
  {
    localTime = zone
    if let asked, asked.isValid(for: windows, in: zone, at: now) { return asked.verdict }
    let verdict = ScheduleVerdict(of: windows, at: now, in: zone)
    asked = Asked(windows: windows, zone: zone, at: now, verdict: verdict)
    return verdict
  }

  /// When the verdict changes, or is to be asked for again; nil without windows.
  var changesAt: Timestamp? { asked.flatMap { $0.windows.isEmpty ? nil : $0.end } }
}
