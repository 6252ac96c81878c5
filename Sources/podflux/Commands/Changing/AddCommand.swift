import ArgumentParser
import Flux
import Foundation
import PodfluxClient
import PodfluxCore
import PodfluxPeople
import Terminal
import WireProtocol

/// `podflux add`: subscribes to feeds.
struct AddCommand: EngineCommand {
  static let configuration = CommandConfiguration(
    commandName: "add",
    abstract: "Subscribes to feeds, after a look at what they have.",
    discussion: """
      podflux add https://example.org/night-trains
      podflux add https://example.org/night-trains --newest 5 --keep 10
      podflux add https://example.org/night-trains --all --oldest-first --dry-run
      podflux add https://example.org/night-trains --name '{podcast}/[S{season:2}E{number:2} ]{title}'
      podflux add https://example.org/members --user me

      A page that names its feed will do. Unless an option says otherwise the newest 3 episodes are downloaded, then each
      new one; podflux rules changes that later. With --none nothing is: podflux ls episodes lists what there is, and
      podflux get downloads some of it. A feed with a login is subscribed to without the look, and ends with 77 if the login
      is refused.
      """)

  var awaits: AwaitedRequests { .refreshes }

  static let afterInterruption = "podflux ls feeds shows what was added"

  @OptionGroup var folder: LibraryOption
  @OptionGroup var engine: SocketOption
  @OptionGroup var console: ConsoleOptions
  @OptionGroup var rules: RuleOptions

  @Argument(help: "The feed's URL, or that of a page which names it.")
  var feeds: [String]

  @OptionGroup var options: FeedOptions
  @OptionGroup var session: SessionOptions

  @Flag(help: "Download nothing by itself.")
  var none = false

  @Flag(help: "Only look at what it has.")
  var dryRun = false

  @Flag(help: "Do not wait until its episodes are known.")
  var noWait = false

  var missingLibrary: MissingLibrary { dryRun ? .replaced : .made }

  /// The addresses, without the schemes of links that subscribe.
  private var addresses: [String] { feeds.map { URLList.spelled(PodcastLink.address(in: $0)) } }

  func validate() throws {
    for feed in addresses { try URLList.check(feed, example: "https://example.org/feed") }
    if options.title != nil, feeds.count > 1 { throw ValidationError("--title is for one feed") }
    if session.isGiven, dryRun { throw ValidationError("--dry-run looks without a login") }
    if none, !rules.isEmpty { throw ValidationError("--none allows no other rule") }
  }

  func run() throws {
    guard !session.isGiven else { return try addPrivately() }
    // What is done stays done if another command's engine ends meanwhile, and the work begins again.
    var (done, added, failed, needsLogin): (Int, [FeedID], Bool, Bool) = (0, [], false, false)
    var isWrong = false
    try withEngine { access, console in
      for feed in addresses[done...] {
        do {
          let preview = try preview(feed, with: access)
          let subscription = dryRun ? nil : try subscribe(feed, preview, with: access)
          if let id = subscription?.id, subscription?.isNew == true { added.append(id) }
          try tell(preview, subscription, access, on: console)
        } catch let refusal as EngineRefusal where !refusal.isOfEnd {
          let hint =
            refusal.needsLogin ? ": podflux add --user NAME \(ShellCommand.quoted(feed.withoutCredentials))" : ""
          console.complain("\(feed.withoutCredentials): \(refusal.words)\(hint)")
          failed = true
          // The address may be that of a page's link or of a redirect: what was typed has been looked at before.
          isWrong = isWrong || refusal.concernsArguments && refusal.path != "payload.url"
          needsLogin = needsLogin || refusal.needsLogin
        }
        done += 1
      }
      if !noWait {
        for feed in try wait(for: added, with: access) {
          let hints = try CommandHints(of: access.connection)
          console.complain("\(feed.title ?? feed.id): \(hints.failureAndRepair(of: feed))")
          failed = true
          needsLogin = needsLogin || feed.error?.needsCredentials == true
        }
        try awaitDecisions(of: added, with: access)
      }
      if needsLogin { throw ExitCode.credentialsNeeded }
      if isWrong, added.isEmpty { throw ExitCode.wrongUsage }
      if failed { throw ExitCode.failure }
    }
  }

  /// What holds if nothing is said.
  private static let usual = FeedRules(autoDownload: .init(newest: 3))

  private var given: FeedRules { get throws { none ? .none : try rules.applied(to: Self.usual) } }

  private func request(
    _ type: String, _ url: String, more: [(key: String, value: JSONValue)] = []
  ) throws -> Request {
    try Request(
      type, members(["rules": .object(try given.json()), "url": url.json]) + options.ofRequests + more)
  }

