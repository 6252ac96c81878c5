import ArgumentParser
import PodfluxClient
import PodfluxCore
import PodfluxPeople
import WireProtocol

/// `podflux mark`: notes what a person thinks of episodes.
struct MarkCommand: EngineCommand {
  static let configuration = CommandConfiguration(
    commandName: "mark",
    abstract: "Marks episodes as played, favorite or archived, or takes the mark away.",
    discussion: """
      podflux mark "Vienna to Hamburg" --played
      podflux mark --feed "Night Trains" --played --unfavorite

      No rule deletes a favorite. Where more than ten files are favorites no more that rules or the storage quota may delete then,
      it asks on a terminal, and else needs -y.
      """)

  @OptionGroup var folder: LibraryOption
  @OptionGroup var engine: SocketOption
  @OptionGroup var console: ConsoleOptions

  @Argument(help: "An episode: its id, its URL, or a unique part of its title.", completion: .titles(of: .episodes))
  var selectors: [String] = []

  @Option(help: "All episodes of a feed.", completion: .titles(of: .feeds))
  var feed: String?

  @Flag(help: "They have been played.") var played = false
  @Flag(help: "They have not been played.") var unplayed = false
  @Flag(help: "They are favorites.") var favorite = false
  @Flag(help: "They are no favorites.") var unfavorite = false
  @Flag(help: "They are archived.") var archived = false
  @Flag(help: "They are not archived.") var unarchived = false

  func validate() throws {
    guard selectors.isEmpty != (feed == nil) else { throw ValidationError("name episodes, or a feed with --feed") }
    let pairs = [(played, unplayed), (favorite, unfavorite), (archived, unarchived)]
    guard pairs.contains(where: { $0 || $1 }) else {
      throw ValidationError("say how to mark them, such as --played or --unplayed")
    }
    guard !pairs.contains(where: { $0 && $1 }) else { throw ValidationError("a mark cannot be set and taken away") }
  }

  private var marking: PodcastIntent.EpisodeMarking {
    func mark(_ isSet: Bool, _ isUnset: Bool) -> Bool? { isSet ? true : isUnset ? false : nil }
    return .init(
      isPlayed: mark(played, unplayed), isFavorite: mark(favorite, unfavorite), isArchived: mark(archived, unarchived))
  }

  func run() throws {
    try withEngine { access, console in
      let chosen = try selection(in: access.connection)
      let losing = unfavorite ? try losingFavorites(of: chosen, with: access) : []
      if losing.count > Console.unquestionedDeletions {
        let what = "\(losing.count) favorites that rules have downloaded"
        try console.confirm(
          "Rules or the storage quota may delete \(what). Go on?", otherwise: "\(what) could be deleted by rules")
      }
      console.report(try access.affected(by: .podcasts(.mark(chosen, marking))), "marked")
      guard !losing.isEmpty else { return }
      let deleted = try access.removedByRules(of: losing)
      if deleted > 0 { console.note("\(deleted) deleted by rules") }
    }
  }

  /// The downloads of favorites that are here and that rules have fetched: a rule or the storage quota may delete them
  /// once they are favorites no more.
  private func losingFavorites(
    of chosen: PodcastIntent.EpisodeSelection, with access: EngineAccess
  ) throws -> [DownloadID] {
    let connection = access.connection
    let hasQuota = try connection.settings().integer("storageQuotaBytes") ?? 0 > 0
    let keeping = Set(try connection.feeds().filter { hasQuota || $0.rules.keep != nil }.map(\.id))
    guard !keeping.isEmpty else { return [] }
    // Files that are back from a backup are known again before some of them are deleted.
    try access.awaitStartCleanup()
    var downloads: [DownloadID] = []
    func note(_ episode: EpisodeItem) {
      guard episode.marks.isFavorite, episode.feed.map(keeping.contains) ?? false, episode.state == .completed,
        let id = episode.download.flatMap({ DownloadID($0) })
      else { return }
      downloads.append(id)
    }
    switch chosen {
    case .one(let id): if let episode = try LibraryFinder(connection).episode(id) { note(episode) }
    case .many(let ids):
      for id in ids { if let episode = try LibraryFinder(connection).episode(id) { note(episode) } }
    case .matching(let condition):
      try connection.forEachEpisode(.all([condition, .states([.completed])])) { episode in
        note(episode)
        return true
      }
    }
    return try connection.downloads(downloads).filter { $0.origin == .auto }.compactMap { DownloadID($0.id) }
  }

  private func selection(in source: some SnapshotSource) throws -> PodcastIntent.EpisodeSelection {
    if let feed {
      return .matching(.feeds([try LibraryFinder(source).feed(feed)]))
    }
    return .many(
      try selectors.map { selector in
        guard let id = EpisodeID(try LibraryFinder(source).find(selector, among: .episodes).id) else {
          throw MalformedLine("an episode without a valid id")
        }
        return id
      })
  }
}
