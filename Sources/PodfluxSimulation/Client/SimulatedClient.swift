import Digests
import Flux
import PodfluxCore

/// A client with random intents, which remembers what the engine acknowledged.
struct SimulatedClient {
  /// The client's knowledge of one of its downloads.
  struct Wish {
    /// All its addresses so far, the current one last.
    var addresses: [WebAddress]
    var priority: Priority
    var title: String?
    var isPaused: Bool
    var mirrors: [WebAddress] = []
    var integrity: Integrity?
    var network = NetworkPolicy.inherit
    /// Whether a feed has named its addresses, and no client.
    var isOfFeed = false
  }

  let limit: Int
  /// Whether it changes network policies, schedules and quotas.
  let hasObstacles: Bool
  /// Whether it changes filters over episodes too.
  let filtersEpisodes: Bool
  /// Of how many changes of settings one sets a quota: where rules fetch, more of them do.
  private let quotaOdds: Int
  private(set) var wishes: [DownloadID: Wish] = [:]
  /// The downloads of each priority, in the requested order.
  private(set) var order: [Priority: [DownloadID]] = [:]
  private(set) var settings = Settings()

  init(limit: Int, hasObstacles: Bool, filtersEpisodes: Bool, hasRules: Bool) {
    self.limit = limit
    self.hasObstacles = hasObstacles
    self.filtersEpisodes = filtersEpisodes
    quotaOdds = hasRules ? 2 : 6
  }

  // MARK: What it wants

  /// - Returns: nil if it wants nothing this time.
  func intent(
    rows: [DownloadID: Download], origins: [SimulatedOrigin], using random: inout SeededGenerator
  ) -> Intent? {
    switch random.below(48) {
    case 0...11 where rows.count < limit: .downloads(.enqueue(wish(for: origins, using: &random)))
    case 0...11: .downloads(.remove(.one(name(rows, using: &random)), deletingFile: random.once(in: 2)))
    case 12...15: .downloads(.pause(selection(rows, using: &random)))
    case 16...21: .downloads(.resume(selection(rows, using: &random)))
    case 22...23: .downloads(.cancel(selection(rows, using: &random)))
    case 24...27: .downloads(.retry(selection(rows, using: &random)))
    case 28...30: .downloads(.remove(selection(rows, using: &random), deletingFile: random.once(in: 2)))
    case 31...34: .downloads(.move(name(rows, using: &random), place(rows, using: &random)))
    case 35...37: .downloads(.update(name(rows, using: &random), update(origins, using: &random)))
    case 38: .updateSettings(patch(using: &random))
    case 39: .downloads(.verify(selection(rows, using: &random)))
    case 43:
      filtersEpisodes && random.once(in: 2)
        ? .filters(filterIntent(over: .episodes, using: &random), over: .episodes)
        : .filters(filterIntent(over: .downloads, using: &random))
    case 40...42: .cleanup(random.once(in: 5) ? .cancel : .run(Self.cleanup(using: &random)))
    case 44 where hasObstacles: networkIntent(using: &random)
    default: random.once(in: 8) ? .stop(random.pick([.now, .drain, .suspend])) : nil
    }
  }

  /// A random cleanup request.
  static func cleanup(using random: inout SeededGenerator) -> CleanupRequest {
    CleanupRequest(
      mode: random.once(in: 4) ? .plan : .apply, missing: random.pick(CleanupOptions.Missing.allCases),
      orphans: random.once(in: 4) ? nil : random.pick(CleanupOptions.Orphans.allCases), isDeep: random.once(in: 3))
  }

  private func wish(for origins: [SimulatedOrigin], using random: inout SeededGenerator) -> DownloadIntent.Enqueue {
    let origin = random.pick(origins)
    var wish = DownloadIntent.Enqueue(address: origin.address)
    if !random.once(in: 5) { wish.id = DownloadID("d\(random.below(limit + 2))") }
    wish.description.headers = [Self.key(for: origin.address)]
    wish.priority = random.pick(Priority.allCases)
    wish.isPaused = random.once(in: 8)
    wish.origin = random.once(in: 4) ? .auto : .user
    wish.network = random.pick(Self.policies)
    if random.once(in: 3) { wish.description.podcast = random.pick(Self.podcasts) }
    if random.once(in: 6) { wish.description.path = try? LibraryPath(validating: path(using: &random)) }
    if random.once(in: 6) {
      wish.description.mirrors = (0..<random.within(1...2)).map { _ in random.pick(origins).address }
    }
    if random.once(in: 10) { wish.description.integrity = Self.integrity(of: random.pick(origins), origin, &random) }
    if random.once(in: 12) { wish.resume = Self.importedRecord(for: origin, using: &random) }
    return wish
  }