  /// How often an engine that looks at as many feeds as it can is asked again, and for how long.
  private static let (busyMilliseconds, busyTries) = (200, 300)

  private func preview(_ feed: String, with access: EngineAccess) throws -> JSONObject {
    let request = try request("feeds/preview", feed)
    for _ in 0..<Self.busyTries {
      do {
        return try access.connection.ask(request).get()
      } catch let refusal as EngineRefusal where refusal.is(.limitExceeded) && refusal.path == nil {
        // Other commands look at feeds too.
        guard !access.signals.comes(withinMilliseconds: Self.busyMilliseconds) else { throw refusal }
      }
    }
    return try access.connection.ask(request).get()
  }

  // MARK: Private feeds

  /// Subscribes to feeds that nothing is known of without a login, and says what they turn out to have.
  private func addPrivately() throws {
    let login = Result { try session.members(hasAddress: true) }
    var (done, added): (Int, [FeedID]) = (0, [])
    try withEngine { access, console in
      var failures: [Failure] = []
      for feed in addresses[done...] {
        let (id, isNew) = try subscribe(privatelyTo: feed, login.get(), with: access)
        if isNew {
          added.append(id)
        } else {
          console.note(
            "\(feed.withoutCredentials) was subscribed to before: it has this login now, and podflux sync refreshes it")
        }
        done += 1
      }
      guard !noWait, !added.isEmpty else { return }
      _ = try wait(for: added, with: access)
      try awaitDecisions(of: added, with: access)
      var left = 0
      for feed in try access.connection.feeds(added) {
        try tell(feed, try CommandHints(of: access.connection), on: console)
        if let error = feed.error { failures.append(error) } else if feed.lastRefreshed == nil { left += 1 }
      }
      try GetCommand.end(with: failures, left: left, on: console)
    }
  }

  /// Gives a feed a login, subscribed to or not. One whose address has the token is known by what is shown of that.
  private func subscribe(
    privatelyTo feed: String, _ login: [(key: String, value: JSONValue)], with access: EngineAccess
  ) throws -> (id: FeedID, isNew: Bool) {
    func id(_ text: String) throws -> FeedID {
      guard let id = FeedID(text) else { throw MalformedLine("a feed without a valid id") }
      return id
    }
    let isKnownByURL = feed.isShownWhole || session.login.isInAddress
    var known = try access.connection.feeds().first { isKnownByURL && $0.url == feed.withoutCredentials }.map {
      try id($0.id)
    }
    if known == nil {
      let wishes = try options.ofLibrary(in: access.connection)
      let reply = try access.connection.ask(try request("feeds/subscribe", feed, more: wishes + login)).get()
      let subscribed = try id(try reply.required("id", JSONObject.string))
      if try reply.boolean("created") != false { return (subscribed, true) }
      known = subscribed
    }
    guard let known else { throw MalformedLine("a feed without an id") }
    let url = session.login.isInAddress ? feed.json : nil
    _ = try access.connection.ask(
      Request("feeds/update", members(["id": known.description.json, "url": url]) + login)
    ).get()
    return (known, false)
  }

  private func tell(_ feed: FeedItem, _ hints: CommandHints, on console: Console) throws {
    if console.options.json { return console.result(feed.json) }
    let name = feed.title ?? feed.id
    guard feed.error == nil else { return console.complain("\(name): \(hints.failureAndRepair(of: feed))") }
    guard feed.lastRefreshed != nil else {
      return console.complain(
        "\(name): it could not be read yet, for the network or its login is not there; podflux sessions shows the login, "
          + "and podflux sync tries again")
    }
    console.result("\(name): \(count(feed.episodes, "episode"))")
    for words in try given.words { console.result("  rule: \(words)") }
  }

  // MARK: Subscribing

  private struct Subscription {
    let id: FeedID
    let isNew: Bool
    /// Whether one that was there has the login of the address now.
    let hasNewLogin: Bool
    /// What its template makes of an invented episode.
    let example: String?
  }

  /// Where a page names the feed, or the server's redirects lead, the preview knows; but it shows no password and no
  /// token. What has one is subscribed to as it is: its first refresh follows pages and redirects too. The preview was
  /// let in with a login in the address.
  private func subscribe(
    _ feed: String, _ preview: JSONObject, with access: EngineAccess
  ) throws -> Subscription {
    let login = AddressLogin(in: feed)
    let url = try feed.isShownWhole ? preview.string("url") ?? feed : login?.url ?? feed
    let more = try options.ofLibrary(in: access.connection) + (login?.ofRequests ?? [])
    let reply = try access.connection.ask(request("feeds/subscribe", url, more: more)).get()
    guard let id = FeedID(try reply.required("id", JSONObject.string)) else {
      throw MalformedLine("a feed without a valid id")
    }
    let isNew = try reply.boolean("created") ?? false
    if !isNew, let login {
      let update = try Request("feeds/update", members(["id": id.description.json]) + login.ofRequests)
      _ = try access.connection.ask(update).get()
    }
    return Subscription(
      id: id, isNew: isNew, hasNewLogin: !isNew && login != nil, example: try reply.string("example"))
  }

