import Flux

/// Handles the intents of clients for episodes.
extension PodcastsStore {
  /// Has episodes downloaded that have an enclosure and no download.
  mutating func download(
    _ selection: PodcastIntent.EpisodeSelection, reading context: Context, in turn: inout StoreTurn<Self>
  ) throws -> Reply {
    let limit = PodcastIntent.Limits.downloads
    var wanted: [Episode] = []
    switch selection {
    case .one(let id):
      let episode = try existing(id, in: turn)
      guard episode.content.enclosure != nil else {
        throw Refusal(
          .conflict, "the feed names no file for the episode that can be fetched; choose one with an enclosure",
          path: "payload.id")
      }
      if try !claim(episode, in: &turn) { wanted = [episode] }
    case .many(let ids):
      for id in ids {
        guard let episode = try turn.tables.episodes.find(id), episode.content.enclosure != nil,
          try !claim(episode, in: &turn)
        else { continue }
        wanted.append(episode)
      }
    case .matching(let condition):
      wanted = try turn.tables.episodes.wanted(condition, at: context.moment(at: turn.now), limit: limit + 1)
      guard wanted.count <= limit else {
        throw Refusal(
          .limitExceeded, "more than \(limit) episodes meet the condition; choose fewer at once", path: "payload.where")
      }
    }
    var feeds: [Feed.Key: Feed] = [:]
    for episode in wanted {
      guard let feed = try feeds[episode.feed] ?? turn.tables.feeds.find(episode.feed),
        let wish = DownloadIntent.Enqueue(of: episode, in: feed)
      else { continue }
      feeds[episode.feed] = feed
      turn.tell(.podcasts(.wanted(episode.id, wish)))
    }
    return .affected(wanted.count)
  }

  /// Marks episodes as played, favorite or archived.
  func mark(
    _ selection: PodcastIntent.EpisodeSelection, _ marking: PodcastIntent.EpisodeMarking, reading context: Context,
    in turn: inout StoreTurn<Self>
  ) throws -> Reply {
    let episodes = turn.tables.episodes
    let affected: Int
    switch selection {
    case .one(let id):
      guard let isChanged = try episodes.mark(id, marking) else { throw Self.missing(id) }
      affected = isChanged ? 1 : 0
    case .many(let ids): affected = try ids.count { try episodes.mark($0, marking) == true }
    case .matching(let condition):
      affected = try episodes.mark(condition, marking, at: context.moment(at: turn.now))
    }
    if marking.isFavorite == false || marking.isArchived == false { turn.tell(.podcasts(.remarked(selection))) }
    return .affected(affected)
  }

  /// Takes the download that an episode has already for one that a person wants. Returns false if it has none.
  private func claim(_ episode: Episode, in turn: inout StoreTurn<Self>) throws -> Bool {
    guard let download = episode.download, try turn.tables.downloads.contains(download) else { return false }
    turn.tell(.podcasts(.claimed(episode.id, download)))
    return true
  }

  private func existing(_ id: EpisodeID, in turn: borrowing StoreTurn<Self>) throws -> Episode {
    guard let episode = try turn.tables.episodes.find(id) else { throw Self.missing(id) }
    return episode
  }

  private static func missing(_ id: EpisodeID) -> Refusal {
    Refusal(.notFound, "there is no episode \"\(id)\"", path: "payload.id")
  }
}

extension DownloadIntent.Enqueue {
  /// The download of an episode's enclosure; nil without one. The feed's headers go along only to the feed's own
  /// origin.
  init?(of episode: Episode, in feed: Feed, origin: Origin = .user) {
    guard let enclosure = episode.content.enclosure else { return nil }
    let (mirrors, integrity) = episode.content.mirrors
    self.init(
      address: enclosure.address,
      description: Download.Description(
        podcast: feed.shownTitle, title: episode.content.title, published: episode.content.published,
        headers: enclosure.address.hasOrigin(of: feed.address) ? feed.wishes.headers : [], mirrors: mirrors,
        integrity: integrity, expectedLength: enclosure.length),
      origin: origin, network: feed.wishes.network)
    feedSession = feed.session
    namer = .feed(feed.refreshes.readFrom)
    self.episode = Episode.Reference(feed: episode.feed, episode: episode.id)
  }
}