  /// A secret header for one origin. Journals blank values: the name identifies the owner.
  static func key(for address: WebAddress) -> Header {
    Header(name: "X-Key-" + address.host.split(separator: ":").joined(separator: "-"), value: "…")
  }

  /// A path that a client may request.
  func path(using random: inout SeededGenerator) -> String {
    "mine/\(random.below(4)).mp3"
  }

  /// The client's knowledge of the file: mostly the current truth.
  private static func integrity(
    of other: SimulatedOrigin, _ origin: SimulatedOrigin, _ random: inout SeededGenerator
  ) -> Integrity? {
    let content = random.once(in: 8) ? other.current : origin.current
    let algorithm = random.pick(DigestAlgorithm.allCases)
    let digest = Base64.text(of: InvariantChecker.digest(of: content.all, algorithm))
    return Integrity("\(algorithm.rawValue)-\(digest)")
  }

  /// A record from another library, without its partial file.
  private static func importedRecord(
    for origin: SimulatedOrigin, using random: inout SeededGenerator
  ) -> ResumeRecord {
    ResumeRecord(
      url: origin.address.description, strongETag: nil, lastModified: nil, total: Int64(origin.current.length),
      durable: Int64(random.within(1...origin.current.length)), tailHash: String(repeating: "0", count: 64),
      bootID: "another",
      savedAt: Timestamp(milliseconds: World.beginning))
  }

  private func name(_ rows: [DownloadID: Download], using random: inout SeededGenerator) -> DownloadID {
    let names = rows.keys.sorted()
    guard !names.isEmpty, !random.once(in: 20) else { return DownloadID("d\(random.below(limit))") ?? names[0] }
    return random.pick(names)
  }

  private func selection(
    _ rows: [DownloadID: Download], using random: inout SeededGenerator
  ) -> DownloadIntent.Selection {
    switch random.below(24) {
    case 0: .all
    case 1: .matching(SimulatedCondition.pick(among: rows, using: &random))
    case 2...4: .many((0..<random.within(1...4)).map { _ in name(rows, using: &random) })
    default: .one(name(rows, using: &random))
    }
  }

  private func place(_ rows: [DownloadID: Download], using random: inout SeededGenerator) -> DownloadIntent.Place {
    switch random.below(4) {
    case 0: .top
    case 1: .bottom
    case 2: .before(name(rows, using: &random))
    default: .after(name(rows, using: &random))
    }
  }

  private func update(_ origins: [SimulatedOrigin], using random: inout SeededGenerator) -> DownloadIntent.Update {
    var update = DownloadIntent.Update()
    switch random.below(5) {
    case 3: update.network = random.pick(NetworkPolicy.allCases)
    case 4: update.podcast = random.pick(Self.podcasts)
    case 0:
      let address = random.pick(origins).address
      update.address = address
      update.headers = [Self.key(for: address)]
    case 1: update.priority = random.pick(Priority.allCases)
    default: update.title = "title \(random.below(100))"
    }
    return update
  }

  private func filterIntent(over subject: FilterSubject, using random: inout SeededGenerator) -> FilterIntent {
    let filter = random.pick(FilterCatalogue.groups(over: subject).flatMap(\.filters)).id
    return switch random.below(5) {
    case 0: .clear
    case 1: .setText("title")
    case 2: .save("mine")
    default: .toggle(filter)
    }
  }

  private func patch(using random: inout SeededGenerator) -> SettingsPatch {
    var patch = SettingsPatch()
    patch.maxConcurrent = random.within(1...6)
    patch.maxPerHost = random.within(1...3)
    if random.once(in: 2) { patch.maxAttempts = random.within(1...8) }
    if random.once(in: 2) { patch.retryFirstSeconds = random.within(1...30) }
    if random.once(in: 2) { patch.stallTimeoutSeconds = random.within(1...40) }
    patch.checksum = random.once(in: 2)
    patch.cleanupOnStart = random.once(in: 2)
    if random.once(in: 3) { patch.orphans = random.pick(CleanupOptions.Orphans.allCases) }
    if random.once(in: 3) { patch.quarantineDays = random.within(0...3) }
    guard hasObstacles else { return patch }
    if random.once(in: 2) { patch.network = networkPatch(using: &random) }
    if random.once(in: 3) {
      patch.cellularBudgetBytesPerMonth = random.once(in: 2) ? 0 : Int64(random.within(1...50_000))
    }
    patch.schedule = random.once(in: 6) ? Self.schedule(using: &random) : []
    patch.storageQuotaBytes = random.once(in: quotaOdds) ? Int64(random.within(1...200_000)) : 0
    return patch
  }

