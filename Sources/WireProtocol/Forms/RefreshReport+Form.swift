import Flux
import PodfluxCore

/// What refreshes report. `feed` says of which feed, `refresh` which refresh of it, `fetched` how many bytes have come
/// since its last report, `readFrom` at what kind of address the documents were.
extension RefreshReport {
  mutating func exchange<Coder: PayloadCoder>(with coder: inout Coder) throws(Coder.Fault) {
    switch news {
    case .described(var podcast):
      coder.type("feeds/described", "A feed that was never read says what its podcast is; its first episodes follow.")
      try exchangeID(with: &coder) { coder throws(Coder.Fault) in
        try coder.required("podcast", &podcast, .object)
      }
      news = .described(podcast)
    case .appeared(var episodes):
      coder.type("episodes/appeared", "A feed has episodes that the library did not know.")
      try coder.required("episodes", &episodes, .objects(atMost: Self.episodesAtOnce))
      try exchangeID(with: &coder)
      news = .appeared(episodes)
    case .changed(var changes):
      coder.type("episodes/changed", "A feed says something else of known episodes than it did.")
      try coder.required("changes", &changes, .objects(atMost: Self.episodesAtOnce))
      try exchangeID(with: &coder)
      news = .changed(changes)
    case .listed(var missing, var returned):
      coder.type("episodes/listed", "Episodes have left their feed, or are in it again.")
      try exchangeID(with: &coder) { coder throws(Coder.Fault) in
        try coder.required("missing", &missing, .listedEpisodes)
      } and: { coder throws(Coder.Fault) in
        try coder.required("returned", &returned, .listedEpisodes)
      }
      news = .listed(missing: missing, returned: returned)
    case .moved(var address):
      coder.type("feeds/moved", "The publisher has moved a feed for good.")
      try exchangeID(with: &coder) { coder throws(Coder.Fault) in
      } and: { coder throws(Coder.Fault) in
        try coder.required("url", &address, .address)
      }
      news = .moved(address)
    case .refreshed(var findings):
      coder.type("feeds/refreshed", "A feed has been read to its end, or has not changed.")
      try exchangeID(with: &coder) { coder throws(Coder.Fault) in
        try coder.optional("gap", &findings.hasGap, .boolean, omitting: false)
        try coder.required("next", &findings.next, .instant)
        try coder.optional("podcast", &findings.podcast, .object)
      } and: { coder throws(Coder.Fault) in
        try coder.optional("rhythm", &findings.rhythm, .object)
        try coder.required("validators", &findings.validators, .object)
      }
      news = .refreshed(findings)
    case .failed(var error, var next):
      coder.type("feeds/failed", "A feed could not be read.")
      try coder.required("error", &error, .object)
      try exchangeID(with: &coder) { coder throws(Coder.Fault) in try coder.required("next", &next, .instant) }
      news = .failed(error, next: next)
    case .stopped:
      coder.type("feeds/stopped", "A refresh has ended because the engine stopped it.")
      try exchangeID(with: &coder)
    }
  }

  /// Exchanges what every report has: `feed`, `fetched`, `readFrom`, `refresh`; before the last two, and behind them,
  /// more.
  private mutating func exchangeID<Coder: PayloadCoder>(
    with coder: inout Coder, _ more: (inout Coder) throws(Coder.Fault) -> Void = { _ in },
    and last: (inout Coder) throws(Coder.Fault) -> Void = { _ in }
  ) throws(Coder.Fault) {
    try coder.required("feed", &refresh.feed, .feedID)
    try coder.optional("fetched", &fetched, .number, omitting: 0)
    try more(&coder)
    try coder.optional("readFrom", &readFrom, .choice, omitting: .unknown)
    try coder.required("refresh", &refresh.generation, .number)
    try last(&coder)
  }

  static let template = RefreshReport(refresh: .init(feed: .template, generation: 0), news: .stopped)
}

extension ActionForm {
  /// What refreshes report, and lists of feeds as they were read from OPML.
  static let podcastFacts: [ActionForm] =
    [
      RefreshReport.News.described(.template), .appeared([]), .changed([]), .listed(missing: [], returned: []),
      .moved(.template),
      .refreshed(.init(podcast: nil, validators: .init(), next: Timestamp(milliseconds: 0))),
      .failed(.template, next: Timestamp(milliseconds: 0)), .stopped,
    ].map {
      ActionForm(
        .refresh(RefreshReport(refresh: RefreshReport.template.refresh, news: $0)), naming: ["feed", "refresh"])
    } + [ActionForm(.intent(.podcasts(.import(.template))))]
}

