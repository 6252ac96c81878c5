import Flux

/// Handles the intents of clients for feeds.
extension PodcastsStore {
  mutating func handle(
    _ intent: PodcastIntent, reading context: Context, in turn: inout StoreTurn<Self>
  ) throws -> Reply {
    switch intent {
    case .subscribe(let wish): return try subscribe(wish, reading: context, in: &turn)
    case .unsubscribe(let id, let deletingFiles): return try unsubscribe(id, deletingFiles: deletingFiles, in: &turn)
    case .update(let id, let update): return try self.update(id, with: update, reading: context, in: &turn)
    case .refresh(let selection): return try refresh(selection, in: &turn)
    case .importDocument: preconditionFailure("the engine reads a document before a turn sees it")
    case .import(let list): return try take(list, in: &turn)
    case .download(let selection): return try download(selection, reading: context, in: &turn)
    case .mark(let selection, let marking): return try mark(selection, marking, reading: context, in: &turn)
    }
  }

  private mutating func subscribe(
    _ wish: PodcastIntent.Subscription, reading context: Context, in turn: inout StoreTurn<Self>
  ) throws -> Reply {
    let address = wish.address.normalized
    let sameID = try wish.id.flatMap { try turn.tables.feeds.find($0)?.id }
    if let known = try sameID ?? knownFeed(at: wish.address, in: turn) {
      // The server has said that the feed is gone, and the client says that it exists.
      if let feed = try turn.tables.feeds.find(known), feed.refreshes.hasEnded, try askRefresh(of: feed, in: turn) {
        hostsToSearch = nil
      }
      return .subscribed(id: known, created: false)
    }
    try checkRoom(for: 1, in: turn)
    let host = address.host
    let session = try wish.session.flatMap { choice throws(Refusal) in
      try context.sessions.key(of: choice, for: host)
    }
    try context.sessions.check([address], of: session)
    let id = wish.id ?? FeedID(from: &turn.random)
    var wishes = wish.wishes
    wishes.dropDefaults()
    let key = try turn.tables.feeds.insert(
      id, at: address, wishes: wishes, session: session, next: turn.now, added: turn.now)
    if case .new(let login)? = wish.session {
      turn.tell(.podcasts(.session(.new(login, host: host, .feed(key)))))
    }
    if wishes.rules != .none { turn.tell(.podcasts(.rulesChanged(key, from: .none))) }
    hostsToSearch = nil
    return .subscribed(id: id, created: true)
  }

  private mutating func take(_ list: PodcastIntent.FeedList, in turn: inout StoreTurn<Self>) throws -> Reply {
    try checkRoom(for: list, in: turn)
    var (added, known) = (0, 0)
    for entry in list.feeds {
      if try knownFeed(at: entry.address, in: turn) != nil {
        known += 1
        continue
      }
      _ = try turn.tables.feeds.insert(
        FeedID(from: &turn.random), at: entry.address.normalized, wishes: .init(title: entry.title, group: entry.group),
        session: nil, next: turn.now, added: turn.now)
      added += 1
    }
    hostsToSearch = nil
    return .imported(added: added, known: known, rejected: list.rejected)
  }

  /// The feed at an address, in whichever spelling: rows of earlier versions have their client's.
  private func knownFeed(at address: WebAddress, in turn: borrowing StoreTurn<Self>) throws -> FeedID? {
    let feeds = turn.tables.feeds
    if let id = try feeds.find(at: address.normalized) { return id }
    return try feeds.find(at: address)
  }

  /// Checks that what is new in a list has room. Where the whole list has, nothing is looked up.
  private func checkRoom(for list: PodcastIntent.FeedList, in turn: borrowing StoreTurn<Self>) throws {
    guard try turn.tables.feeds.count() + list.feeds.count > PodcastIntent.Limits.feeds else { return }
    var new: Set<WebAddress> = []
    for entry in list.feeds {
      if try knownFeed(at: entry.address, in: turn) == nil { new.insert(entry.address.normalized) }
    }
    try checkRoom(for: new.count, in: turn)
  }

