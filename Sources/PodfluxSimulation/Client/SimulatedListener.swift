import Flux
import PodfluxCore

/// A client with random intents of feeds and episodes, which remembers what the engine acknowledged.
struct SimulatedListener {
  /// How many subscriptions it names itself.
  private static let names = 4
  /// Of so many it never wants all at once.
  private static let manyEpisodes = 40
  /// How many downloads there may be for it to ask for more.
  let downloadLimit: Int
  /// Whether it sets rules.
  let hasRules: Bool
  /// The wishes that the engine has confirmed for each subscription.
  private(set) var wishes: [FeedID: Feed.Wishes] = [:]
  /// The address for which it gave a feed its present headers.
  private(set) var keyed: [FeedID: WebAddress] = [:]

  // MARK: What it wants

  func intent(
    _ model: FeedModel, _ places: [FeedPlace], downloads: Int, using random: inout SeededGenerator
  ) -> Intent {
    guard !wishes.isEmpty else { return .podcasts(subscription(places, using: &random)) }
    let intent: PodcastIntent =
      switch random.below(28) {
      case 0...3: subscription(places, using: &random)
      case 4: .unsubscribe(name(using: &random), deletingFiles: random.once(in: 2))
      case 5...6: .update(name(using: &random), update(places, using: &random))
      case 7: .import(list(places, using: &random))
      case 8...11 where downloads < downloadLimit: .download(selection(model, using: &random))
      case 12...13: .mark(selection(model, using: &random), Self.marking(using: &random))
      case 14: .refresh(.all)
      case 15...16: .refresh(.many((0..<random.within(1...3)).map { _ in name(using: &random) }))
      default: .refresh(.one(name(using: &random)))
      }
    return .podcasts(intent)
  }

  private func name(using random: inout SeededGenerator) -> FeedID {
    let names = wishes.keys.sorted()
    guard random.once(in: 20), let name = FeedID("f\(random.below(Self.names))") else { return random.pick(names) }
    return name
  }

  private func subscription(_ places: [FeedPlace], using random: inout SeededGenerator) -> PodcastIntent {
    let address = random.pick(places).address
    var wishes = Feed.Wishes()
    if random.once(in: 3) { wishes.title = "my title \(random.below(9))" }
    if random.once(in: 4) { wishes.group = "group \(random.below(3))" }
    if random.once(in: 3) { wishes.headers = [SimulatedClient.key(for: address)] }
    wishes.network = random.pick([.inherit, .inherit, .inherit, .any, .unmetered])
    wishes.isPaused = random.once(in: 8)
    if hasRules { wishes.rules = SimulatedRules.draw(using: &random) }
    let id = random.once(in: 4) ? nil : FeedID("f\(random.below(Self.names))")
    return .subscribe(.init(id: id, address: address, wishes: wishes))
  }

  private func update(_ places: [FeedPlace], using random: inout SeededGenerator) -> PodcastIntent.Update {
    var update = PodcastIntent.Update()
    if hasRules, random.once(in: 2) {
      update.rules = SimulatedRules.draw(using: &random)
      return update
    }
    switch random.below(8) {
    case 0: update.title = random.once(in: 2) ? "" : "my title \(random.below(9))"
    case 1: update.group = random.once(in: 2) ? "" : "group \(random.below(3))"
    case 2: update.network = random.pick(NetworkPolicy.allCases)
    case 3: update.isPaused = random.once(in: 3)
    case 4: update.userAgent = random.once(in: 2) ? "" : "mine/\(random.below(9))"
    default:
      let address = random.pick(places).address
      update.address = address
      update.headers = random.once(in: 2) ? [] : [SimulatedClient.key(for: address)]
    }
    return update
  }

  private func list(_ places: [FeedPlace], using random: inout SeededGenerator) -> PodcastIntent.FeedList {
    PodcastIntent.FeedList(
      feeds: (0..<random.within(1...2)).map { _ in
        .init(address: random.pick(places).address, title: random.once(in: 2) ? "imported" : nil)
      })
  }

  private func selection(
    _ model: FeedModel, using random: inout SeededGenerator
  ) -> PodcastIntent.EpisodeSelection {
    let ids = model.episodes.keys.sorted()
    guard !ids.isEmpty, ids.count > Self.manyEpisodes || !random.once(in: 8) else {
      return .matching(random.once(in: 3) ? .everything : .feeds([name(using: &random)]))
    }
    guard random.once(in: 3) else { return .one(random.pick(ids)) }
    return .many((0..<random.within(1...4)).map { _ in random.pick(ids) })
  }

  private static func marking(using random: inout SeededGenerator) -> PodcastIntent.EpisodeMarking {
    switch random.below(3) {
    case 0: .init(isPlayed: random.once(in: 2))
    case 1: .init(isFavorite: !random.once(in: 4))
    default: .init(isArchived: random.once(in: 2))
    }
  }

  // MARK: What it was promised

  /// Notes what an intent has come to.
  mutating func noteResult(of intent: PodcastIntent, _ reply: Reply?) {
    switch (intent, reply) {
    case (.subscribe(let wish), .subscribed(let id, created: true)?):
      (wishes[id], keyed[id]) = (wish.wishes, wish.address)
    case (.unsubscribe(let id, _), _): (wishes[id], keyed[id]) = (nil, nil)
    case (.update(let id, let update), _): take(update, of: id)
    default: break
    }
  }

  private mutating func take(_ update: PodcastIntent.Update, of id: FeedID) {
    if let address = update.address {
      // Headers stay with their origin, unless it gives others.
      if let former = keyed[id], !address.hasOrigin(of: former) { wishes[id]?.headers = [] }
      keyed[id] = address
    }
    wishes[id]?.take(update)
  }

  /// The engine has named a subscription of a list.
  mutating func noteImport(of feed: Feed) {
    wishes[feed.id] = feed.wishes
  }
}

extension Feed.Wishes {
  fileprivate mutating func take(_ update: PodcastIntent.Update) {
    if let title = update.title { self.title = title.isEmpty ? nil : title }
    if let group = update.group { self.group = group.isEmpty ? nil : group }
    if let userAgent = update.userAgent { self.userAgent = userAgent.isEmpty ? nil : userAgent }
    if let headers = update.headers { self.headers = headers }
    if let network = update.network { self.network = network }
    if let isPaused = update.isPaused { self.isPaused = isPaused }
    if let rules = update.rules { self.rules = rules }
  }
}
