import Flux
import PodfluxCore

/// What tells an episode from others, as a feed says it. What the feed does not say is nil.
package struct EpisodeIdentity: Hashable, Sendable {
  package var guid: String?
  /// The URL of the first enclosure.
  package var enclosure: WebAddress?
  /// Plain text.
  package var title: String?
  package var published: Timestamp?
  /// Whether the feed gives the day alone, or midnight: then two episodes of a day have one date.
  package var isDateOnly: Bool
  /// The length in seconds.
  package var seconds: Int64?
  /// The length of the enclosure in bytes, as the feed claims it.
  package var bytes: Int64?

  package init(
    guid: String? = nil, enclosure: WebAddress? = nil, title: String? = nil, published: Timestamp? = nil,
    isDateOnly: Bool = false, seconds: Int64? = nil, bytes: Int64? = nil
  ) {
    self.guid = guid
    self.enclosure = enclosure
    self.title = title
    self.published = published
    self.isDateOnly = isDateOnly
    self.seconds = seconds
    self.bytes = bytes
  }
}

/// What is kept of an episode of the feed, so that it is known again.
package struct KnownEpisode: Hashable, Sendable {
  /// The number of its row.
  package var key: Int64
  /// What the feed has said last.
  package var identity: EpisodeIdentity
  /// The guids that it had before, the latest last.
  package var formerGuids: [String]
  /// The enclosures that it had before, the latest last.
  package var formerEnclosures: [WebAddress]

  /// How many former guids, and how many former enclosures, are kept. The oldest go.
  package static let formerNameLimit = EpisodeTraces.FormerNames.limit

  package init(
    key: Int64, identity: EpisodeIdentity, formerGuids: [String] = [], formerEnclosures: [WebAddress] = []
  ) {
    self.key = key
    self.identity = identity
    self.formerGuids = formerGuids
    self.formerEnclosures = formerEnclosures
  }

  /// The former names that it has once the feed says this of it. A name that it has now is no former one, and of two
  /// enclosures with the same comparable form the later one is kept.
  package func formerNames(afterBecoming item: EpisodeIdentity) -> (guids: [String], enclosures: [WebAddress]) {
    let guids = Self.latest(formerGuids + [identity.guid].compactMap(\.self), without: item.guid) { ExactText($0) }
    let enclosures = Self.latest(
      formerEnclosures + [identity.enclosure].compactMap(\.self), without: item.enclosure
    ) { EnclosureKey($0) }
    return (guids, enclosures)
  }

  /// The last names, each once, where it stands last.
  private static func latest<Name>(
    _ names: [Name], without current: Name?, key: (Name) -> some Hashable
  ) -> [Name] {
    var seen = Set([current].compactMap { $0.map(key) })
    let latest = names.reversed().filter { seen.insert(key($0)).inserted }.prefix(formerNameLimit)
    return Array(latest.reversed())
  }
}
