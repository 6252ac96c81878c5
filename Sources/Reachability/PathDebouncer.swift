import PodfluxCore

/// Decides when to report a change of the path: a loss at once, a gain after it has lasted.
///
/// | reported | now | |
/// |---|---|---|
/// | any | offline | loss |
/// | over wlan0 | wlan0 has no usable route any more, another link has | loss |
/// | unmetered | metered, or cellular | loss |
/// | offline | any | gain |
/// | over wwan0 | over wlan0, and wwan0 is still usable | gain |
///
/// So a flapping link costs one stop, and transfers start again after it has been stable for `holdTime`. The caller
/// passes the time of a monotonic clock.
struct PathDebouncer: Hashable, Sendable {
  /// How long a gain must last.
  static let holdTime: Duration = .milliseconds(500)

  /// The path reported last.
  private(set) var told: NetworkPath
  /// The pending gain, and since when it has lasted.
  private var gain: Gain?

  private struct Gain: Hashable, Sendable {
    var path: NetworkPath
    var since: Duration
  }

  /// Starts with a path that is already reported.
  init(told: NetworkPath) {
    self.told = told
  }

  /// When `elapse(at:)` will report a path, unless the picture changes before; nil without a pending gain.
  var deadline: Duration? { gain.map { $0.since + Self.holdTime } }

  /// Takes a new picture. Returns the path to report now, if any.
  mutating func take(_ picture: PathPicture, at now: Duration) -> NetworkPath? {
    if isLoss(picture) { return tell(picture.path) }
    guard picture.path != told else {
      gain = nil
      return nil
    }
    if gain?.path != picture.path { gain = Gain(path: picture.path, since: now) }
    return elapse(at: now)
  }

  /// Advances the time. Returns the path to report now, if any.
  mutating func elapse(at now: Duration) -> NetworkPath? {
    guard let gain, now >= gain.since + Self.holdTime else { return nil }
    return tell(gain.path)
  }

  private mutating func tell(_ path: NetworkPath) -> NetworkPath? {
    gain = nil
    told = path
    return path
  }

  private func isLoss(_ picture: PathPicture) -> Bool {
    guard told.status == .online else { return false }
    let path = picture.path
    let isDeviceGone = told.device.map { !picture.devices.contains($0) } ?? false
    let costsMore = (path.isMetered && !told.isMetered) || (path.interface == .cellular && told.interface != .cellular)
    return path.status == .offline || isDeviceGone || costsMore
  }
}
