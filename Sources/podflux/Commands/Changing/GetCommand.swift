import ArgumentParser
import Foundation
import PodfluxClient
import PodfluxCore
import PodfluxPeople
import WireProtocol

/// `podflux get`: downloads files.
struct GetCommand: EngineCommand {
  static let configuration = CommandConfiguration(
    commandName: "get",
    abstract: "Downloads URLs, or episodes of subscribed feeds, and prints where the files are.",
    discussion: """
      podflux get https://example.org/1.mp3 --podcast "Night Trains" --title "Vienna to Hamburg"
      podflux get "A Night at the Border"
      podflux get -i list.txt

      stdout has the path of each file as it is complete, and nothing else. A file that is here already is not fetched again.
      The URL of an episode means the episode, with its name, unless an option says what is to be fetched, or how it is called.
      It ends with 75 if what is left waits for room, or for an attempt more than five minutes away: podflux sync goes on.
      """)

  static let startCleanup = StartCleanup.awaited
  var awaits: AwaitedRequests { .all }

  @OptionGroup var folder: LibraryOption
  @OptionGroup var engine: SocketOption
  @OptionGroup var console: ConsoleOptions

  @Argument(
    help: "A URL, or an episode: its id, or a unique part of its title.",
    completion: .titles(of: [.episodes, .downloads]))
  var targets: [String] = []

  @Option(name: [.customShort("i"), .long], help: "A file with a URL in each line; - for stdin.", completion: .file())
  var input: String?

  @Option(help: "The podcast, which is the folder.")
  var podcast: String?

  @Option(help: "The title, of one URL.")
  var title: String?

  @Option(help: "When it was published, of one URL: 2026-03-27, or a moment of RFC 3339.")
  var published: String?

  @Option(help: "Where the file is to be, relative to the library; of one URL.")
  var path: String?

  @Option(name: .customLong("sha256"), help: "The file's SHA-256 in hexadecimal digits, of one URL.")
  var digest: String?

  @Option(help: "Another URL of the same file; can be repeated. Of one URL.")
  var mirror: [String] = []

  @Option(help: "A header such as 'Name: value' for the URL's own origin; can be repeated.")
  var header: [HeaderOption] = []

  @OptionGroup var session: SessionOptions

  @Flag(help: "Queue it, and do not wait; ends with 75 if something is left to do.")
  var noWait = false

  /// Episodes are those of a library that is there.
  var missingLibrary: MissingLibrary {
    input != nil || targets.contains(where: Self.isURL) ? .made : .refused
  }

  func validate() throws {
    guard !targets.isEmpty || input != nil else { throw ValidationError("name a URL or an episode, or a file with -i") }
    for url in targets where Self.isURL(url) { try URLList.check(url, example: "https://example.org/1.mp3") }
    if session.isGiven, !targets.allSatisfy(Self.isURL) {
      throw ValidationError("a login is for URLs; an episode has that of its feed, which podflux rules changes")
    }
    let isOne = targets.count == 1 && input == nil
    let ofOne: [Any?] = [title, published, path, digest, mirror.isEmpty ? nil : mirror]
    guard isOne || ofOne.allSatisfy({ $0 == nil }) else {
      throw ValidationError("--title, --published, --path, --sha256 and --mirror are for one URL")
    }
  }

  func run() throws {
    let list = try input.map(URLList.read)
    let login = Result { try session.members(hasAddress: true) }
    try withEngine { access, console in
      access.fetchesSidecars = !noWait
      let login = try login.get()
      let urls = targets.filter(Self.isURL).map(URLList.spelled) + (list ?? [])
      // A name that means nothing, or several things, is refused before anything is downloaded.
      let named = try targets.filter { !Self.isURL($0) }.map { selector in
        try LibraryFinder(access.connection).find(selector, among: [.episodes, .downloads])
      }
      var episodes = try isPlain && login.isEmpty ? episodes(of: urls, at: access.connection) : [:]
      var (ids, known) = try enqueue(urls.filter { episodes[$0] == nil }, login, over: access.connection)
      for found in named + urls.compactMap({ episodes.removeValue(forKey: $0) }).map(Selected.episode) {
        let (id, wasKnown) = try download(found, with: access)
        ids.append(id)
        if wasKnown { known.append(id) }
      }
      try noticeMissingFiles(of: known, with: access)
      if !known.isEmpty, !optionsOfNew.isEmpty {
        let verb = optionsOfNew.count == 1 ? "changes" : "change"
        console.note("\(optionsOfNew.listed) \(verb) nothing: what is known already keeps its name")
      }
      try wait(for: ids, known: known, with: access, on: console)
    }
  }

  /// Whether nothing is said of what URLs have.
  private var isPlain: Bool { optionsOfNew.isEmpty && digest == nil && header.isEmpty }

