import ArgumentParser
import PodfluxClient
import PodfluxCore
import PodfluxPeople
import WireProtocol

/// `podflux rules`: what a feed's episodes are downloaded and deleted by.
struct RulesCommand: EngineCommand {
  static let configuration = CommandConfiguration(
    commandName: "rules",
    abstract: "Shows a feed's rules, changes them and what else add has said of it, or says what a change would do.",
    discussion: """
      podflux rules "Night Trains"
      podflux rules "Night Trains" --newest 3 --keep 5
      podflux rules "Night Trains" --all --oldest-first --plan
      podflux rules "Night Trains" --name '{podcast}/{date} {title}' --group Travel
      podflux rules "Night Trains" --paused

      What an option names is changed, and the rest stays; an empty --title, --group, --name or --user-agent removes it. A \
      --header takes the place of all that were given before. --user and its like have the feed log in from now on. podflux \
      why says of an episode what the rules say of it, and podflux rename gives files that are here their new names. Rules \
      that delete more than 10 files are changed only after a question on a terminal, or with -y.
      """)

  /// How many decisions are asked for at once.
  private static let page = 1000

  var awaits: AwaitedRequests { .decisions }

  @OptionGroup var folder: LibraryOption
  @OptionGroup var engine: SocketOption
  @OptionGroup var console: ConsoleOptions
  @OptionGroup var options: RuleOptions
  @OptionGroup var subscription: FeedOptions
  @OptionGroup var session: SessionOptions

  @Argument(help: "The feed: its id, its URL, or a unique part of its title.", completion: .titles(of: .feeds))
  var feed: String

  @Flag(help: "No rules any more: what is here stays, and nothing comes by itself.")
  var none = false

  @Flag(help: "Refresh it only when it is asked for by name.")
  var paused = false

  @Flag(help: "Refresh it by its own rhythm again.")
  var unpaused = false

  @Flag(help: "Only say what would be downloaded and deleted, and why.")
  var plan = false

  func validate() throws {
    if plan, session.isGiven || changesSubscription {
      throw ValidationError("--plan is of rules; a login and what else a subscription has are changed at once")
    }
    if paused, unpaused { throw ValidationError("--paused or --unpaused, not both") }
    if none, !options.isEmpty { throw ValidationError("--none stands alone") }
  }

  /// Whether something is to be changed of the subscription, beside rules and login.
  private var changesSubscription: Bool {
    paused || unpaused || subscription.isOfLibrary || !subscription.ofRequests.isEmpty
  }

  /// The members of the feed's update.
  private func changes(
    of feed: FeedItem, in source: some SnapshotSource
  ) throws -> [(key: String, value: JSONValue)] {
    let pause: JSONValue? = paused || unpaused ? .boolean(paused) : nil
    return subscription.ofRequests + (try subscription.ofLibrary(feed, in: source)) + members(["paused": pause])
  }

  func run() throws {
    let login = Result { try session.members() }
    try withEngine { access, console in
      guard case .feed(let found) = try LibraryFinder(access.connection).find(feed, among: .feeds),
        let id = FeedID(found.id)
      else { throw MalformedLine("a feed without a valid id") }
      let login = try login.get()
      let rules = none ? FeedRules.none : try options.applied(to: found.rules)
      if plan { return try show(planOf: rules, for: id, with: access, on: console) }
      var expected = Expectation()
      var files: RemovedFiles?
      if none || !options.isEmpty {
        // Files that are back from a backup are known again before some of them are deleted.
        try access.awaitStartCleanup()
        var unwanted: Set<String> = []
        try walk(planOf: rules, for: id, with: access) { entry, decision in
          expected.count(decision)
          if decision == .delete { unwanted.insert(try entry.required("episode", JSONObject.string)) }
        }
        if !unwanted.isEmpty { files = try self.files(of: unwanted, in: id, with: access) }
        try ask(about: files?.count ?? 0, on: console)
      }
      if !login.isEmpty || changesSubscription {
        let changes = try changes(of: found, in: access.connection)
        let request = try Request("feeds/update", [(key: "id", value: id.description.json)] + login + changes)
        _ = try access.connection.ask(request).get()
      }
      if none || !options.isEmpty {
        var update = PodcastIntent.Update()
        update.rules = rules
        try access.order(.podcasts(.update(id, update)))
      }
      guard let feed = try access.connection.feeds([id]).first else { throw MalformedLine("no feed \(id)") }
      tell(feed, on: console)
      guard expected != Expectation() else { return }
      try access.awaitDecisions(about: expected.downloads + expected.deletions)
      let remaining = try files.map { try access.remaining(of: $0) } ?? (number: 0, left: [])
      expected.remaining = remaining.number
      console.note(expected.wordsAfterwards + (expected.downloads > 0 ? "; podflux sync waits for them" : ""))
      for file in remaining.left.prefix(RemovedFiles.namedFiles) { console.note(file.words) }
    }
  }

