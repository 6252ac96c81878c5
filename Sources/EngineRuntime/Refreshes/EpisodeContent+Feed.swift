import Feeds
import PodfluxCore

extension EpisodeContent {
  /// What the library keeps of an episode in a feed, within `Limits`.
  init(_ episode: FeedEpisode) {
    let (enclosure, others) = Self.chosen(of: episode.enclosures.map(Enclosure.init))
    self.init(
      guid: episode.guid.map { $0.cut(toBytes: Limits.guidBytes) },
      title: episode.title.map { $0.cut(toBytes: Limits.titleBytes) }, published: episode.published,
      link: episode.link.flatMap(Self.kept), seconds: episode.seconds, season: episode.season?.number,
      number: episode.number.map(Self.text), kind: episode.kind.flatMap { Kind(rawValue: $0.rawValue) },
      enclosure: enclosure,
      alternates: Array(
        (episode.alternates.compactMap(Alternate.init) + others.compactMap(Alternate.init)).prefix(Limits.alternates)),
      chapters: episode.chapters.flatMap { Self.kept($0.address) },
      transcript: episode.transcripts.chosen,
      image: episode.images.first.flatMap { Self.kept($0.address) })
  }

  /// The episode's own enclosure, and others that are audio or video: its other forms. The first one that is audio or
  /// video is its own, else the first that is no picture, else the first.
  private static func chosen(of enclosures: [Enclosure]) -> (own: Enclosure?, others: [Enclosure]) {
    guard enclosures.count > 1 else { return (enclosures.first, []) }
    let own =
      enclosures.first { $0.mediaKind != .other } ?? enclosures.first { !$0.isPicture } ?? enclosures.first
    return (own, enclosures.filter { $0.mediaKind != .other && $0.address != own?.address })
  }

  private static func text(_ number: FeedEpisode.Number) -> String {
    if let label = number.label { return label.cut(toBytes: Limits.mediaTypeBytes) }
    guard let whole = Int64(exactly: number.value) else { return "\(number.value)" }
    return "\(whole)"
  }

  static func kept(_ address: WebAddress) -> WebAddress? {
    address.description.utf8.count <= Limits.addressBytes ? address : nil
  }

  fileprivate static func kept(mediaType: String?) -> String? {
    mediaType.flatMap { $0.utf8.count <= Limits.mediaTypeBytes ? $0 : nil }
  }
}

extension EpisodeContent.Enclosure {
  fileprivate init(_ enclosure: FeedEnclosure) {
    self.init(
      address: enclosure.address, mediaType: EpisodeContent.kept(mediaType: enclosure.mediaType),
      length: enclosure.claimedLength)
  }
}

extension EpisodeContent.Alternate {
  /// Another enclosure; nothing says that its content is the same. Nil if its address is not kept.
  fileprivate init?(_ enclosure: EpisodeContent.Enclosure) {
    guard let address = EpisodeContent.kept(enclosure.address) else { return nil }
    self.init(addresses: [address], mediaType: enclosure.mediaType, length: enclosure.length)
  }

  /// Nil for a form without an address that is kept.
  fileprivate init?(_ alternate: FeedAlternate) {
    let addresses = alternate.sources.prefix(EpisodeContent.Limits.addresses).compactMap {
      EpisodeContent.kept($0.address)
    }
    guard !addresses.isEmpty else { return nil }
    self.init(
      addresses: addresses, mediaType: EpisodeContent.kept(mediaType: alternate.mediaType),
      length: alternate.claimedLength,
      title: alternate.title.map { $0.cut(toBytes: EpisodeContent.Limits.mediaTypeBytes) },
      integrity: alternate.integrity, isEnclosure: alternate.isDefault)
  }
}

extension PodcastContent {
  /// What the library keeps of what a feed says of its podcast, within `Limits`.
  init(_ podcast: FeedPodcast) {
    self.init(
      title: podcast.title.map { $0.cut(toBytes: Limits.titleBytes) }, link: podcast.link?.description,
      image: podcast.images.first?.address.description,
      description: podcast.description.map { $0.cut(toBytes: Limits.descriptionBytes) },
      language: podcast.language.map { $0.cut(toBytes: Limits.titleBytes) },
      author: podcast.author.map { $0.cut(toBytes: Limits.titleBytes) },
      guid: podcast.guid.map { $0.cut(toBytes: Limits.titleBytes) })
  }
}