  // MARK: The network

  private static let policies: [NetworkPolicy] = [.inherit, .inherit, .unmetered, .any]
  private static let podcasts = ["show", "talk"]

  private func networkPatch(using random: inout SeededGenerator) -> NetworkClasses.Patch {
    var patch = NetworkClasses.Patch()
    patch.user = random.pick([.unmetered, .any])
    if random.once(in: 2) { patch.auto = random.pick([.unmetered, .any]) }
    if random.once(in: 2) { patch.podcasts = [random.pick(Self.podcasts): random.pick(NetworkPolicy.allCases)] }
    return patch
  }

  private static func schedule(using random: inout SeededGenerator) -> [ScheduleWindow] {
    (0..<random.within(1...2)).map { _ in
      ScheduleWindow(
        days: ScheduleWindow.Weekday.allCases.filter { _ in !random.once(in: 4) } + [.mon],
        from: random.below(1440), to: random.within(0...1440))
    }
  }

  private func networkIntent(using random: inout SeededGenerator) -> Intent {
    guard random.once(in: 4) else { return .network(.auto) }
    return .network(.report(random.pick(SimulatedPath.all)))
  }

  /// Intents that remove all obstacles.
  static let openings: [Intent] = {
    var patch = SettingsPatch()
    patch.schedule = []
    patch.storageQuotaBytes = 0
    patch.cellularBudgetBytesPerMonth = 0
    return [.updateSettings(patch), .network(.auto)]
  }()
}

extension SimulatedClient {
  /// Lets requests lead anywhere.
  static let openingOfAddresses: Intent = {
    var patch = SettingsPatch()
    patch.addresses = .some(AddressRule.any)
    return .updateSettings(patch)
  }()
}

// MARK: - What it was promised

extension SimulatedClient {
  /// Notes what its intents have come to. `rows` are those before the batch.
  ///
  /// - Parameters:
  ///   - isAlone: Whether the batch did nothing else, so that the result of a bulk change is known.
  ///   - news: What intents of feeds have made of downloads.
  mutating func noteResults(
    _ answers: [(Intent, Dispatcher<Stores>.Outcome)], rows: [DownloadID: Download], isAlone: Bool,
    _ news: FeedNews = FeedNews()
  ) {
    var news = news
    for (intent, outcome) in answers {
      guard case .handled(let reply) = outcome else { continue }
      switch (intent, reply) {
      case (.downloads(.enqueue(let wish)), .enqueued(let id, created: true)?): add(wish, as: id)
      case (.downloads(.enqueue(let wish)), .enqueued(let id, created: false)?) where wish.origin == .user:
        if wishes[id]?.addresses.last == wish.address { wishes[id]?.isOfFeed = false }
      case (.downloads(.move(let id, let place)), .affected?): move(id, to: place)
      case (.downloads(.update(let id, let update)), .affected?): self.update(id, with: update)
      case (.updateSettings(let patch), _): settings = patch.applied(to: settings)
      case (.podcasts(.download), .affected(let number)?):
        for row in news.takeWanted(number) where wishes[row.id] == nil { find(row) }
      case (.podcasts(.unsubscribe(let feed, deletingFiles: true)), _):
        for id in news.takeUnwanted(of: feed) { forget(id) }
      case (.downloads(let intent), .affected(let number)?): change(by: intent, affected: number, rows, isAlone)
      default: break
      }
    }
    for row in news.wantedByRules where wishes[row.id] == nil { find(row) }
    for id in news.ruledOut { forget(id) }
  }

  /// Takes the rows as they are, after a bulk change in a batch with other events.
  mutating func adopt(_ rows: [DownloadID: Download]) {
    for id in wishes.keys.sorted() {
      if let row = rows[id] { wishes[id]?.isPaused = row.state.kind == .paused } else { forget(id) }
    }
  }

  /// A cleanup has found that the file is missing.
  mutating func lose(_ id: DownloadID) {
    forget(id)
  }

