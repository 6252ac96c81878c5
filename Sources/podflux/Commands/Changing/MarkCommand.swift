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
      """)

  @OptionGroup var folder: LibraryOption
  @OptionGroup var engine: SocketOption
  @OptionGroup var console: ConsoleOptions

  @Argument(help: "An episode: its id, its URL, or a unique part of its title.", completion: .titles)
  var selectors: [String] = []

  @Option(help: "All episodes of a feed.", completion: .titles)
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
      let count = try access.affected(by: .podcasts(.mark(try selection(in: access.connection), marking)))
      console.report(count, "marked")
    }
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