  /// The options that only a new download takes, of those that are given.
  private var optionsOfNew: [String] {
    let given: [(name: String, isGiven: Bool)] = [
      ("--podcast", podcast != nil), ("--title", title != nil), ("--published", published != nil),
      ("--path", path != nil), ("--mirror", !mirror.isEmpty),
    ]
    return given.filter(\.isGiven).map(\.name)
  }

  /// Whether a target is a URL: a text with a scheme is no title.
  private static func isURL(_ target: String) -> Bool { target.contains("://") }

  // MARK: Requests

  private func request(for url: String, _ login: [(key: String, value: JSONValue)]) throws -> Request {
    try Request(
      "downloads/enqueue",
      members([
        "headers": header.member, "integrity": try digest.map(Self.integrity),
        "mirrors": mirror.isEmpty ? nil : .array(mirror.map(\.json)), "path": path?.json, "podcast": podcast?.json,
        "published": published.map { ($0.contains("T") ? $0 : $0 + "T00:00:00Z").json }, "title": title?.json,
        "url": url.json,
      ]) + login)
  }

  /// Subresource Integrity has base64 where people have hexadecimal digits.
  private static func integrity(_ digest: String) throws -> JSONValue {
    let digits = Array(digest.utf8)
    let bytes = stride(from: 0, to: digits.count - 1, by: 2).compactMap { place in
      UInt8(String(decoding: digits[place..<place + 2], as: UTF8.self), radix: 16)
    }
    guard digits.count == 64, bytes.count == 32 else {
      throw EngineRefusal(code: "invalid_value", message: "--sha256 takes 64 hexadecimal digits")
    }
    return .string("sha256-" + Data(bytes).base64EncodedString())
  }

  /// All requests are on their way before the first answer is awaited. Returns the ids, and those that were known
  /// before.
  private func enqueue(
    _ urls: [String], _ login: [(key: String, value: JSONValue)], over connection: ClientConnection
  ) throws -> (ids: [String], known: [String]) {
    // A failed download is retried instead of being enqueued a second time, unless the command names another path or
    // content.
    let failed = isPlain || !login.isEmpty ? try failedDownloads(of: urls, at: connection) : [:]
    func failedID(_ url: String) -> String? {
      // What is left out of the URL where that is shown is the login, or tells it from other URLs.
      url.isShownWhole || session.login.isInAddress ? failed[url.withoutCredentials] : nil
    }
    let again = urls.compactMap { url in failedID(url).map { (id: $0, url: url) } }
    if !login.isEmpty { try renewLogin(of: again, login, over: connection) }
    let urls = urls.filter { failedID($0) == nil }
    let requests = try urls.map { try request(for: $0, login) }
    for request in requests { connection.send(request) }
    var (ids, known): ([String], [(id: String, url: String)]) = ([], [])
    var refusal: EngineRefusal?
    for url in urls {
      switch try connection.nextAnswer().outcome {
      case .success(let payload):
        let id = try payload.required("id", JSONObject.string)
        ids.append(id)
        if try payload.boolean("created") == false { known.append((id, url)) }
      case .failure(let error): refusal = refusal ?? error
      }
    }
    if let refusal { throw refusal }
    if !login.isEmpty { try renewLogin(of: known, login, over: connection) }
    return (again.map(\.id) + ids, known.map(\.id))
  }

  /// How many bytes of URLs a query names: they fit into a line. The fewer queries, the better: each looks at all rows.
  private static let urlBytesAtOnce = 256 << 10

  /// The failed downloads of the URLs, by their URLs as they are shown.
  private func failedDownloads(of urls: [String], at connection: ClientConnection) throws -> [String: String] {
    var failed: [String: String] = [:]
    for some in urls.map(\.withoutCredentials).inParts(of: Condition.Limits.values, bytes: Self.urlBytesAtOnce) {
      try connection.forEachDownload(.all([.states([.failed]), .urls(some)]), fields: [.id, .url]) { item in
        if let url = item.url { failed[url] = item.id }
        return true
      }
    }
    return failed
  }

  /// The episodes of subscribed feeds whose enclosures URLs are, by those: a file that is an episode has its name, and
  /// its feed's login. A URL of several episodes means none of them.
  private func episodes(of urls: [String], at connection: ClientConnection) throws -> [String: EpisodeItem] {
    var found: [String: [EpisodeItem]] = [:]
    for some in urls.filter(\.isShownWhole).inParts(of: Condition.Limits.values, bytes: Self.urlBytesAtOnce) {
      try connection.forEachEpisode(.urls(some)) { episode in
        if let url = episode.url { found[url, default: []].append(episode) }
        return true
      }
    }
    return found.filter { $0.value.count == 1 }.mapValues { $0[0] }
  }

