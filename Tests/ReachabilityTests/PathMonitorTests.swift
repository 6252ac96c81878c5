import Foundation
import PodfluxCore
import TestScheduling
import TestSupport
import Testing

@testable import Reachability

extension RealSocketTests {
  @Suite(
    "Following a real network", .serialized,
    .enabled(if: NetworkNamespace.unavailability == nil, "network namespaces cannot be made here"))
  struct PathMonitorTests {
    private static let wifi = NetworkPath(status: .online, interface: .wifi, device: "wlan9")
    private static let cellular = NetworkPath(status: .online, interface: .cellular, device: "wwan9")

    private let network: NetworkNamespace
    private let sysfs: FakeSysfs
    private let reports = Reports()

    init() throws {
      network = try NetworkNamespace()
      sysfs = try FakeSysfs()
      try sysfs.add("wlan9", entries: ["device", "phy80211"])
      try sysfs.add("wwan9", deviceType: "wwan", entries: ["device"])
    }

    private func monitor(_ overrides: LinkOverrides = LinkOverrides()) throws -> PathMonitor {
      try network.inside { [links = sysfs.links, reports] in
        try PathMonitor(overrides: overrides, sysfs: links, bus: .none) { reports.add($0) }
      }
    }

    @Test("The path is known after init")
    func initial() throws {
      #expect(try monitor().initial == Self.wifi)
      let overrides = LinkOverrides(interfaces: ["wlan9": .ethernet], metered: ["wlan9"])
      #expect(
        try monitor(overrides).initial
          == NetworkPath(status: .online, interface: .ethernet, isMetered: true, device: "wlan9"))
      try network.setRoute(.wifi, metric: nil)
      #expect(try monitor().initial == Self.cellular)
      try network.setLink(.cellular, isUp: false)
      #expect(try monitor().initial == .offline)
      #expect(reports.paths.isEmpty)
    }

    @Test("A link that is switched off is reported at once; its return, 500 ms later", .systemTestAlone)
    func linkDown() throws {
      let monitor = try monitor()
      monitor.start()
      let begin = ContinuousClock.now
      try network.setLink(.wifi, isUp: false)
      try reports.wait(for: 1)
      #expect(reports.times[0] - begin < .milliseconds(400))
      let back = ContinuousClock.now
      try network.setLink(.wifi, isUp: true)
      try reports.wait(for: 2)
      #expect(reports.times[1] - back >= PathDebouncer.holdTime)
      try network.setLink(.wifi, isUp: false)
      try network.setLink(.cellular, isUp: false)
      try reports.wait(for: 4)
      try network.setLink(.cellular, isUp: true)
      try reports.wait(for: 5)
      #expect(reports.paths == [Self.cellular, Self.wifi, Self.cellular, .offline, Self.cellular])
      monitor.stop()
    }

    @Test("A default route that is removed, added, or gets another metric is reported")
    func routes() throws {
      let monitor = try monitor()
      monitor.start()
      try network.setRoute(.wifi, metric: 800)
      try reports.wait(for: 1)
      try network.setRoute(.wifi, metric: 100)
      try reports.wait(for: 2)
      try network.setRoute(.wifi, metric: nil)
      try reports.wait(for: 3)
      try network.setRoute(.cellular, metric: nil)
      try reports.wait(for: 4)
      try network.setRoute(.cellular, metric: 5)
      try reports.wait(for: 5)
      #expect(reports.paths == [Self.cellular, Self.wifi, Self.cellular, .offline, Self.cellular])
      monitor.stop()
    }

    @Test("A carrier that is lost and an address that is taken away are losses")
    func carrierAndAddress() throws {
      let monitor = try monitor()
      monitor.start()
      try network.setCarrier(.wifi, isUp: false)
      try reports.wait(for: 1)
      try network.setCarrier(.wifi, isUp: true)
      try reports.wait(for: 2)
      try network.change(["addr flush dev wlan9"])
      try reports.wait(for: 3)
      #expect(reports.paths == [Self.cellular, Self.wifi, Self.cellular])
      monitor.stop()
    }

    @Test("After catching up, every loss that had happened has been reported", .systemTestAlone)
    func catchingUp() throws {
      let monitor = try monitor()
      monitor.start()
      for round in 1...5 {
        try network.setLink(.wifi, isUp: false)
        monitor.catchUp()
        #expect(reports.paths.count == 2 * round - 1)
        #expect(reports.paths.last == Self.cellular)
        try network.setLink(.wifi, isUp: true)
        try reports.wait(for: 2 * round)
        #expect(reports.paths.last == Self.wifi)
      }
      let begin = ContinuousClock.now
      for _ in 0..<1000 { monitor.catchUp() }
      let time = (ContinuousClock.now - begin) / 1000
      print("catching up with nothing takes \(time)")
      #expect(time < .milliseconds(1))
      monitor.stop()
    }

    @Test("A flapping link is reported as lost once, and as back when it is stable")
    func flapping() throws {
      let monitor = try monitor()
      monitor.start()
      // In one process: with several, a busy machine could pause long enough for the link to count as stable.
      try network.change(
        (0..<50).flatMap { _ in
          [
            "link set wlan9 down", "link set wlan9 up",
            "route add default via \(network.originAddress(on: .wifi)) dev wlan9 metric 600",
          ]
        })
      try reports.wait(for: 2)
      #expect(reports.paths == [Self.cellular, Self.wifi])
      monitor.stop()
    }

