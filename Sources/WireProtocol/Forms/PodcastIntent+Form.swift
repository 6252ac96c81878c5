import PodfluxCore

/// What clients want of feeds and episodes (the article Protocol).
extension PodcastIntent {
  func exchanged<Coder: PayloadCoder>(with coder: inout Coder) throws(Coder.Fault) -> Self {
    switch self {
    case .subscribe(var subscription):
      try subscription.exchange(with: &coder)
      return .subscribe(subscription)
    case .unsubscribe(var id, var deletingFiles):
      coder.type("feeds/unsubscribe", "Forgets a feed and its episodes; downloads stay unless told otherwise.")
      try coder.optional("deleteFiles", &deletingFiles, .boolean, standard: false)
      try coder.required("id", &id, .feedID)
      return .unsubscribe(id, deletingFiles: deletingFiles)
    case .update(var id, var update):
      try update.exchange(of: &id, with: &coder)
      return .update(id, update)
    case .refresh(var selection):
      coder.type("feeds/refresh", "Refreshes feeds now.")
      try selection.exchange(with: &coder)
      return .refresh(selection)
    case .importDocument(let document):
      var form = DocumentForm(document)
      try form.exchange(with: &coder)
      return .importDocument(form.document)
    case .import(var list):
      coder.type("feeds/imported", "The engine has read a list of feeds, and subscribes to those that are new.")
      try list.exchange(with: &coder)
      return .import(list)
    case .download(var selection):
      coder.type("episodes/download", "Adds a download for each episode that has a file and no download.")
      try selection.exchange(with: &coder)
      return .download(selection)
    case .mark(var selection, var marking):
      coder.type("episodes/mark", "Notes what a person thinks of episodes.")
      try coder.optional("archived", &marking.isArchived, .boolean)
      try coder.optional("favorite", &marking.isFavorite, .boolean)
      try selection.exchange(with: &coder) { coder throws(Coder.Fault) in
        try coder.optional("played", &marking.isPlayed, .boolean)
      }
      try coder.require(.any(of: ["played", "favorite", "archived"]))
      return .mark(selection, marking)
    }
  }
}

extension RequestForm {
  /// The lines about feeds and episodes, in the order in which refusals name them.
  static let podcasts: [RequestForm] = [
    Self(
      .podcasts(.subscribe(.template)),
      naming: [
        "url", "id", "title", "group", "headers", "userAgent", "network", "paused", "filenameTemplate", "rules",
        "session",
        "auth",
      ]),
    Self(.podcasts(.unsubscribe(.template, deletingFiles: false)), naming: ["id", "deleteFiles"]),
    Self(
      .podcasts(.update(.template, .init())),
      naming: [
        "id", "url", "title", "group", "headers", "userAgent", "network", "paused", "filenameTemplate", "rules",
        "session",
        "auth",
      ]),
    Self(.podcasts(.refresh(.all)), naming: ["id", "ids", "all"]),
    Self(.podcasts(.importDocument(.text(""))), naming: ["opml", "file"]),
    Self(asking: .exportFeeds(includingSecrets: false)),
    Self(asking: .preview(.init(address: .template)), naming: ["url", "headers", "userAgent", "rules"]),
    Self(asking: .planRules(.init(feed: .template, rules: .none)), naming: ["id", "rules", "limit", "after"]),
    Self(.podcasts(.download(.matching(.everything))), naming: ["id", "ids", "where"]),
    Self(
      .podcasts(.mark(.matching(.everything), .init())),
      naming: ["id", "ids", "where", "played", "favorite", "archived"]),
  ]
}

extension PodcastIntent.Subscription {
  static let template = Self(address: .template)

  fileprivate mutating func exchange<Coder: PayloadCoder>(with coder: inout Coder) throws(Coder.Fault) {
    coder.type("feeds/subscribe", "Subscribes to a feed.")
    var form = SessionForm(session)
    try form.exchangeLogin(with: &coder)
    try coder.optional("filenameTemplate", &wishes.filenameTemplate, .nameTemplate)
    try coder.optional("group", &wishes.group, .group)
    try coder.optional("headers", &wishes.headers, .headers, omitting: [])
    try coder.optional("id", &id, .feedID)
    try coder.optional("network", &wishes.network, .choice, omitting: .inherit)
    try coder.optional("paused", &wishes.isPaused, .boolean, omitting: false)
    try coder.optional("rules", &wishes.rules, .object, omitting: .none)
    try form.exchangeSession(with: &coder)
    session = form.choice
    try coder.optional("title", &wishes.title, .label)
    try coder.required("url", &address, .feedAddress)
    try coder.optional("userAgent", &wishes.userAgent, .userAgent)
  }
}

