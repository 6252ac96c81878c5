import PodfluxCore

/// What has been read of a podcast.
struct PodcastDraft: Sendable {
  private var fields = FeedPodcast()
  var title = Ranked<String>()
  var link = Ranked<WebAddress>()
  var description = Ranked<String>()
  var author = Ranked<String>()
  var language = Ranked<String>()
  var guid = Ranked<String>()
  var updated = Ranked<PublicationDate>()
  var images = RankedImages()
  /// Of the syndication module: the seconds of its period, and the updates in one.
  var periodSeconds: Int64?
  var updatesInPeriod: Int64?

  /// Changes the fields that one element gives.
  mutating func update(_ change: (inout FeedPodcast) -> Void) {
    change(&fields)
  }

  /// Adds a value that is not in the list yet. False if there is no room for it.
  mutating func append<Value: Equatable>(_ value: Value, to list: WritableKeyPath<FeedPodcast, [Value]>) -> Bool {
    guard !fields[keyPath: list].contains(value) else { return true }
    guard fields[keyPath: list].count < FeedLimits.maximumRepetitions else { return false }
    fields[keyPath: list].append(value)
    return true
  }

  var value: FeedPodcast {
    var podcast = fields
    podcast.title = title.value
    podcast.link = link.value
    podcast.description = description.value
    podcast.author = author.value
    podcast.language = language.value
    podcast.guid = guid.value
    podcast.updated = updated.value
    podcast.images = images.value
    podcast.updateSeconds = periodSeconds.map { $0 / (updatesInPeriod ?? 1) }
    return podcast
  }
}
