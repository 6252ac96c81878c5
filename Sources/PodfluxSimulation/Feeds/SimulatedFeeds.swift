import EngineRuntime
import Flux
import PodfluxCore

/// All podcasts of a world, and all addresses of their feeds. It has a generator of its own: a world without feeds
/// draws as if there were none.
struct SimulatedFeeds {
  var random: SeededGenerator
  private(set) var podcasts: [SimulatedPodcast] = []
  private(set) var places: [FeedPlace] = []
  /// Whether nothing has changed since all documents became other ones that say the same.
  private(set) var isRebuilt = false
  private var nextTruth = 1
  /// Whether servers send other podcasts' feeds by mistake.
  private let makesMistakes: Bool

  private static let podcastCount = 3
  /// How many addresses each podcast can be at.
  private static let placesEach = 3
  private static let redirectLimit = 10
  /// Which podcast's feed is divided into documents, and of how many worlds one has such a feed.
  private static let (dividedPodcast, worldsForDivided): (Int, UInt64) = (1, 4)
  /// Which podcast's guids may be positions, in as many worlds.
  private static let numberedPodcast = 2
  /// Of how many worlds one has servers that send other podcasts' feeds.
  private static let worldsForMistakes: UInt64 = 5
  /// What stands between a feed's address and the number of a further document.
  private static let partMark = "?part="

  /// - Parameters:
  ///   - namesSidecars: Whether feeds name pictures, chapters and transcripts.
  ///   - showsNotes: Whether episodes have notes, which change.
  init(
    _ files: [SimulatedOrigin], seed: UInt64, naming namesSidecars: Bool = false, showingNotes showsNotes: Bool = false
  ) throws {
    random = SeededGenerator(seed: seed, index: 2)
    // Without a draw: the other worlds are as they would be without mistakes.
    makesMistakes = seed % Self.worldsForMistakes == 3
    for number in 0..<Self.podcastCount {
      podcasts.append(
        try SimulatedPodcast(
          number: number, files: files,
          numbersItems: number == Self.numberedPodcast && seed % Self.worldsForDivided == 1, nextTruth: &nextTruth,
          using: &random))
      podcasts[number].namesSidecars = namesSidecars
      podcasts[number].showsNotes = showsNotes
      // Without a draw: the other worlds are as they would be if no feed were divided.
      podcasts[number].isDivided = number == Self.dividedPodcast && seed % Self.worldsForDivided == 0
    }
    for number in 0..<(Self.podcastCount * Self.placesEach) {
      // Some are on the hosts of files, and one of those is this machine.
      let host = number % 2 == 0 ? "feeds\(number % 4).example" : SimulatedOrigin.host(number / 2)
      let address = try WebAddress("http://\(host)/feed\(number).xml")
      places.append(FeedPlace(address, of: number % Self.podcastCount, isHonest: random.once(in: 2)))
    }
  }

  /// The place at an address.
  func place(at address: WebAddress) -> Int? { places.firstIndex { $0.address == address } }

  /// How a server refuses an address that has expired; nil if it does not.
  func refusal(of address: WebAddress) -> Int? {
    guard let truth = SimulatedItem.truth(of: address) else { return nil }
    let hasLeft = podcasts.contains { $0.items.contains { $0.truth == truth && $0.hasLeft(address) } }
    return hasLeft ? [403, 404, 410][truth % 3] : nil
  }

  // MARK: Change

  /// Something happens to a feed. Returns it in words.
  mutating func change(_ files: [SimulatedOrigin]) throws -> String {
    let number = random.below(places.count)
    switch random.below(16) {
    case 0 where makesMistakes && number.isMultiple(of: 2):
      places[number].content = .mistaken(podcast: (places[number].podcast + 1) % Self.podcastCount)
    case 0: places[number].content = .status(random.pick([403, 404, 410, 429, 500, 503]))
    case 1: places[number].content = .redirect(to: another(like: number), isPermanent: true)
    case 2: places[number].content = .redirect(to: another(like: number), isPermanent: false)
    case 3: places[number].content = .feedLeadingTo(another(like: number))
    case 4:  // To a feed of another podcast.
      let target = (number + random.within(1...2)) % places.count
      places[number].content = random.once(in: 2) ? .feedLeadingTo(target) : .redirect(to: target, isPermanent: true)
    case 5...6:
      if !places[number].isHonest { places[number].validators = random.pick(FeedPlace.Validators.allCases) }
      if places[number].isHonest { places[number].validators = random.pick([.tags, .dates, .none, .changing]) }
    case 7...8: places[number].content = .feed
    default:
      let podcast = random.below(podcasts.count)
      try podcasts[podcast].change(files, nextTruth: &nextTruth, using: &random)
      let items = podcasts[podcast].items.map { "\($0.truth)" }.joined(separator: ", ")
      return "podcast \(podcast) changes: [\(items)]"
    }
    return "\(places[number].address): \(places[number].content), \(places[number].validators)"
  }