  private func checkRoom(for number: Int, in turn: borrowing StoreTurn<Self>) throws {
    let limit = PodcastIntent.Limits.feeds
    guard try turn.tables.feeds.count() + number <= limit else {
      throw Refusal(
        .limitExceeded, "a library has at most \(limit) feeds; unsubscribe from some first", path: "payload")
    }
  }

  private mutating func unsubscribe(
    _ id: FeedID, deletingFiles: Bool, in turn: inout StoreTurn<Self>
  ) throws -> Reply {
    let feed = try existing(id, in: turn)
    disownRefresh(of: id, in: &turn)
    if deletingFiles {
      // What an episode of another feed has stays.
      let downloads = try turn.tables.episodes.ownDownloads(of: feed.key)
      if !downloads.isEmpty { turn.tell(.podcasts(.unwanted(downloads))) }
    }
    try turn.tables.feeds.delete(feed.key)
    if let session = feed.session { turn.tell(.podcasts(.session(.left(session)))) }
    mayHaveLeft = true
    return .done
  }

  private mutating func update(
    _ id: FeedID, with update: PodcastIntent.Update, reading context: Context, in turn: inout StoreTurn<Self>
  ) throws -> Reply {
    var feed = try existing(id, in: turn)
    let host = (update.address ?? feed.address).host
    var session = feed.session
    if let choice = update.session {
      let key = try context.sessions.key(of: choice, for: host)
      // A new one is about to be made: until then the feed has the one it had.
      if !choice.isNew { session = key }
    }
    if update.session?.isNew != true {
      // A new session must fit the existing address as well.
      let own = update.address ?? (update.session == nil ? nil : feed.address)
      try context.sessions.check([own].compactMap(\.self), of: session)
    }
    let present = update.session?.leaving(feed.address) ?? feed.address
    let address = update.address?.normalized ?? present
    if address != feed.address, let other = try knownFeed(at: update.address ?? address, in: turn), other != id {
      throw Refusal(
        .conflict, "the feed \"\(other)\" has this address, or has moved from it; unsubscribe from one of the two",
        path: "payload.url")
    }
    if update.address != nil { feed.refreshes.isLed = false }
    // A secret that goes to the vault stays in no former address either.
    feed.address = present
    if let choice = update.session {
      feed.refreshes.formerAddresses = feed.refreshes.formerAddresses.map(choice.leaving)
    }
    if address != present {
      feed.leaveAddress(for: address)
      // The client means the podcast that is there.
      feed.podcast?.guid = nil
    }
    let former = feed.wishes
    feed.wishes.headers = former.headers.moved(from: present, to: address)
    feed.wishes.apply(update)
    try change(&feed, to: session, in: &turn)
    if case .new(let login)? = update.session {
      turn.tell(.podcasts(.session(.new(login, host: host, .feed(feed.key)))))
    }
    let concernsRequests =
      update.address != nil || update.session != nil || former.headers != feed.wishes.headers
    if concernsRequests || former.userAgent != feed.wishes.userAgent {
      disownRefresh(of: id, in: &turn)
      // The change may have removed the cause of earlier failures.
      (feed.refreshes.next, feed.refreshes.failures, feed.refreshes.hasEnded) = (turn.now, 0, false)
    }
    live[id]?.policy = feed.wishes.network
    if feed.wishes.rules != former.rules { turn.tell(.podcasts(.rulesChanged(feed.key, from: former.rules))) }
    try turn.tables.feeds.update(feed)
    hostsToSearch = nil
    return .done
  }

  private mutating func refresh(
    _ selection: PodcastIntent.FeedSelection, in turn: inout StoreTurn<Self>
  ) throws -> Reply {
    let asked = try askRefreshes(of: selection, in: turn)
    turn.tell(.podcasts(.session(.askedAgain(try sessions(of: selection, in: turn)))))
    // Behind the last refusal: a journal has no refused action, so that one leaves nothing behind in memory either.
    hostsToSearch = nil
    return .affected(asked)
  }