  private func tell(
    _ preview: JSONObject, _ subscription: Subscription?, _ access: EngineAccess, on console: Console
  ) throws {
    if console.options.json {
      let own: [JSONObject.Member] =
        subscription.map {
          [
            .init(key: "created", value: .boolean($0.isNew)), .init(key: "id", value: .string($0.id.description)),
          ]
        } ?? []
      let members = (preview.members + own).sorted { $0.key < $1.key }
      return console.result(JSONObject(members))
    }
    let title = try options.title ?? preview.title
    let episodes = try preview.integer("episodes") ?? 0
    var parts = [count(episodes, "episode")]
    if let newest = try preview.moment("newest") { parts.append("the newest of \(console.clock.day(newest))") }
    if let bytes = try preview.integer("bytes"), bytes > 0 { parts.append("about \(ByteCount(bytes))") }
    console.result("\(title): \(parts.joined(separator: ", "))")
    if let subscription, !subscription.isNew {
      let selector = try CommandHints(of: access.connection).selector(title: title, id: subscription.id.description)
      let isPlain = rules.isEmpty && !none && options.ofRequests.isEmpty && !options.isOfLibrary
      let way = isPlain ? "" : "; podflux rules \(selector) changes it"
      let login = subscription.hasNewLogin ? " but for its login, which is that of the address now" : ""
      return console.note("  it was subscribed to before, and stays as it is\(login)\(way)")
    }
    // Before the subscription the address alone is sure to name the feed.
    let address = ShellCommand.quoted(try preview.string("url") ?? title)
    let selector = try subscription.map {
      try CommandHints(of: access.connection).selector(title: title, id: $0.id.description)
    }
    try tellRules(
      now: try preview.integer("wouldDownload") ?? 0, of: selector ?? address, episodes: episodes, on: console)
    if let example = subscription?.example { console.note("  a file's name, for example: \(example)") }
  }

  /// - Parameter feed: The feed as a shell's word.
  private func tellRules(now number: Int64, of feed: String, episodes: Int64, on console: Console) throws {
    let words = try given.words
    let download = try given.autoDownload
    let isOfAll = download?.condition == .everything
    let takesAll = isOfAll && download?.since == .all && download?.newest == nil
    for (place, words) in words.enumerated() {
      let command =
        dryRun ? "add \(feed) --all" : "rules \(feed) --all\(isOfAll ? "" : " --no-condition")"
      let all = place == 0 && number < episodes && !takesAll ? ".  All \(episodes): podflux \(command)" : ""
      console.result("  rule: \(words)\(all)")
    }
    if number > 0 { console.result("  \(number) to download" + (dryRun ? "" : "; podflux sync waits for them")) }
  }

  /// Waits until rules have decided about what the feeds have.
  private func awaitDecisions(of added: [FeedID], with access: EngineAccess) throws {
    guard !added.isEmpty, try given.autoDownload != nil else { return }
    try access.awaitDecisions(
      about: access.connection.feeds(added).reduce(0) { $0 + Int(clamping: $1.episodes) })
  }

  /// Waits until the episodes are known, so that the next command finds them. Returns the feeds that could not be read.
  private func wait(for ids: [FeedID], with access: EngineAccess) throws -> [FeedItem] {
    guard !ids.isEmpty else { return [] }
    // After the subscriptions: until it is refreshed, a new feed is due since it was subscribed to.
    let orderedAt = PersonalClock.ofProcess().now
    let feeds = try access.connection.feeds(ids)
    var follower = RefreshFollower(feeds.filter { $0.lastRefreshed == nil }, orderedAt: orderedAt)
    try access.follow(&follower, ids: ids)
    return follower.report.failed
  }
}

extension JSONObject {
  /// What a preview calls the feed: its title, or its address if it has none.
  fileprivate var title: String {
    get throws {
      let title = try string("title") ?? ""
      return try title.isEmpty ? string("url") ?? "" : title
    }
  }
}

extension String {
  /// Whether nothing of a URL is left out where it is shown.
  var isShownWhole: Bool { (try? WebAddress(self)).map { $0.redacted == $0.description } ?? true }
}
