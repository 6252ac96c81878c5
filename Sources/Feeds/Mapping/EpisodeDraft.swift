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
  /// A content of Atom that is a file elsewhere.
  var content: FeedEnclosure?
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

  /// The episode, which is moved out of the draft; nil if nothing identifies it.
  mutating func complete() -> FeedEpisode? {
    value.guid = guid.take()
    value.title = title.take()
    value.link = link.take()
    value.description = description.take().map { PlainText.cleaned($0) }
    value.author = author.take()
    value.published = published.take()
    value.season = season.take()
    value.number = number.take()
    value.seconds = seconds.take()
    value.images = images.value
    addMedia()
    if value.enclosures.isEmpty, let content { value.enclosures.append(content) }
    guard value.guid != nil || value.title != nil || !value.enclosures.isEmpty else { return nil }
    var episode = FeedEpisode(ordinal: value.ordinal)
    swap(&episode, &value)
    return episode
  }

  /// A group is one content in several forms: its default is an enclosure if the episode has none, the others are
  /// alternates. Contents outside of groups are different files, or repeat the enclosure.
  private mutating func addMedia() {
    guard !media.isEmpty else { return }
    for group in 0..<max(groups, 1) {
      let number = group + 1
      var forms = media.filter { $0.group == number }.map(\.content)
      guard !forms.isEmpty else { continue }
      if value.enclosures.isEmpty {
        let first = forms.firstIndex(where: \.isDefault) ?? forms.startIndex
        value.enclosures += Self.enclosure(forms.remove(at: first))
      }
      let known = Set(value.enclosures.map(\.address))
      value.alternates += forms.filter { form in !form.sources.contains { known.contains($0.address) } }
    }
    for (content, group) in media where group == nil {
      guard let enclosure = Self.enclosure(content).first,
        !value.enclosures.contains(where: { $0.address == enclosure.address })
      else { continue }
      value.enclosures.append(enclosure)
    }
  }

  private static func enclosure(_ form: FeedAlternate) -> [FeedEnclosure] {
    form.sources.prefix(1).map {
      FeedEnclosure(address: $0.address, mediaType: form.mediaType, claimedLength: form.claimedLength)
    }
  }
}