  /// Makes feeds due, unless they are being refreshed. Returns how many.
  private func askRefreshes(
    of selection: PodcastIntent.FeedSelection, in turn: borrowing StoreTurn<Self>
  ) throws -> Int {
    switch selection {
    case .all: return try turn.tables.feeds.makeAllDue(at: turn.now)
    case .one(let id): return try askRefresh(of: try existing(id, in: turn), in: turn) ? 1 : 0
    case .many(let ids):
      var asked = 0
      for id in ids {
        if let feed = try turn.tables.feeds.find(id), try askRefresh(of: feed, in: turn) { asked += 1 }
      }
      return asked
    }
  }

  /// The sessions of feeds; nil for all.
  private func sessions(
    of selection: PodcastIntent.FeedSelection, in turn: borrowing StoreTurn<Self>
  ) throws -> Set<Session.Key>? {
    let feeds = turn.tables.feeds
    switch selection {
    case .all: return nil
    case .one(let id): return Set([try feeds.find(id)?.session].compactMap(\.self))
    case .many(let ids): return Set(try ids.compactMap { try feeds.find($0)?.session })
    }
  }

  /// Makes a feed due, unless it is being refreshed.
  private func askRefresh(of feed: Feed, in turn: borrowing StoreTurn<Self>) throws -> Bool {
    guard live[feed.id] == nil else { return false }
    var feed = feed
    (feed.refreshes.next, feed.refreshes.isAsked) = (turn.now, true)
    try turn.tables.feeds.updateRefreshes(of: feed)
    return true
  }

  /// Stops a refresh whose findings are of no use any more.
  private mutating func disownRefresh(of id: FeedID, in turn: inout StoreTurn<Self>) {
    stop(id, in: &turn)
    live[id]?.isDisowned = true
  }

  /// The session that was wanted for a feed is there.
  func set(_ session: Session.Key, of key: Feed.Key, in turn: inout StoreTurn<Self>) throws {
    guard var feed = try turn.tables.feeds.find(key) else { return }
    try change(&feed, to: session, in: &turn)
    try turn.tables.feeds.update(feed)
  }

  /// Gives a feed another session, and informs the downloads' store. Cost: linear in the feed's downloads.
  private func change(_ feed: inout Feed, to session: Session.Key?, in turn: inout StoreTurn<Self>) throws {
    guard session != feed.session else { return }
    let downloads = try turn.tables.episodes.downloads(of: feed.key)
    if !downloads.isEmpty { turn.tell(.podcasts(.sessionChanged(downloads, from: feed.session, to: session))) }
    if let former = feed.session { turn.tell(.podcasts(.session(.left(former)))) }
    feed.session = session
  }

  private func existing(_ id: FeedID, in turn: borrowing StoreTurn<Self>) throws -> Feed {
    guard let feed = try turn.tables.feeds.find(id) else {
      throw Refusal(.notFound, "there is no feed \"\(id)\"", path: "payload.id")
    }
    return feed
  }
}

extension Feed.Wishes {
  fileprivate mutating func apply(_ update: PodcastIntent.Update) {
    title = update.title ?? title
    group = update.group ?? group
    headers = update.headers ?? headers
    userAgent = update.userAgent ?? userAgent
    network = update.network ?? network
    isPaused = update.isPaused ?? isPaused
    filenameTemplate = update.filenameTemplate ?? filenameTemplate
    rules = update.rules ?? rules
    dropDefaults()
  }

  /// Drops what a client has set to what holds without it: an empty text, the standard names.
  fileprivate mutating func dropDefaults() {
    if title?.isEmpty == true { title = nil }
    if group?.isEmpty == true { group = nil }
    if userAgent?.isEmpty == true { userAgent = nil }
    if filenameTemplate?.isStandard == true { filenameTemplate = nil }
  }
}