  /// The engine has found another address for a download.
  mutating func follow(_ row: Download) {
    wishes[row.id]?.addresses.append(row.address)
    wishes[row.id]?.mirrors = row.description.mirrors
    wishes[row.id]?.integrity = row.description.integrity
    wishes[row.id]?.isOfFeed = true
  }

  /// A cleanup has adopted a file as this download's: a paused one has what it waits for.
  mutating func complete(_ id: DownloadID) {
    wishes[id]?.isPaused = false
  }

  /// A cleanup has adopted a file for a download of its own, or one was made for an episode.
  mutating func find(_ row: Download) {
    wishes[row.id] = Wish(
      addresses: [row.address], priority: row.rank.priority, title: row.description.title, isPaused: false,
      mirrors: row.description.mirrors, integrity: row.description.integrity, network: row.networks.own,
      isOfFeed: !row.address.host.hasSuffix(".invalid"))
    order[row.rank.priority, default: []].append(row.id)
  }

  private mutating func add(_ wish: DownloadIntent.Enqueue, as id: DownloadID) {
    forget(id)
    wishes[id] = Wish(
      addresses: [wish.address], priority: wish.priority, title: wish.description.title, isPaused: wish.isPaused,
      mirrors: wish.description.mirrors, integrity: wish.description.integrity, network: wish.network)
    order[wish.priority, default: []].append(id)
  }

  private mutating func forget(_ id: DownloadID) {
    guard let wish = wishes.removeValue(forKey: id) else { return }
    order[wish.priority]?.removeAll { $0 == id }
  }

  private mutating func change(
    by intent: DownloadIntent, affected: Int, _ rows: [DownloadID: Download], _ isAlone: Bool
  ) {
    switch intent {
    case .pause(.one(let id)): wishes[id]?.isPaused = true
    case .resume(.one(let id)) where affected == 1, .retry(.one(let id)) where affected == 1:
      wishes[id]?.isPaused = false
    case .cancel(.one(let id)), .remove(.one(let id), _): forget(id)
    case .pause(let selection) where isAlone:
      for id in concerned(selection, rows, { $0.kind == .queued || $0.kind == .waiting || $0.isReceiving }) {
        wishes[id]?.isPaused = true
      }
    case .resume(let selection) where isAlone:
      for id in concerned(selection, rows, { $0.kind == .paused || $0.kind == .failed }) {
        wishes[id]?.isPaused = false
      }
    case .cancel(let selection) where isAlone:
      concerned(selection, rows, { $0.kind != .completed }).forEach { forget($0) }
    case .remove(let selection, _) where isAlone: concerned(selection, rows, { _ in true }).forEach { forget($0) }
    default: break
    }
  }

  private func concerned(
    _ selection: DownloadIntent.Selection, _ rows: [DownloadID: Download], _ isConcerned: (DownloadState) -> Bool
  ) -> [DownloadID] {
    let named: [DownloadID] =
      switch selection {
      case .one(let id): [id]
      case .many(let ids): ids
      case .matching(let condition):
        rows.values.filter { SimulatedCondition.holds(condition, for: $0) }.map(\.id).sorted()
      }
    return named.filter { id in rows[id].map { isConcerned($0.state) } ?? false }
  }

  private mutating func move(_ id: DownloadID, to place: DownloadIntent.Place) {
    guard let priority = wishes[id]?.priority, var list = order[priority] else { return }
    list.removeAll { $0 == id }
    switch place {
    case .top: list.insert(id, at: 0)
    case .bottom: list.append(id)
    case .before(let anchor): list.insert(id, at: list.firstIndex(of: anchor) ?? 0)
    case .after(let anchor): list.insert(id, at: list.firstIndex(of: anchor).map { $0 + 1 } ?? list.count)
    }
    order[priority] = list
  }

  private mutating func update(_ id: DownloadID, with update: DownloadIntent.Update) {
    guard let wish = wishes[id] else { return }
    if let address = update.address {
      wishes[id]?.addresses.append(address)
      wishes[id]?.isOfFeed = false
    }
    if let title = update.title { wishes[id]?.title = title }
    if let network = update.network { wishes[id]?.network = network }
    if let priority = update.priority, priority != wish.priority {
      order[wish.priority]?.removeAll { $0 == id }
      order[priority, default: []].append(id)
      wishes[id]?.priority = priority
    }
  }
}

extension DownloadState {
  /// Whether an attempt runs and has not announced its file yet.
  var isReceiving: Bool {
    switch self {
    case .running(.publishing): false
    case .running: true
    default: false
    }
  }
}