  /// Gives downloads that were known before the login that is said now. Those that are here need none.
  private func renewLogin(
    of known: [(id: String, url: String)], _ login: [(key: String, value: JSONValue)],
    over connection: ClientConnection
  ) throws {
    for (id, url) in known {
      let url = session.login.isInAddress ? url.json : nil
      let answer = try connection.ask(Request("downloads/update", members(["id": id.json, "url": url]) + login))
      guard case .failure(let refusal) = answer, refusal.code != Refusal.Code.illegalTransition.rawValue else {
        continue
      }
      throw refusal
    }
  }

  /// Has an episode downloaded. Returns its download's id, and whether there was one before.
  private func download(
    _ found: Selected, with access: EngineAccess
  ) throws -> (id: String, wasKnown: Bool) {
    guard case .episode(let episode) = found else {
      if case .download(let download) = found { try claim(download, with: access) }
      return (found.id, true)
    }
    guard let id = EpisodeID(episode.id) else { throw MalformedLine("an episode without a valid id") }
    try access.order(.podcasts(.download(.one(id))))
    guard case .episode(let now) = try LibraryFinder(access.connection).find(episode.id, among: .episodes),
      let download = now.download
    else {
      throw EngineRefusal(
        code: "not_found", message: "the feed of \"\(found.title)\" names no file for it that can be fetched")
    }
    return (download, episode.download != nil)
  }

  /// What a rule has asked for is the person's from now on, so that no rule deletes it: its episode is asked for once
  /// more.
  private func claim(_ download: DownloadItem, with access: EngineAccess) throws {
    guard download.origin == .auto, let episode = try LibraryFinder(access.connection).episode(having: download),
      let id = EpisodeID(episode.id)
    else { return }
    try access.order(.podcasts(.download(.one(id))))
  }

  /// Has the engine look at downloads whose files are not there: a person may have moved or deleted them since it last
  /// did. They are followed, or they fail by that, and go on like all that has failed.
  private func noticeMissingFiles(of ids: [String], with access: EngineAccess) throws {
    guard !ids.isEmpty else { return }
    var missing: [DownloadID] = []
    try access.connection.forEachDownload(
      of: ids.compactMap { DownloadID($0) }, fields: [.id, .path, .state]
    ) { item in
      if item.state == .completed, let path = item.path, access.isGone(path), let id = DownloadID(item.id) {
        missing.append(id)
      }
      return true
    }
    let gone = Set(missing.map(\.description))
    if !missing.isEmpty { _ = try access.followMovedFiles(gone.contains) }
    if !missing.isEmpty { _ = try access.verify(missing) { _ in } }
  }

  // MARK: Waiting

  private func wait(
    for ids: [String], known: [String], with access: EngineAccess, on console: Console
  ) throws {
    try goOn(with: ids, access)
    var follower = DownloadFollower(following: ids)
    var isOther = false
    func receive(_ settled: DownloadFollower.Settled) {
      // The engine compares what it fetches, and what it has fetched before was not asked for with this digest.
      if let digest, known.contains(settled.id), let fault = KnownFile(settled, access.library)?.fault(digest) {
        isOther = true
        return console.complain("\(settled.name): \(fault)")
      }
      tell(settled, access, console)
    }
    if noWait {
      for settled in try follower.look(at: access.connection) { receive(settled) }
      guard follower.isOver else { throw ExitCode.later }
    } else {
      var view = ProgressView(console)
      try access.follow(&follower, on: &view, onSettled: receive)
    }
    if isOther { throw ExitCode.failure }
    try Self.end(with: follower.failures, left: follower.left, on: console)
    if follower.stuck > 0 { throw ExitCode.later }
  }

  /// A person who asks for something that is paused or has failed wants it to go on.
  private func goOn(with ids: [String], _ access: EngineAccess) throws {
    try EngineAccess.inPieces(ids.compactMap(DownloadID.init)) { try access.order(.downloads(.resume($0))) }
  }

  private func tell(_ settled: DownloadFollower.Settled, _ access: EngineAccess, _ console: Console) {
    switch settled.outcome {
    case .done(let path, let bytes):
      guard !console.options.json else {
        let members: [(String, JSONValue)] = [
          ("bytes", .integer(bytes)), ("id", .string(settled.id)), ("path", .string("\(access.library)/\(path)")),
        ]
        return console.result(JSONObject(members.map(JSONObject.Member.init)))
      }
      console.result(path: "\(access.library)/\(path)")
    case .failed(let failure):
      // A table and lines of progress have told it.
      if console.mode.progress == .none { console.complain("\(settled.name): \(failure.words)") }
    case .left(let words): console.note("\(settled.name) was \(words)")
    case .waits(let words): console.complain("\(settled.name): \(words)")
    }
  }

  /// The exit status of a command that has waited for downloads.
  static func end(with failures: [Failure], left: Int, on console: Console) throws {
    if failures.contains(where: \.needsCredentials) { throw ExitCode.credentialsNeeded }
    if !failures.isEmpty || left > 0 { throw ExitCode.failure }
  }
}
