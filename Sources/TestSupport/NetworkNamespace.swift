import Foundation
import Synchronization

/// A network namespace with two links, named like Wi-Fi and cellular, whose other ends are on this machine: for tests
/// that take an engine's network away and restore it.
///
/// ```
///  this machine                                   namespace podflux-N
///  198.18.N.1 (origin), 198.18.N.5   pfNw ─────── wlan9   198.18.N.6    default, metric 600
///  198.18.N.1 (origin), 198.18.N.9   pfNc ─────── wwan9   198.18.N.10   default, metric 700
/// ```
///
/// An origin that listens on `originAddress` is reachable over both links; inside, the address is not a loopback one.
/// The links carry no traffic of their own: IPv6 is off, and each end has the other's hardware address, so that there
/// is no ARP. A link over which no program sends has byte counters of exactly zero (`counters`).
///
/// To the kernel both links are Ethernets (veth(4)): `--interface wlan9=wifi --interface wwan9=cellular` tells an
/// engine inside their kinds.
///
/// It requires root. Deinit deletes it; after a crash, the next one deletes the remains. Methods may be called from any
/// thread, but not two at once.
package final class NetworkNamespace: Sendable {
  /// One of the two links, by its name inside.
  package enum Link: String, Sendable, CaseIterable {
    case wifi = "wlan9"
    case cellular = "wwan9"

    /// The initial metric of its default route: Wi-Fi comes first.
    package var metric: Int { self == .wifi ? 600 : 700 }
    fileprivate var letter: String { self == .wifi ? "w" : "c" }
    fileprivate var number: Int { self == .wifi ? 1 : 2 }
  }

  /// The traffic of a link since its creation, in bytes of Ethernet frames.
  package struct Counters: Hashable, Sendable {
    package var received: Int64
    package var sent: Int64

    package init(received: Int64 = 0, sent: Int64 = 0) {
      self.received = received
      self.sent = sent
    }
  }

  /// Why this machine cannot create one; nil if it can.
  package static let unavailability: String? = {
    do {
      _ = try NetworkNamespace()
      return nil
    } catch {
      return "no network namespace can be made here: \(error)"
    }
  }()

  /// Its name, as `ip netns` lists it.
  package var name: String { "podflux-\(number)" }
  /// The file that setns(2) takes.
  package var path: String { "/run/netns/\(name)" }
  /// The address of an origin in this process that is reachable over both links.
  package var originAddress: String { address(1) }

  /// Held while this process lives.
  private let claim: Int32
  private let number: Int
  private let ip: String
  /// The metrics of the current default routes.
  private let metrics = Mutex<[Link: Int]>([:])

  private static let maximumNumber = 64
  private static let lastNumber = Mutex(maximumNumber - 1)

  /// Creates a namespace, with both links up and routed.
  package init() throws {
    guard geteuid() == 0 else { throw PodfluxProcess.Failure("this takes root") }
    let places = ["/usr/sbin/ip", "/sbin/ip", "/usr/bin/ip"]
    guard let ip = places.first(where: { access($0, X_OK) == 0 }) else {
      throw PodfluxProcess.Failure("the command ip (iproute2) is not installed")
    }
    self.ip = ip
    (number, claim) = try Self.claimNumber(ip)
    // After an error `deinit` removes what exists by then.
    try build()
  }

  deinit {
    Self.remove(number, ip)
    close(claim)
  }

  // MARK: What is done with it

  /// The words before a command that run it inside; the command's process id is the launcher's.
  package var launcher: [String] { [ip, "netns", "exec", name] }

  /// The address of an origin that is reachable over this link's network only.
  package func originAddress(on link: Link) -> String { address(4 * link.number + 1) }

  /// Switches a link off or on. Its routes vanish with it; its default route returns with it.
  package func setLink(_ link: Link, isUp: Bool) throws {
    metrics.withLock { $0[link] = isUp ? link.metric : nil }
    guard isUp else { return try change(["link set \(link.rawValue) down"]) }
    try change(["link set \(link.rawValue) up", neighbour(of: link), route(of: link, metric: link.metric)])
  }

  /// Removes or restores a link's carrier at its other end, like unplugging a cable. Routes stay.
  package func setCarrier(_ link: Link, isUp: Bool) throws {
    try change(
      ["link set \(outerName(link)) \(isUp ? "up" : "down")"] + (isUp ? [outerNeighbour(of: link)] : []), inside: false)
  }

  /// Sets the metric of a link's default route atomically, or removes the route with nil.
  package func setRoute(_ link: Link, metric: Int?) throws {
    let before = metrics.withLock { metrics in
      defer { metrics[link] = metric }
      return metrics[link]
    }
    guard before != metric else { return }
    try change(
      (metric.map { [route(of: link, metric: $0)] } ?? [])
        + (before.map { ["route delete default dev \(link.rawValue) metric \($0)"] } ?? []))
  }

  /// The traffic of a link.
  package func counters(of link: Link) throws -> Counters {
    let output = try run([ip, "-n", name, "-s", "-j", "link", "show", "dev", link.rawValue])
    struct Entry: Decodable {
      struct Direction: Decodable { var bytes: Int64 }
      struct Statistics: Decodable { var rx: Direction, tx: Direction }
      var stats64: Statistics
    }
    guard let entry = try JSONDecoder().decode([Entry].self, from: Data(output.utf8)).first else {
      throw PodfluxProcess.Failure("ip tells no counters: \(output)")
    }
    return Counters(received: entry.stats64.rx.bytes, sent: entry.stats64.tx.bytes)
  }

  // MARK: How it is made

  private func build() throws {
    try run([ip, "netns", "add", name])
    let off = "for f in all default; do echo 1 > /proc/sys/net/ipv6/conf/$f/disable_ipv6; done"
    // A kernel without IPv6 needs no switch.
    try run(launcher + ["/bin/sh", "-c", "[ ! -d /proc/sys/net/ipv6/conf ] || { \(off); }"])
    for link in Link.allCases {
      let (inner, outer) = (link.rawValue, outerName(link))
      try change(
        [
          "link add \(outer) address \(hardware(link, 1)) type veth peer name \(inner) "
            + "address \(hardware(link, 2)) netns \(name)"
        ], inside: false)
      let setting = "/proc/sys/net/ipv6/conf/\(outer)/disable_ipv6"
      if access(setting, W_OK) == 0 { try run(["/bin/sh", "-c", "echo 1 > \(setting)"]) }
      try change(
        [
          "addr add \(originAddress(on: link))/30 dev \(outer)", "addr add \(originAddress)/32 dev \(outer)",
          "link set \(outer) up", outerNeighbour(of: link),
        ], inside: false)
      try change(["addr add \(innerAddress(link))/30 dev \(inner)"])
      try setLink(link, isUp: true)
    }
    try change(["link set lo up"])
  }

  private static func remove(_ number: Int, _ ip: String) {
    // Deleting one end deletes the other. Both may be missing: a killed run may have stopped at any point.
    for link in Link.allCases { _ = try? run([ip, "link", "delete", outerName(link, number)]) }
    _ = try? run([ip, "netns", "delete", "podflux-\(number)"])
  }

  /// Claims the first number that no living process holds. Cleans up after dead ones.
  private static func claimNumber(_ ip: String) throws -> (Int, Int32) {
    var claimed: (Int, Int32)?
    // Not a number that was just used: an origin's pending packets would reach the next origin at its address.
    let first = lastNumber.withLock { $0 + 1 }
    for number in (0..<maximumNumber).map({ (first + $0) % maximumNumber }) {
      let file = "/run/podflux-namespace-\(number).lock"
      guard claimed == nil || access(file, F_OK) == 0 else { continue }
      let descriptor = open(file, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
      guard descriptor >= 0 else { throw PodfluxProcess.Failure("\(file) cannot be made") }
      // The kernel releases the lock when the process ends in any way.
      guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
        close(descriptor)
        continue
      }
      if access("/run/netns/podflux-\(number)", F_OK) == 0 { remove(number, ip) }
      if claimed == nil { claimed = (number, descriptor) } else { close(descriptor) }
    }
    guard let claimed else { throw PodfluxProcess.Failure("all \(maximumNumber) namespaces are taken") }
    lastNumber.withLock { $0 = claimed.0 }
    return claimed
  }

  private func address(_ last: Int) -> String { "198.18.\(number).\(last)" }
  private func innerAddress(_ link: Link) -> String { address(4 * link.number + 2) }
  private func outerName(_ link: Link) -> String { Self.outerName(link, number) }
  private static func outerName(_ link: Link, _ number: Int) -> String { "pf\(number)\(link.letter)" }

  private func hardware(_ link: Link, _ end: Int) -> String {
    String(format: "02:70:66:%02x:%02x:%02x", number, link.number, end)
  }

  private func neighbour(of link: Link) -> String {
    "neigh replace \(originAddress(on: link)) lladdr \(hardware(link, 1)) dev \(link.rawValue) nud permanent"
  }

  private func outerNeighbour(of link: Link) -> String {
    "neigh replace \(innerAddress(link)) lladdr \(hardware(link, 2)) dev \(outerName(link)) nud permanent"
  }

  private func route(of link: Link, metric: Int) -> String {
    "route replace default via \(originAddress(on: link)) dev \(link.rawValue) metric \(metric)"
  }

  // MARK: Commands

  /// Runs some `ip` commands in one process.
  package func change(_ commands: [String], inside: Bool = true) throws {
    let folder = try TemporaryFolder("podflux-ip")
    let batch = folder.path + "/batch"
    try commands.map { $0 + "\n" }.joined().write(toFile: batch, atomically: false, encoding: .utf8)
    try run([ip] + (inside ? ["-n", name] : []) + ["-batch", batch])
  }

  /// Runs a program inside to its end, and returns its stdout.
  @discardableResult
  package func runInside(_ words: [String]) throws -> String {
    try run(launcher + words)
  }

  @discardableResult
  private func run(_ words: [String]) throws -> String {
    try Self.run(words)
  }

  @discardableResult
  private static func run(_ words: [String]) throws -> String {
    let folder = try TemporaryFolder("podflux-command")
    let child = try Child(words, logPath: folder.path + "/errors")
    close(child.input)
    let output = FileHandle(fileDescriptor: child.output, closeOnDealloc: true)
    let text = String(decoding: output.readDataToEndOfFile(), as: UTF8.self)
    var status: Int32 = 0
    while waitpid(child.pid, &status, 0) < 0, errno == EINTR {}
    guard status == 0 else {
      let errors = (try? String(contentsOfFile: folder.path + "/errors", encoding: .utf8)) ?? ""
      throw PodfluxProcess.Failure("\(words.joined(separator: " ")): \(errors)")
    }
    return text
  }
}
