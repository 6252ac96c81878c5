import Foundation
import PodfluxCore
import TestScheduling
import TestSupport
import Testing

@testable import Reachability

extension RealSocketTests {
  @Suite("NetworkManager's metered state", .serialized)
  struct MeteredWatchTests {
    private static let limit: Duration = .seconds(5)

    private func watch(_ address: String) throws -> MeteredWatch {
      let watch = try #require(MeteredWatch(.address(address)))
      watch.waitForAnswer(upTo: Self.limit)
      return watch
    }

    /// Runs the watch until a condition holds.
    private func wait(_ watch: MeteredWatch, until condition: () -> Bool) throws {
      let deadline = ContinuousClock.now + Self.limit
      while !condition() {
        try #require(ContinuousClock.now < deadline, "the watch has not come to it")
        if var watched = watch.watched { poll(&watched, 1, 20) }
        watch.process()
      }
    }

    @Test("Without a bus, a socket or a library there is no answer")
    func nothing() throws {
      #expect(MeteredWatch(.none) == nil)
      #expect(MeteredWatch(.address("unix:path=/nonexistent/bus")) == nil)
      #expect(MeteredWatch(.address("nonsense")) == nil)
    }

    @Test(
      "Yes and a guess of yes count, everything else does not",
      .enabled(if: PrivateBus.program != nil, "no dbus-daemon"),
      arguments: 0...5 as ClosedRange<UInt32>)
    func values(value: UInt32) throws {
      let bus = try PrivateBus()
      let manager = try FakeNetworkManager(on: bus.address, .answer(value))
      let watch = try watch(bus.address)
      #expect(watch.hasAnswered)
      #expect(watch.isMetered == [1, 3].contains(value))
      manager.stop()
    }

    @Test("A change arrives without a request", .enabled(if: PrivateBus.program != nil, "no dbus-daemon"))
    func changes() throws {
      let bus = try PrivateBus()
      let manager = try FakeNetworkManager(on: bus.address, .answer(2))
      let watch = try watch(bus.address)
      #expect(!watch.isMetered)
      manager.change(.answer(1))
      try wait(watch) { watch.isMetered }
      manager.change(.answer(4))
      try wait(watch) { !watch.isMetered }
      manager.change(.answer(3))
      try wait(watch) { watch.isMetered }
      // An invalid answer changes nothing.
      manager.change(.answerWithText)
      manager.change(.answer(2))
      try wait(watch) { !watch.isMetered }
      // Requests come only from the start and the changes.
      #expect((5...6).contains(manager.questions))
      manager.stop()
    }

    @Test("NetworkManager and the bus may come and go", .enabled(if: PrivateBus.program != nil, "no dbus-daemon"))
    func comingAndGoing() throws {
      let bus = try PrivateBus()
      let watch = try watch(bus.address)
      #expect(watch.hasAnswered && !watch.isMetered)
      let first = try FakeNetworkManager(on: bus.address, .answer(1))
      try wait(watch) { watch.isMetered }
      // While it restarts, a metered connection stays metered. It used to be unmetered as soon as the new process said
      // that it does not know yet, and the downloads that waited for an unmetered network began.
      first.stop()
      let second = try FakeNetworkManager(on: bus.address, .answer(0))
      try wait(watch) { second.questions > 0 }
      let answer = second.questions
      second.change(.answerWithText)
      try wait(watch) { second.questions > answer }
      #expect(watch.isMetered)
      second.change(.answer(2))
      try wait(watch) { !watch.isMetered }
      second.change(.answer(3))
      try wait(watch) { watch.isMetered }
      bus.stop()
      try wait(watch) { watch.watched == nil }
      #expect(watch.isMetered)
      #expect(watch.timeoutMilliseconds == -1)
      second.stop()
    }

    @Test(
      "The wait for a manager's answer has a limit; a late answer counts", .systemTestAlone,
      .enabled(if: PrivateBus.program != nil, "no dbus-daemon"))
    func silent() throws {
      let bus = try PrivateBus()
      let manager = try FakeNetworkManager(on: bus.address, .silence)
      let watch = try #require(MeteredWatch(.address(bus.address)))
      let begin = ContinuousClock.now
      watch.waitForAnswer(upTo: .milliseconds(300))
      #expect((.milliseconds(300)...(.milliseconds(1500))).contains(ContinuousClock.now - begin))
      #expect(!watch.hasAnswered && !watch.isMetered)
      // The pending request times out; then the change causes another one.
      manager.change(.answer(1))
      let deadline = ContinuousClock.now + .seconds(15)
      while !watch.isMetered, ContinuousClock.now < deadline {
        if var watched = watch.watched { poll(&watched, 1, min(1000, max(0, watch.timeoutMilliseconds))) }
        watch.process()
      }
      #expect(watch.isMetered)
      manager.stop()
    }

    @Test(
      "A bus that hangs, hangs up or sends invalid data counts as none", .systemTestAlone,
      arguments: ["", "hang up", "REJECTED\r\n", "\u{0}\u{7}\r\n"])
    func hostile(speech: String) throws {
      let folder = try TemporaryFolder("podflux-bus")
      let path = folder.path + "/bus"
      let listener = try UnixListener(path: path)
      let connections = Thread {
        let connection = accept(listener.number, nil, nil)
        if speech == "hang up" {
          close(connection)
        } else {
          _ = speech.withCString { write(connection, $0, speech.utf8.count) }
        }
      }
      connections.start()
      let begin = ContinuousClock.now
      let network = try PathMonitor(
        overrides: LinkOverrides(), sysfs: SysfsLinks(), bus: .address("unix:path=\(path)")
      ) { _ in }
      #expect(ContinuousClock.now - begin < .seconds(1))
      #expect(!network.initial.isMetered)
      network.start()
      network.stop()
    }

    @Test(
      "A monitor reports NetworkManager's state",
      .enabled(
        if: PrivateBus.program != nil && NetworkNamespace.unavailability == nil, "no dbus-daemon or no namespaces")
    )
    func monitor() throws {
      let network = try NetworkNamespace()
      let bus = try PrivateBus()
      let manager = try FakeNetworkManager(on: bus.address, .answer(1))
      let reports = Reports()
      let overrides = LinkOverrides(interfaces: ["wlan9": .wifi])
      let monitor = try network.inside { [address = bus.address] in
        try PathMonitor(overrides: overrides, sysfs: SysfsLinks(), bus: .address(address)) { reports.add($0) }
      }
      let metered = NetworkPath(status: .online, interface: .wifi, isMetered: true, device: "wlan9")
      #expect(monitor.initial == metered)
      monitor.start()
      let begin = ContinuousClock.now
      manager.change(.answer(2))
      try reports.wait(for: 1)
      #expect(ContinuousClock.now - begin >= PathDebouncer.holdTime)
      manager.change(.answer(3))
      try reports.wait(for: 2)
      #expect(reports.paths == [NetworkPath(status: .online, interface: .wifi, device: "wlan9"), metered])
      monitor.stop()
      manager.stop()
    }
  }
}

/// A listening Unix socket of this process.
private final class UnixListener: Sendable {
  let number: Int32

  init(path: String) throws {
    number = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    let isListening = withUnsafePointer(to: &address) { address in
      address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(number, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0 && listen(number, 4) == 0
      }
    }
    guard isListening else { throw PodfluxProcess.Failure("no socket at \(path)") }
  }

  deinit { close(number) }
}
