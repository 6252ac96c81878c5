import EngineRuntime
import Flux
import PodfluxCore

/// Where the hosts of a world are: some of them inside, on this machine's own networks, and what is said of a name
/// changes. It has a generator of its own: a world without inner addresses draws as if there were none.
struct SimulatedAddresses {
  var random: SeededGenerator
  private var inside: Set<String> = []

  private static let hosts =
    (0..<(SimulatedOrigin.hosts - 1)).map(SimulatedOrigin.host)
    + ["feeds0.example", "feeds2.example", "files0.example", "files1.example"]
  private static let outer = IPAddress([192, 0, 78, 9])
  private static let inner = IPAddress([192, 168, 1, 1])
  private static let own = IPAddress([127, 0, 0, 1])

  init(seed: UInt64) {
    random = SeededGenerator(seed: seed, index: 5)
    inside = Set(Self.hosts.filter { _ in random.once(in: 4) })
  }

  /// A name leads elsewhere from now on. Returns it in words.
  mutating func change() -> String {
    let host = random.pick(Self.hosts)
    if inside.remove(host) == nil { inside.insert(host) }
    return "\(host) is \(inside.contains(host) ? "inside" : "on the Internet")"
  }

  /// The machine of a name; in a world without inner addresses each is on the Internet.
  static func peer(of host: String, in addresses: SimulatedAddresses?) -> ReachGuard.Peer {
    let isOwn = WebAddress.isLoopback(host)
    let address = addresses.map { isOwn ? own : $0.inside.contains(host) ? inner : outer } ?? outer
    return address.map(ReachGuard.Peer.address) ?? .unknown
  }
}

/// One exchange on its way from host to host: the product's own guard decides, and what it lets through is checked.
struct SimulatedVisit {
  /// By whose word an exchange goes where it goes, as far as the simulator knows for certain.
  enum Word {
    /// A person, or a feed that was read at a private address once, has named the target.
    case trusted
    /// A feed that was read on the Internet only has named the target.
    case foreign
  }

  private unowned let world: World
  private var reach: ReachGuard
  private let rule: AddressRule?
  private let word: Word
  /// The class of the address that the exchange has reached last.
  private(set) var last = AddressClass.unknown
  private var hasBeenOutside = false

  /// - Parameters:
  ///   - rule: What the settings said when the work began that the request belongs to.
  ///   - word: Whose word names its address.
  init(_ request: HTTPRequest, under rule: AddressRule?, by word: Word, in world: World) {
    self.world = world
    self.rule = rule
    self.word = word
    reach = ReachGuard(world.sabotage == .reachForgotten ? .anywhere : request.reach)
  }

  /// The exchange is led to a host.
  ///
  /// - Returns: Why it does not get there; nil if it does.
  mutating func enter(_ host: String, redirects: Int = 0) -> ExchangeFailure? {
    let peer = SimulatedAddresses.peer(of: host, in: world.addresses)
    if let failure = reach.willAsk(peer, as: host, redirects: redirects) { return failure }
    last = peer.addressClass
    let mayBeInside =
      switch rule {
      case .any?: true
      case .public?: false
      case nil: word == .trusted && !hasBeenOutside
      }
    if last != .public, !mayBeInside {
      world.watch { throw Violation(.reach, "a request reaches \(host), which is inside, by a word from outside") }
    }
    if last == .public { hasBeenOutside = true }
    return nil
  }
}

/// Clients that change how far requests may lead, and names that lead elsewhere.
extension World {
  func speakOfAddresses(to engine: SimulatedEngine) {
    guard var addresses, suffers(.addresses) else { return }
    defer { self.addresses = addresses }
    if addresses.random.once(in: 6) { noteTrouble(addresses.change()) }
    guard addresses.random.once(in: 10) else { return }
    let rules: [AddressRule?] = [nil, nil, .any, .public]
    var patch = SettingsPatch()
    patch.addresses = .some(addresses.random.pick(rules))
    engine.ask(.updateSettings(patch))
  }

  /// Whose word an attempt's address is.
  func word(of download: DownloadID) -> SimulatedVisit.Word {
    guard client.wishes[download]?.isOfFeed == true else { return .trusted }
    let feeds = checker.feeds.episodes.values.filter { $0.download == download }.map(\.feed)
    guard !feeds.isEmpty else { return wordOfFeeds }
    return feeds.contains { checker.feeds.readInside.contains($0) } ? .trusted : .foreign
  }

  /// Whose word it is where some feed has named an address, and nothing says which.
  var wordOfFeeds: SimulatedVisit.Word { checker.feeds.readInside.isEmpty ? .foreign : .trusted }
}
