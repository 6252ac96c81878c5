import PodfluxCore
import Testing

@testable import Reachability

@Suite("The path debouncer")
struct PathDebouncerTests {
  private static let wifi = NetworkPath(status: .online, interface: .wifi, device: "wlan0")
  private static let cellular = NetworkPath(status: .online, interface: .cellular, device: "wwan0")
  private static let meteredWifi = NetworkPath(status: .online, interface: .wifi, isMetered: true, device: "wlan0")

  /// A picture with further usable devices.
  private static func picture(_ path: NetworkPath, beside: Set<String> = []) -> PathPicture {
    PathPicture(path: path, devices: beside.union(path.device.map { [$0] } ?? []))
  }

  private static func milliseconds(_ count: Int) -> Duration { .milliseconds(count) }

  @Test("A loss is reported at once")
  func losses() {
    let losses: [(NetworkPath, PathPicture)] = [
      (Self.wifi, Self.picture(.offline)), (Self.cellular, Self.picture(.offline)),
      (Self.wifi, Self.picture(Self.cellular)), (Self.wifi, Self.picture(Self.cellular, beside: ["wlan0"])),
      (Self.wifi, Self.picture(Self.meteredWifi)),
      // Better, but the old one is gone: its connections are broken.
      (Self.cellular, Self.picture(Self.wifi)),
    ]
    for (told, picture) in losses {
      var debouncer = PathDebouncer(told: told)
      #expect(debouncer.take(picture, at: .zero) == picture.path)
      #expect(debouncer.told == picture.path)
      #expect(debouncer.deadline == nil)
    }
  }

  @Test("A gain is reported once, after it has lasted for 500 ms")
  func gains() {
    let gains: [(NetworkPath, PathPicture)] = [
      (.offline, Self.picture(Self.wifi)), (.offline, Self.picture(Self.cellular)),
      (Self.cellular, Self.picture(Self.wifi, beside: ["wwan0"])), (Self.meteredWifi, Self.picture(Self.wifi)),
    ]
    for (told, picture) in gains {
      var debouncer = PathDebouncer(told: told)
      #expect(debouncer.take(picture, at: Self.milliseconds(1000)) == nil)
      #expect(debouncer.deadline == Self.milliseconds(1500))
      #expect(debouncer.take(picture, at: Self.milliseconds(1300)) == nil)
      #expect(debouncer.elapse(at: Self.milliseconds(1499)) == nil)
      #expect(debouncer.elapse(at: Self.milliseconds(1500)) == picture.path)
      #expect(debouncer.elapse(at: Self.milliseconds(9000)) == nil)
      #expect(debouncer.take(picture, at: Self.milliseconds(9000)) == nil)
      #expect(debouncer.deadline == nil)
    }
  }

  @Test("A late picture reports a gain that has lasted")
  func lateTimer() {
    var debouncer = PathDebouncer(told: .offline)
    #expect(debouncer.take(Self.picture(Self.wifi), at: .zero) == nil)
    #expect(debouncer.take(Self.picture(Self.wifi, beside: ["eth0"]), at: Self.milliseconds(600)) == Self.wifi)
  }

  @Test("A flapping link is reported once, after it is stable")
  func flapping() {
    var debouncer = PathDebouncer(told: Self.wifi)
    var told: [NetworkPath] = []
    for moment in stride(from: 0, to: 10_000, by: 400) {
      let lost = debouncer.take(Self.picture(Self.cellular), at: Self.milliseconds(moment))
      let back = debouncer.take(Self.picture(Self.wifi, beside: ["wwan0"]), at: Self.milliseconds(moment + 100))
      told += [lost, back].compactMap { $0 }
      if let late = debouncer.elapse(at: Self.milliseconds(moment + 399)) { told.append(late) }
    }
    #expect(told == [Self.cellular])
    #expect(debouncer.deadline == Self.milliseconds(9600 + 100 + 500))
    #expect(debouncer.elapse(at: Self.milliseconds(10_200)) == Self.wifi)
  }

  @Test("Another gain starts its own time, and one that has ended is dropped")
  func changing() {
    var debouncer = PathDebouncer(told: .offline)
    #expect(debouncer.take(Self.picture(Self.cellular), at: .zero) == nil)
    #expect(debouncer.take(Self.picture(Self.wifi, beside: ["wwan0"]), at: Self.milliseconds(499)) == nil)
    #expect(debouncer.elapse(at: Self.milliseconds(500)) == nil)
    #expect(debouncer.deadline == Self.milliseconds(999))
    #expect(debouncer.take(Self.picture(.offline), at: Self.milliseconds(999)) == nil)
    #expect(debouncer.deadline == nil)
    #expect(debouncer.elapse(at: Self.milliseconds(5000)) == nil)
    #expect(debouncer.told == .offline)
  }
}