extension PodcastIntent.Update {
  fileprivate mutating func exchange<Coder: PayloadCoder>(
    of id: inout FeedID, with coder: inout Coder
  ) throws(Coder.Fault) {
    coder.type(
      "feeds/update", "Changes a subscription; an empty title, group, userAgent or filenameTemplate removes it.")
    var form = SessionForm(session)
    try form.exchangeLogin(with: &coder)
    try coder.optional("filenameTemplate", &filenameTemplate, .nameTemplate)
    try coder.optional("group", &group, .group)
    try coder.optional("headers", &headers, .headers)
    try coder.required("id", &id, .feedID)
    try coder.optional("network", &network, .choice)
    try coder.optional("paused", &isPaused, .boolean)
    try coder.optional("rules", &rules, .object)
    try form.exchangeSession(with: &coder)
    session = form.choice
    try coder.optional("title", &title, .label)
    try coder.optional("url", &address, .feedAddress)
    try coder.optional("userAgent", &userAgent, .userAgent)
    try coder.require(
      .any(of: [
        "url", "title", "group", "headers", "userAgent", "network", "paused", "filenameTemplate", "rules", "session",
        "auth",
      ]))
  }
}

extension PodcastIntent.FeedSelection {
  fileprivate mutating func exchange<Coder: PayloadCoder>(with coder: inout Coder) throws(Coder.Fault) {
    var (all, id, ids): (Bool?, FeedID?, [FeedID]?) =
      switch self {
      case .all: (true, nil, nil)
      case .one(let id): (nil, id, nil)
      case .many(let ids): (nil, nil, ids)
      }
    try coder.require(.one(of: ["id", "ids", "all"], choosing: "feeds"))
    try coder.optional("all", &all, .onlyTrue)
    try coder.optional("id", &id, .feedID)
    try coder.optional("ids", &ids, .feedIDs)
    self = id.map(Self.one) ?? ids.map(Self.many) ?? .all
  }
}

extension PodcastIntent.EpisodeSelection {
  /// - Parameter more: Exchanges members between `ids` and `where`.
  fileprivate mutating func exchange<Coder: PayloadCoder>(
    with coder: inout Coder, and more: (inout Coder) throws(Coder.Fault) -> Void = { _ in }
  ) throws(Coder.Fault) {
    var (id, ids, condition): (EpisodeID?, [EpisodeID]?, EpisodeCondition?) =
      switch self {
      case .one(let id): (id, nil, nil)
      case .many(let ids): (nil, ids, nil)
      case .matching(let condition): (nil, nil, condition)
      }
    try coder.require(.one(of: ["id", "ids", "where"], choosing: "episodes"))
    try coder.optional("id", &id, .episodeID)
    try coder.optional("ids", &ids, .episodeIDs)
    try more(&coder)
    try coder.optional("where", &condition, .episodeCondition)
    self = id.map(Self.one) ?? ids.map(Self.many) ?? .matching(condition ?? .everything)
  }
}

/// A document as two members say it.
private struct DocumentForm {
  private var opml: String?
  private var file: String?

  init(_ document: PodcastIntent.Document) {
    switch document {
    case .text(let text): opml = text
    case .file(let path): file = path
    }
  }

  mutating func exchange<Coder: PayloadCoder>(with coder: inout Coder) throws(Coder.Fault) {
    coder.type("feeds/import", "Subscribes to the feeds of an OPML document.")
    try coder.require(.one(of: ["opml", "file"], choosing: "feeds"))
    try coder.optional("file", &file, .text)
    try coder.optional("opml", &opml, .text)
  }

  var document: PodcastIntent.Document { file.map(PodcastIntent.Document.file) ?? .text(opml ?? "") }
}

extension PodcastIntent.FeedList {
  static let template = Self()

  fileprivate mutating func exchange<Coder: PayloadCoder>(with coder: inout Coder) throws(Coder.Fault) {
    try coder.required("feeds", &feeds, .objects(atMost: PodcastIntent.Limits.feeds))
    try coder.required("rejected", &rejected, .objects(atMost: PodcastIntent.Limits.feeds))
  }
}

extension PodcastIntent.FeedList.Entry: FormedPayload {
  static let template = Self(address: .template)
  static let keys = templateKeys

  mutating func exchange<Coder: PayloadCoder>(with coder: inout Coder) throws(Coder.Fault) {
    try coder.optional("group", &group, .group)
    try coder.optional("title", &title, .label)
    try coder.required("url", &address, .address)
  }
}

extension PodcastIntent.FeedList.Rejection: FormedPayload {
  static let template = Self(url: "", code: .invalidValue)
  static let keys = templateKeys

  mutating func exchange<Coder: PayloadCoder>(with coder: inout Coder) throws(Coder.Fault) {
    try coder.required("code", &code, .choice)
    try coder.required("url", &url, .text)
  }
}