  /// The files that are to go.
  private func files(
    of episodes: Set<String>, in feed: FeedID, with access: EngineAccess
  ) throws -> RemovedFiles {
    var downloads: [DownloadID] = []
    try access.connection.forEachEpisode(.feeds([feed]), fields: [.id, .download]) { episode in
      if episodes.contains(episode.id), let id = episode.download.flatMap({ DownloadID($0) }) { downloads.append(id) }
      return true
    }
    return try RemovedFiles(of: downloads, with: access)
  }

  private func ask(about files: Int, on console: Console) throws {
    guard files > Console.unquestionedDeletions else { return }
    let what = "the files of \(count(files, "download"))"
    try console.confirm(
      "These rules delete \(what). Change them?", otherwise: "\(what) would be deleted, which --plan names")
  }

  private func tell(_ feed: FeedItem, on console: Console) {
    if console.options.json { return console.result(feed.json.rules) }
    let title = feed.title ?? feed.id
    guard feed.rules != .none else { return console.result("\(title): no rules") }
    for words in feed.rules.words { console.result("\(title): \(words)") }
  }

  // MARK: Plans

  private func show(
    planOf rules: FeedRules, for id: FeedID, with access: EngineAccess, on console: Console
  ) throws {
    var titles: [String: String] = [:]
    try access.connection.forEachEpisode(.feeds([id]), fields: [.id, .title]) { episode in
      titles[episode.id] = episode.title
      return true
    }
    var expected = Expectation()
    try walk(planOf: rules, for: id, with: access) { entry, decision in
      expected.count(decision)
      try show(entry, decision, titles, on: console)
    }
    console.note(expected.words)
  }

  /// Calls the body with each decision of a plan.
  private func walk(
    planOf rules: FeedRules, for id: FeedID, with access: EngineAccess,
    _ body: (JSONObject, Expectation.Decision) throws -> Void
  ) throws {
    var query = RulesQuery(feed: id, rules: rules, limit: Self.page)
    while true {
      let page = try access.connection.ask(.query(.planRules(query))).get()
      for decision in Expectation.Decision.allCases {
        for entry in try page.objects(decision.rawValue) { try body(entry, decision) }
      }
      guard let next = try page.string("next") else { return }
      guard let cursor = RulesCursor(text: next) else { throw MalformedLine("a cursor that is none") }
      query.after = cursor
    }
  }

  private func show(
    _ entry: JSONObject, _ decision: Expectation.Decision, _ titles: [String: String], on console: Console
  ) throws {
    if console.options.json {
      let members = entry.members + [JSONObject.Member(key: "decision", value: .string(decision.rawValue))]
      return console.result(JSONObject(members.sorted { $0.key < $1.key }))
    }
    let id = try entry.required("episode", JSONObject.string)
    let because = try entry.object("because")?.string("text") ?? ""
    console.result("\(decision.rawValue)  \(titles[id] ?? id): \(because)")
  }
}

/// How much a change of rules would do.
private struct Expectation: Equatable {
  /// A decision about an episode, as plans name it.
  enum Decision: String, CaseIterable {
    case download, delete
  }

  private(set) var downloads = 0
  private(set) var deletions = 0
  /// How many of the files to delete are still there.
  var remaining = 0

  mutating func count(_ decision: Decision) {
    switch decision {
    case .download: downloads += 1
    case .delete: deletions += 1
    }
  }

  var words: String { "\(downloads) to download, \(deletions) to delete" }

  var wordsAfterwards: String { "\(downloads) to download, \(deletions - remaining) deleted" }
}

extension JSONObject {
  /// The rules of a feed.
  fileprivate var rules: JSONObject {
    if case .object(let rules)? = self["rules"] { rules } else { JSONObject() }
  }
}
