import Flux
import PodfluxCore

/// Feeds and episodes as clients see them (the article Protocol): every key is there, unless a client has asked for
/// some of them.
extension JSONWriter {
  mutating func members(of preview: FeedPreview) {
    member("bytes", preview.bytes)
    member("episodes", preview.episodes)
    member("newest", preview.newest)
    member("title", preview.title)
    member("url", preview.address.shown)
    member("wouldDownload", preview.wouldDownload)
  }

  // MARK: Feeds

  mutating func members(of item: FeedsSnapshot.Item, showing fields: Set<FeedField>?) {
    for field in FeedField.allCases where fields?.contains(field) ?? true { member(field, of: item) }
  }

  private mutating func member(_ field: FeedField, of item: FeedsSnapshot.Item) {
    let (feed, refreshes) = (item.feed, item.feed.refreshes)
    switch field {
    case .author: member("author", feed.podcast?.author)
    case .description: member("description", feed.podcast?.description?.shownText)
    case .downloaded: member("downloaded", item.downloaded)
    case .ended: member("ended", refreshes.hasEnded)
    case .episodes: member("episodes", feed.episodes)
    case .error: member("error", error: refreshes.error)
    case .filenameTemplate: member("filenameTemplate", feed.wishes.filenameTemplate?.text)
    case .group: member("group", feed.wishes.group)
    case .id: member("id", feed.id.description)
    case .image: member("image", feed.podcast?.image?.shownURL)
    case .language: member("language", feed.podcast?.language)
    case .lastRefreshed: member("lastRefreshed", refreshes.last)
    case .link: member("link", feed.podcast?.link?.shownURL)
    case .movedFrom: member("movedFrom", refreshes.formerAddresses.last?.shown)
    case .network: member("network", feed.wishes.network.rawValue)
    case .nextRefresh: member("nextRefresh", feed.due)
    case .paused: member("paused", feed.wishes.isPaused)
    case .refreshing: member("refreshing", item.isRefreshing)
    case .rules: member(rules: feed.wishes.rules)
    case .title: member("title", feed.shownTitle)
    case .url: member("url", feed.address.shown)
    }
  }

  // MARK: Episodes

  mutating func members(of item: EpisodesSnapshot.Item, showing fields: Set<EpisodeField>?) {
    for field in EpisodeField.allCases where fields?.contains(field) ?? true { member(field, of: item) }
  }

  private mutating func member(_ field: EpisodeField, of item: EpisodesSnapshot.Item) {
    let (episode, content) = (item.episode, item.episode.content)
    switch field {
    case .alternates: array("alternates", content.alternates) { $1.object(of: $0) }
    case .archived: member("archived", episode.marks.isArchived)
    case .because: member(because: item.verdict)
    case .chapters: member("chapters", content.chapters?.shown)
    // A download that is gone is none.
    case .download: member("download", item.state == nil ? nil : episode.download?.description)
    case .enclosure: member(enclosure: content.enclosure)
    case .favorite: member("favorite", episode.marks.isFavorite)
    case .feed: member("feed", item.feed.description)
    case .guid: member("guid", content.guid?.shownGuid)
    case .id: member("id", episode.id.description)
    case .link: member("link", content.link?.shown)
    case .missingFromFeed: member("missingFromFeed", episode.isMissingFromFeed)
    case .number: member("number", content.number)
    case .played: member("played", episode.marks.isPlayed)
    case .published: member("published", content.published?.moment)
    case .season: member("season", content.season)
    case .seconds: member("seconds", content.seconds)
    case .state: member("state", item.state?.rawValue)
    case .title: member("title", content.title)
    case .transcript: member("transcript", content.transcript?.shown)
    case .type: member("type", content.kind?.rawValue)
    }
  }

  private mutating func member(enclosure: EpisodeContent.Enclosure?) {
    guard let enclosure else { return member("enclosure", String?.none) }
    object("enclosure") { members in
      members.member("length", enclosure.length)
      members.member("type", enclosure.mediaType)
      members.member("url", enclosure.address.shown)
    }
  }

  private mutating func object(of alternate: EpisodeContent.Alternate) {
    object { members in
      members.member("integrity", alternate.integrity?.description)
      members.member("length", alternate.length)
      members.member("same", alternate.isEnclosure)
      members.member("title", alternate.title)
      members.member("type", alternate.mediaType)
      members.array("urls", alternate.addresses) { $1.element($0.shown) }
    }
  }
}
