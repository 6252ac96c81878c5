import ArgumentParser
import Foundation
import PodfluxClient
import PodfluxCore
import PodfluxEngine
import PodfluxPeople
import WireProtocol

/// `podflux import`: subscribes to the feeds of an OPML document.
struct ImportCommand: EngineCommand {
  static let configuration = CommandConfiguration(
    commandName: "import",
    abstract: "Subscribes to the feeds of an OPML document, as other programs export it.",
    discussion: """
      podflux import subscriptions.opml
      podflux import - --dry-run < subscriptions.opml
      """)

  /// The largest document, in bytes.
  private static let maximumBytes = 64 << 20
  /// The largest one that goes into a line; a larger one is divided.
  private static let maximumLineBytes = 512 << 10

  @OptionGroup var folder: LibraryOption
  @OptionGroup var engine: SocketOption
  @OptionGroup var console: ConsoleOptions

  @Argument(help: "The document; - for stdin.", completion: .file(extensions: ["opml", "xml"]))
  var document: String

  @Flag(help: "Print what would be added, and change nothing.")
  var dryRun = false

  var missingLibrary: MissingLibrary { .made }

  func run() throws {
    let console = Console(console)
    let bytes: Data
    do {
      bytes = try TextInput.bytes(document, atMost: Self.maximumBytes)
    } catch {
      console.complain("\(error)")
      throw ExitCode.failure
    }
    if dryRun { return try console.reporting { try show(bytes, on: console) } }
    try withEngine { access, console in
      try tell(try subscribe(to: bytes, with: access), of: bytes, on: console)
    }
  }

  /// Has the engine subscribe to the feeds of the document, in pieces that lines have room for. Returns what it says of
  /// all.
  private func subscribe(to bytes: Data, with access: EngineAccess) throws -> JSONObject {
    let list = try Self.feeds(of: bytes)
    let feeds = list.feeds.map { feed in
      (feed, login: feed.address.hasUser ? AddressLogin(in: feed.address.description) : nil)
    }
    let logins = Dictionary(grouping: feeds.compactMap(\.login), by: \.url)
    if logins.isEmpty, bytes.count <= Self.maximumLineBytes, let text = String(validating: bytes, as: UTF8.self) {
      return try access.order(.podcasts(.importDocument(.text(text))))
    }
    var (added, known): (Int64, Int64) = (0, 0)
    var others: [PodcastIntent.FeedList.Entry] = []
    let there = logins.isEmpty ? [] : Set(try access.connection.feeds().compactMap(\.url))
    for (feed, login) in feeds {
      // Where an address has several logins, each of them stays in its address.
      guard let login, logins[login.url]?.count == 1 else {
        others.append(feed)
        continue
      }
      // An existing subscription keeps its session.
      let isNew = try there.contains(feed.address.redacted) ? false : subscribe(to: feed, login, with: access)
      switch isNew {
      case true?: added += 1
      case false?: known += 1
      case nil: others.append(feed)
      }
    }
    for text in FeedListReader.documents(of: others, atMost: Self.maximumLineBytes) {
      let reply = try access.order(.podcasts(.importDocument(.text(text))))
      added += try reply.integer("added") ?? 0
      known += try reply.integer("known") ?? 0
    }
    let rejected = list.rejected.map {
      JSONValue.object(
        JSONObject([.init(key: "code", value: $0.code.rawValue.json), .init(key: "url", value: $0.url.json)]))
    }
    return JSONObject([
      .init(key: "added", value: .integer(added)), .init(key: "known", value: .integer(known)),
      .init(key: "rejected", value: .array(rejected)),
    ])
  }

  /// Subscribes to a feed with a login, as `podflux add` does. Returns whether it was not there, or nil if the engine
  /// refuses the login: there may be too many of them.
  private func subscribe(
    to feed: PodcastIntent.FeedList.Entry, _ login: AddressLogin, with access: EngineAccess
  ) throws -> Bool? {
    let wishes = members(["group": feed.group?.json, "title": feed.title?.json, "url": login.url.json])
    do {
      let request = try Request("feeds/subscribe", wishes + login.ofRequests)
      return try access.connection.ask(request).get().boolean("created") ?? true
    } catch let refusal as EngineRefusal where !refusal.isOfEnd {
      return nil
    }
  }

  private static func feeds(of bytes: Data) throws -> PodcastIntent.FeedList {
    do throws(Refusal) {
      return try FeedListReader.feeds(inOPML: Array(bytes))
    } catch {
      throw EngineRefusal(code: error.code.rawValue, message: error.message)
    }
  }

  private func tell(_ reply: JSONObject, of document: Data, on console: Console) throws {
    let rejected = try reply.objects("rejected").map { try $0.string("url") ?? "" }
    if console.options.json {
      console.result(reply)
    } else {
      let (added, known) = (try reply.integer("added") ?? 0, try reply.integer("known") ?? 0)
      console.note("\(added) added, \(known) known before" + (rejected.isEmpty ? "" : ", \(rejected.count) rejected"))
      if added > 0 {
        console.note(
          "none of their episodes is downloaded until a rule or podflux get asks for it: podflux sync reads the feeds, and "
            + "podflux rules FEED --newest 3 sets a rule")
      }
    }
    try complain(ofRejected: rejected, in: document, on: console)
  }

  private func complain(ofRejected urls: [String], in document: Data, on console: Console) throws {
    for url in urls {
      console.complain("\"\(url)\" is not taken: no feed can be there, or the list does not say that one is")
    }
    let isWhole = FeedListReader.isWhole(opml: Array(document))
    if !isWhole { console.complain("the document ends early: it may have had more feeds") }
    if !urls.isEmpty || !isWhole { throw ExitCode.failure }
  }

  /// Prints the feeds that are not subscribed to yet.
  private func show(_ bytes: Data, on console: Console) throws {
    let list = try Self.feeds(of: bytes)
    let known = try knownURLs()
    for feed in list.feeds where !known.contains(feed.address.redacted) {
      guard console.options.json else {
        console.result(feed.title.map { "\($0)  \(feed.address.redacted)" } ?? feed.address.redacted)
        continue
      }
      let members: [(String, JSONValue?)] = [
        ("group", feed.group?.json), ("title", feed.title?.json), ("url", feed.address.redacted.json),
      ]
      console.result(JSONObject(members.map { .init(key: $0, value: $1 ?? .null) }))
    }
    try complain(ofRejected: list.rejected.map(\.url), in: bytes, on: console)
  }

  /// A library that is not there yet knows none, also where its folder has other files already.
  private func knownURLs() throws -> Set<String> {
    let place = try folder.place(of: engine)
    guard FileManager.default.fileExists(atPath: place.library + "/.podflux") else { return [] }
    return Set(try LibraryFolder(place: place).feeds(fields: [.id, .url]).compactMap(\.url))
  }
}