  /// The number of another address of the same podcast.
  private mutating func another(like number: Int) -> Int {
    (number + Self.podcastCount * random.within(1...(Self.placesEach - 1))) % places.count
  }

  /// From now on each place has its feed, but those from which it has moved, or is gone for good.
  mutating func behave() {
    for number in places.indices {
      places[number].validators = .tags
      switch places[number].content {
      case .status(410): break
      default: places[number].content = .feed
      }
    }
  }

  /// All documents become other ones that say the same.
  mutating func rebuild() {
    isRebuilt = true
    for number in podcasts.indices { podcasts[number].rebuild() }
  }

  // MARK: Answers

  /// The answer to a request.
  ///
  /// - Parameters:
  ///   - hasFaults: Whether it may come in part, or not at all.
  ///   - enter: Called with each host that the request is led to, and after how many redirects; the failure if it does
  ///     not get there.
  mutating func answer(
    _ request: HTTPRequest, hasFaults: Bool, _ enter: (String, Int) -> ExchangeFailure?
  ) -> FeedAnswer {
    var answer = trueAnswer(request, enter)
    guard hasFaults, answer.failure == nil else { return answer }
    switch random.below(20) {
    case 0: answer.failure = ExchangeFailure(.connectFailed, message: "nothing listens")
    case 1 where !answer.body.isEmpty:
      cut(&answer, by: 0)
      answer.isCut = true
      answer.showing = nil
    case 2...3 where !answer.body.isEmpty:
      // All but its end, and the exchange succeeds.
      cut(&answer, by: 20)
      answer.showing?.isWhole = false
    default: break
    }
    return answer
  }

  /// Cuts at least so many bytes off; of a long body all are in its last part.
  private mutating func cut(_ answer: inout FeedAnswer, by bytes: Int) {
    let rest = min(answer.body.count, 40_000) - bytes
    answer.body.removeLast(bytes + (rest > 0 ? random.below(rest) : 0))
  }

  private mutating func trueAnswer(_ request: HTTPRequest, _ enter: (String, Int) -> ExchangeFailure?) -> FeedAnswer {
    // Like libcurl: it follows redirects, and sends the conditions of the request along.
    let parts = request.url.split(separator: Self.partMark).map(String.init)
    var hop = Hop(place: parts[0], part: parts.count > 1 ? Int(parts[1]) ?? 0 : 1)
    while hop.redirects <= Self.redirectLimit {
      guard let number = (try? WebAddress(hop.place)).flatMap(place) else { return FeedAnswer(head: hop.head(404)) }
      if let failure = enter(places[number].address.host, hop.redirects) {
        return FeedAnswer(failure: failure, head: hop.head(301))
      }
      switch places[number].content {
      case .redirect(let target, let isPermanent):
        hop.place = places[target].address.description
        hop.redirects += 1
        hop.isPermanent = hop.isPermanent && isPermanent
      case .status(let status):
        let fields = random.once(in: 3) ? [HTTPField(name: "Retry-After", value: "\(random.below(2_000))")] : []
        return FeedAnswer(head: hop.head(status, fields))
      case .feed, .mistaken: return document(at: number, leadingTo: nil, hop, request)
      case .feedLeadingTo(let target):
        return document(at: number, leadingTo: places[target].address, hop, request)
      }
    }
    return FeedAnswer(
      failure: ExchangeFailure(.tooManyRedirects, message: "the redirects do not end"), head: hop.head(301))
  }

  private mutating func document(
    at number: Int, leadingTo address: WebAddress?, _ hop: Hop, _ request: HTTPRequest
  ) -> FeedAnswer {
    let podcast = podcasts[places[number].shownPodcast]
    guard let part = podcast.part(hop.part) else { return FeedAnswer(head: hop.head(404)) }
    let next = part.isLast ? nil : "\(places[number].address)\(Self.partMark)\(hop.part + 1)"
    let body = podcast.document(part, leadingTo: address, next: next)
    let (fields, is304) = places[number].validate(body, version: podcast.version, for: request)
    let showing = FeedAnswer.Showing(
      podcast: podcast.number, url: request.url, next: next, part: part,
      isWhole: !is304 || places[number].validators.areTrue,
      hasBody: !is304, tag: fields.first { $0.name == "ETag" }?.value)
    let head = hop.head(is304 ? 304 : 200, fields)
    return FeedAnswer(
      head: head, body: is304 ? [] : body, ledTo: address ?? head.permanentURL.flatMap { try? WebAddress($0) },
      showing: showing)
  }

  /// How far a request has been redirected.
  private struct Hop {
    var place: String
    /// Which document of the feed there is wanted.
    var part: Int
    var redirects = 0
    /// Whether permanent redirects alone have led here.
    var isPermanent = true

    private var url: String { part == 1 ? place : "\(place)\(SimulatedFeeds.partMark)\(part)" }

    func head(_ status: Int, _ fields: [HTTPField] = []) -> ResponseHead {
      ResponseHead(
        status: status, effectiveURL: url, redirects: redirects,
        permanentURL: isPermanent && redirects > 0 ? url : nil, fields: fields)
    }
  }
}
