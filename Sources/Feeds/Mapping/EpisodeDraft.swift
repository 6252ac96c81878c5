import PodfluxCore

/// An episode whose element has not ended.
struct EpisodeDraft: Sendable {
  var value: FeedEpisode
  var guid = Ranked<String>()
  var title = Ranked<String>()
  var link = Ranked<WebAddress>()
  /// As it was written; made a text at the end only, since feeds give several.
  var description = Ranked<[UInt8]>()
  var author = Ranked<String>()
  var published = Ranked<PublicationDate>()
  var season = Ranked<FeedEpisode.Season>()
  var number = Ranked<FeedEpisode.Number>()
  var seconds = Ranked<Int64>()
  var images = RankedImages()
  /// The `podcast:alternateEnclosure` that is open.
  var alternate: FeedAlternate?
  /// What `media:content` names, by its group; those outside of a group have none.
  private var media: [(content: FeedAlternate, group: Int?)] = []
  private var groups = 0
  private var group: Int?

  init(ordinal: Int) {
    value = FeedEpisode(ordinal: ordinal)
  }

  mutating func beginAlternate() {
    alternate = FeedAlternate()
  }

  mutating func beginGroup() {
    groups += 1
    group = groups
  }

  mutating func endGroup() {
    group = nil
  }

  /// Whether there was room for it.
  mutating func append(media content: FeedAlternate) -> Bool {
    guard media.count < FeedLimits.maximumRepetitions else { return false }
    media.append((content, group))
    return true
  }

  /// The episode; nil if nothing identifies it.
  consuming func completed() -> FeedEpisode? {
    var episode = value
    episode.guid = guid.value
    episode.title = title.value
    episode.link = link.value
    episode.description = description.value.map { PlainText.cleaned($0) }
    episode.author = author.value
    episode.published = published.value
    episode.season = season.value
    episode.number = number.value
    episode.seconds = seconds.value
    episode.images = images.value
    addMedia(to: &episode)
    guard episode.guid != nil || episode.title != nil || !episode.enclosures.isEmpty else { return nil }
    return episode
  }

  /// A group is one content in several forms: its default is an enclosure if the episode has none, the others are
  /// alternates. Contents outside of groups are different files, or repeat the enclosure.
  private func addMedia(to episode: inout FeedEpisode) {
    guard !media.isEmpty else { return }
    for group in 0..<max(groups, 1) {
      let number = group + 1
      var forms = media.filter { $0.group == number }.map(\.content)
      guard !forms.isEmpty else { continue }
      if episode.enclosures.isEmpty {
        let first = forms.firstIndex(where: \.isDefault) ?? forms.startIndex
        episode.enclosures += Self.enclosure(forms.remove(at: first))
      }
      let known = Set(episode.enclosures.map(\.address))
      episode.alternates += forms.filter { form in !form.sources.contains { known.contains($0.address) } }
    }
    for (content, group) in media where group == nil {
      guard let enclosure = Self.enclosure(content).first,
        !episode.enclosures.contains(where: { $0.address == enclosure.address })
      else { continue }
      episode.enclosures.append(enclosure)
    }
  }

  private static func enclosure(_ form: FeedAlternate) -> [FeedEnclosure] {
    form.sources.prefix(1).map {
      FeedEnclosure(address: $0.address, mediaType: form.mediaType, claimedLength: form.claimedLength)
    }
  }
}
