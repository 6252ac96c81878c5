import Flux

/// Caches the schedule's verdict until it may change.
struct ScheduleWatch: Sendable {
  /// The machine's time zone, as of the last turn.
  private(set) var localTime = LocalTime.utc
  private var asked: Asked?

  /// The inputs of the last verdict, and the verdict.
  private struct Asked: Hashable {
    var windows: [ScheduleWindow]
    var zone: LocalTime
    var at: Timestamp
    var verdict: ScheduleVerdict

    /// When to compute the verdict again.
    var end: Timestamp { verdict.until ?? at.advanced(byDays: 1) }

    /// Whether the verdict still holds. A clock that was set back invalidates it.
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

  /// When the verdict changes, or must be computed again; nil without windows.
  var changesAt: Timestamp? { asked.flatMap { $0.windows.isEmpty ? nil : $0.end } }
}