extension RefreshReport.EpisodeChange: FormedPayload {
  static let template = Self(id: .template, content: .template, formerNames: .init())
  static let keys = templateKeys

  mutating func exchange<Coder: PayloadCoder>(with coder: inout Coder) throws(Coder.Fault) {
    try coder.required("episode", &content, .object)
    try coder.optional("formerGuids", &formerNames.guids, .formerGuids, omitting: [])
    try coder.optional("formerURLs", &formerNames.enclosures, .formerAddresses, omitting: [])
    try coder.required("id", &id, .episodeID)
  }
}

extension EpisodeContent: FormedPayload {
  static let template = Self()
  static let keys = templateKeys

  mutating func exchange<Coder: PayloadCoder>(with coder: inout Coder) throws(Coder.Fault) {
    try coder.optional("alternates", &alternates, .objects(atMost: Limits.alternates), omitting: [])
    try coder.optional("chapters", &chapters, .foreignAddress)
    try coder.optional("enclosure", &enclosure, .object)
    try coder.optional("guid", &guid, .guid)
    try coder.optional("image", &image, .foreignAddress)
    try coder.optional("link", &link, .foreignAddress)
    try coder.optional("notes", &notes, .notes)
    try coder.optional("number", &number, .text)
    try coder.optional("published", &published, .publicationDate)
    try coder.optional("season", &season, .anyInteger)
    try coder.optional("seconds", &seconds, .number)
    try coder.optional("title", &title, .text)
    try coder.optional("transcript", &transcript, .foreignAddress)
    try coder.optional("type", &kind, .choice)
  }
}

extension EpisodeContent.Enclosure: FormedPayload {
  static let template = Self(address: .template)
  static let keys = templateKeys

  mutating func exchange<Coder: PayloadCoder>(with coder: inout Coder) throws(Coder.Fault) {
    try coder.optional("length", &length, .number)
    try coder.optional("type", &mediaType, .text)
    try coder.required("url", &address, .foreignAddress)
  }
}

extension EpisodeContent.Alternate: FormedPayload {
  static let template = Self(addresses: [])
  static let keys = templateKeys

  mutating func exchange<Coder: PayloadCoder>(with coder: inout Coder) throws(Coder.Fault) {
    try coder.optional("integrity", &integrity, .integrity)
    try coder.optional("length", &length, .number)
    try coder.optional("same", &isEnclosure, .boolean, omitting: false)
    try coder.optional("title", &title, .text)
    try coder.optional("type", &mediaType, .text)
    try coder.required("urls", &addresses, .formerAddresses)
  }
}

extension PodcastContent: FormedPayload {
  static let template = Self()
  static let keys = templateKeys

  mutating func exchange<Coder: PayloadCoder>(with coder: inout Coder) throws(Coder.Fault) {
    try coder.optional("author", &author, .text)
    try coder.optional("description", &description, .text)
    try coder.optional("guid", &guid, .text)
    try coder.optional("image", &image, .shownURL)
    try coder.optional("language", &language, .text)
    try coder.optional("link", &link, .shownURL)
    try coder.optional("title", &title, .text)
  }
}

extension FeedRhythm: FormedPayload {
  static let template = Self(intervalSeconds: 0)
  static let keys = templateKeys

  mutating func exchange<Coder: PayloadCoder>(with coder: inout Coder) throws(Coder.Fault) {
    try coder.optional("quietDays", &quietDays, .quietTimes, omitting: [])
    try coder.optional("quietHours", &quietHours, .quietTimes, omitting: [])
    try coder.required("seconds", &intervalSeconds, .number)
  }
}

extension FeedValidators: FormedPayload {
  static let template = Self()
  static let keys = templateKeys

  mutating func exchange<Coder: PayloadCoder>(with coder: inout Coder) throws(Coder.Fault) {
    try coder.optional("bodyHash", &bodyHash, .text)
    try coder.optional("distrusted", &isDistrusted, .boolean, omitting: false)
    try coder.optional("entityTag", &entityTag, .text)
    try coder.optional("fullBodyAt", &fullBodyAt, .instant)
    try coder.optional("lastModified", &lastModified, .text)
    try coder.optional("notes", &hasNotes, .boolean, omitting: false)
  }
}
