import Foundation
import Synchronization

/// A network of its own with two links, named as Wi-Fi and cellular, whose other ends are on this machine: for engines
/// whose network is taken away and given back.
///
/// ```
///  this machine                                   namespace podflux-N
///  198.18.N.1 (origin), 198.18.N.5   pfNw ─────── wlan9   198.18.N.6    default, metric 600
///  198.18.N.1 (origin), 198.18.N.9   pfNc ─────── wwan9   198.18.N.10   default, metric 700
/// ```
///
/// An origin that listens on `originAddress` is reached over either link, whichever way a packet leaves; it is no loopback
/// address for those inside. Nothing speaks on the links by itself: IPv6 is off, and each end knows the other's hardware
/// address, so that there is no ARP. A link over which no program sends has byte counters of exactly zero (`counters`).
///
/// To the kernel both links are Ethernets (veth(4)): an engine inside is told which is which with
/// `--interface wlan9=wifi --interface wwan9=cellular`.
///
/// It takes root, and is gone with its last user; what a crash leaves behind, the next one to be made clears away.
/// Methods may be called from any thread, but not two at once.
public final class NetworkNamespace: Sendable {
  /// One of the two links, by its name inside.
  public enum Link: String, Sendable, CaseIterable {
    case wifi = "wlan9"
    case cellular = "wwan9"

    /// The metric of its default route in the beginning: Wi-Fi goes first.
    public var metric: Int { self == .wifi ? 600 : 700 }
    fileprivate var letter: String { self == .wifi ? "w" : "c" }
    fileprivate var number: Int { self == .wifi ? 1 : 2 }
  }

  /// What has gone over a link since it was made, in bytes of Ethernet frames.
  public struct Counters: Hashable, Sendable {
    /// Bytes that came in from outside.
    public var received: Int64
    /// Bytes that were sent from inside.
    public var sent: Int64

    /// Makes counters; by default they are those of a link over which nothing has gone.
    public init(received: Int64 = 0, sent: Int64 = 0) {
      self.received = received
      self.sent = sent
    }
  }

  /// Why none can be made on this machine; nil if they can.
  public static let unavailability: String? = {
    do {
      _ = try NetworkNamespace()
      return nil
    } catch {
      return "no network namespace can be made here: \(error)"
    }
  }()

  /// Its name, as `ip netns` lists it.
  public var name: String { "podflux-\(number)" }
  /// The file that setns(2) takes.
  public var path: String { "/run/netns/\(name)" }
  /// Where an origin in this process listens, to be reached over both links.
  public var originAddress: String { address(1) }

  /// Held as long as this process lives.
  private let claim: Int32
  private let number: Int
  private let ip: String
  /// Of the default routes that there are.
  private let metrics = Mutex<[Link: Int]>([:])

  private static let maximumNumber = 64
  private static let lastNumber = Mutex(maximumNumber - 1)

  /// Makes one, with both links up and routed.
  public init() throws {
    guard geteuid() == 0 else { throw PodfluxProcess.Failure("this takes root") }
    let places = ["/usr/sbin/ip", "/sbin/ip", "/usr/bin/ip"]
    guard let ip = places.first(where: { access($0, X_OK) == 0 }) else {
      throw PodfluxProcess.Failure("the command ip (iproute2) is not installed")
    }
    self.ip = ip
    (number, claim) = try Self.claimNumber(ip)
    // Where it fails, `deinit` takes away what there is by then.
    try build()
  }

  deinit {
    Self.remove(number, ip)
    close(claim)
  }

  // MARK: What is done with it

  /// The words before a command that make it run inside; the command's process id is that of the launcher.
  public var launcher: [String] { [ip, "netns", "exec", name] }

  /// Where an origin listens that is to be reached over this link's network alone.
  public func originAddress(on link: Link) -> String { address(4 * link.number + 1) }

  /// Switches a link off or on. Its routes go when it goes; it comes back with its default route.
  public func setLink(_ link: Link, isUp: Bool) throws {
    metrics.withLock { $0[link] = isUp ? link.metric : nil }
    guard isUp else { return try change(["link set \(link.rawValue) down"]) }
    try change(["link set \(link.rawValue) up", neighbour(of: link), route(of: link, metric: link.metric)])
  }

  /// Takes a link's carrier away at its other end, or gives it back: as a cable that is pulled. Routes stay.
  public func setCarrier(_ link: Link, isUp: Bool) throws {
    try change(
      ["link set \(outerName(link)) \(isUp ? "up" : "down")"] + (isUp ? [outerNeighbour(of: link)] : []), inside: false)
  }

  /// Gives a link's default route another metric, without a moment between, or takes it away.
  public func setRoute(_ link: Link, metric: Int?) throws {
    let before = metrics.withLock { metrics in
      defer { metrics[link] = metric }
      return metrics[link]
    }
    guard before != metric else { return }
    try change(
      (metric.map { [route(of: link, metric: $0)] } ?? [])
        + (before.map { ["route delete default dev \(link.rawValue) metric \($0)"] } ?? []))
  }

  /// What has gone over a link.
  public func counters(of link: Link) throws -> Counters {
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
    // Where the kernel has no IPv6 there is nothing to be switched off.
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
    // With one end the other goes. Nothing may be there: a run that was killed may have come to any point.
    for link in Link.allCases { _ = try? run([ip, "link", "delete", outerName(link, number)]) }
    _ = try? run([ip, "netns", "delete", "podflux-\(number)"])
  }

  /// Takes the first number that no living process has. Those of the dead are cleared away.
  private static func claimNumber(_ ip: String) throws -> (Int, Int32) {
    var claimed: (Int, Int32)?
    // Not one that was used a moment ago: what an origin has not got rid of yet would come to the next one's address.
    let first = lastNumber.withLock { $0 + 1 }
    for number in (0..<maximumNumber).map({ (first + $0) % maximumNumber }) {
      let file = "/run/podflux-namespace-\(number).lock"
      guard claimed == nil || access(file, F_OK) == 0 else { continue }
      let descriptor = open(file, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
      guard descriptor >= 0 else { throw PodfluxProcess.Failure("\(file) cannot be made") }
      // The lock goes with the process, however it ends.
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

  /// Gives `ip` some commands, one after the other in one process.
  public func change(_ commands: [String], inside: Bool = true) throws {
    let folder = try TemporaryFolder("podflux-ip")
    let batch = folder.path + "/batch"
    try commands.map { $0 + "\n" }.joined().write(toFile: batch, atomically: false, encoding: .utf8)
    try run([ip] + (inside ? ["-n", name] : []) + ["-batch", batch])
  }

  /// Runs a program inside to its end, and returns what it wrote to stdout.
  @discardableResult
  public func runInside(_ words: [String]) throws -> String {
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
