import PodfluxCore

/// Decides when a change of the path is told: a loss at once, a gain when it has lasted.
///
/// | told | now | |
/// |---|---|---|
/// | any | offline | loss |
/// | over wlan0 | wlan0 has no usable route any more, another link has | loss |
/// | unmetered | metered, or cellular | loss |
/// | offline | any | gain |
/// | over wwan0 | over wlan0, and wwan0 would do still | gain |
///
/// A flapping link thus costs one stop, and transfers begin again when it has held still for `holdTime`. Time is given
/// from outside, as that of a clock which never goes back.
struct PathDebouncer: Hashable, Sendable {
  /// How long a gain must have lasted.
  static let holdTime: Duration = .milliseconds(500)

  /// What was told last.
  private(set) var told: NetworkPath
  /// The gain that has yet to last, and since when it has.
  private var gain: Gain?

  private struct Gain: Hashable, Sendable {
    var path: NetworkPath
    var since: Duration
  }

  /// Begins with a path that everybody knows.
  init(told: NetworkPath) {
    self.told = told
  }

  /// When `elapse(at:)` has something to tell, unless the picture changes before; nil if nothing is waited for.
  var deadline: Duration? { gain.map { $0.since + Self.holdTime } }

  /// Takes a picture in. Returns the path to tell now, if there is one.
  mutating func take(_ picture: PathPicture, at now: Duration) -> NetworkPath? {
    if isLoss(picture) { return tell(picture.path) }
    guard picture.path != told else {
      gain = nil
      return nil
    }
    if gain?.path != picture.path { gain = Gain(path: picture.path, since: now) }
    return elapse(at: now)
  }

  /// Lets time pass. Returns the path to tell now, if there is one.
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