    @Test("After lost notifications everything is read again")
    func overrun() throws {
      let monitor = try monitor()
      // Before the start the socket is not read: its buffer overflows.
      let commands = (0..<200).flatMap { round in
        (2..<100).map { "route replace 10.\(round).\($0).0/24 dev wlan9" }
      }
      try network.change(commands)
      try network.setLink(.wifi, isUp: false)
      monitor.start()
      try reports.wait(for: 1)
      try network.setLink(.wifi, isUp: true)
      try reports.wait(for: 2)
      #expect(reports.paths == [Self.cellular, Self.wifi])
      monitor.stop()
    }

    @Test("After the stop nothing is reported, and no descriptor stays open")
    func stopping() throws {
      let before = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
      for _ in 0..<20 {
        let monitor = try monitor()
        monitor.start()
        monitor.stop()
        try network.setLink(.wifi, isUp: false)
        monitor.catchUp()
        try network.setLink(.wifi, isUp: true)
      }
      #expect(reports.paths.isEmpty)
      // The threads close their descriptors when they end, after the stop.
      let deadline = ContinuousClock.now + .seconds(10)
      while try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count > before {
        try #require(ContinuousClock.now < deadline, "descriptors are left open")
        sched_yield()
      }
    }

    @Test("A link without traffic counts nothing, and each sent byte is counted on its link only")
    func counters() throws {
      let monitor = try monitor()
      monitor.start()
      try network.setLink(.wifi, isUp: false)
      try network.setLink(.wifi, isUp: true)
      try reports.wait(for: 2)
      let zero = NetworkNamespace.Counters()
      #expect(try network.counters(of: .wifi) == zero)
      #expect(try network.counters(of: .cellular) == zero)
      #expect(try send(to: network.originAddress) == "wifi or cellular")
      let wifi = try network.counters(of: .wifi)
      #expect(wifi.received > 0 && wifi.sent > 0)
      #expect(try network.counters(of: .cellular) == zero)
      try network.setRoute(.wifi, metric: 800)
      #expect(try send(to: network.originAddress) == "wifi or cellular")
      #expect(try network.counters(of: .wifi) == wifi)
      #expect(try network.counters(of: .cellular).received > 0)
      monitor.stop()
    }

    @Test("A connection is bound to the device that the kernel would choose, by all rules, if that is unmetered")
    func devices() throws {
      let monitor = try monitor(LinkOverrides(interfaces: ["wlan9": .wifi, "wwan9": .ethernet]))
      #expect(monitor.initial.device == "wlan9")
      func device(_ address: [UInt8]) -> String? { monitor.device(towards: address, insteadOf: "wlan9") }
      let elsewhere: [UInt8] = [203, 0, 113, 7]
      #expect(device(elsewhere) == "wlan9")
      // A network that is reached over the other link.
      try network.change(["route add 203.0.113.0/24 via \(network.originAddress(on: .cellular)) dev wwan9"])
      // With a default route it may be a phone's hotspot.
      #expect(device(elsewhere) == "wlan9")
      try network.setRoute(.cellular, metric: nil)
      monitor.start()
      monitor.catchUp()
      #expect(device(elsewhere) == "wwan9")
      #expect(device([203, 0, 114, 7]) == "wlan9")
      // A VPN: a rule leads to a default route in a table of its own, as that of wg-quick does.
      try network.change([
        "route add default via \(network.originAddress(on: .cellular)) dev wwan9 table 77",
        "rule add priority 100 lookup 77",
      ])
      #expect(device([203, 0, 114, 7]) == "wwan9")
      // An address of this machine, and one to which nothing leads.
      try network.change(["address add 203.0.115.1/32 dev wlan9", "route add unreachable 203.0.116.0/24"])
      #expect(device([203, 0, 115, 1]) == nil)
      #expect(device([0x20, 1] + [UInt8](repeating: 0, count: 14)) == "wlan9")
      #expect(device([1, 2, 3]) == "wlan9")
      for overrides in [
        LinkOverrides(interfaces: ["wwan9": .cellular]), .init(interfaces: ["wwan9": .ethernet], metered: ["wwan9"]),
      ] {
        #expect(try self.monitor(overrides).device(towards: elsewhere, insteadOf: "wlan9") == "wlan9")
      }
      monitor.stop()
    }

    @Test("The next namespace removes the remains of a crash")
    func leftovers() throws {
      let left = "/run/netns/podflux-63"
      #expect(FileManager.default.createFile(atPath: "/run/podflux-namespace-63.lock", contents: nil))
      try network.change(
        ["netns add podflux-63", "link add pf63w type veth peer name wlan9 netns podflux-63"], inside: false)
      #expect(access(left, F_OK) == 0)
      let next = try NetworkNamespace()
      #expect(access(left, F_OK) != 0)
      #expect(access("/sys/class/net/pf63w", F_OK) != 0)
      #expect(next.name != network.name)
    }

    /// Connects from inside to a listener on this machine, and returns what that sends.
    private func send(to address: String) throws -> String {
      let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
      defer { close(listener) }
      var place = sockaddr_in()
      place.sin_family = sa_family_t(AF_INET)
      inet_pton(AF_INET, address, &place.sin_addr)
      var size = socklen_t(MemoryLayout<sockaddr_in>.size)
      try withUnsafeMutablePointer(to: &place) { place in
        try place.withMemoryRebound(to: sockaddr.self, capacity: 1) { place in
          try #require(bind(listener, place, size) == 0 && listen(listener, 1) == 0)
          try #require(getsockname(listener, place, &size) == 0)
        }
      }
      Thread.detachNewThread {
        let connection = accept(listener, nil, nil)
        _ = "wifi or cellular".withCString { write(connection, $0, strlen($0)) }
        close(connection)
      }
      let port = UInt16(bigEndian: place.sin_port)
      return try network.runInside(["/bin/bash", "-c", "exec 3<>/dev/tcp/\(address)/\(port); cat <&3"])
    }
  }
}
