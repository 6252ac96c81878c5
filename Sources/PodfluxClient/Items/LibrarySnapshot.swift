import PodfluxCore
import WireProtocol

/// One moment of a library, as the reply to a `snapshot` query shows it.
package struct LibrarySnapshot: Sendable {
  package let json: JSONObject

  /// - Parameter payload: The reply's payload.
  package init(_ payload: JSONObject) {
    json = payload
  }

  /// Reads the line that `podflux snapshot` prints.
  package init(line: [UInt8]) throws(MalformedLine) {
    json = try EngineLine(line).okPayload
  }

  /// The page of downloads; empty if it was not asked for.
  package func downloads() throws(MalformedLine) -> ItemPage<DownloadItem> { try ItemPage(json.object("downloads")) }

  /// The page of feeds; empty if it was not asked for.
  package func feeds() throws(MalformedLine) -> ItemPage<FeedItem> { try ItemPage(json.object("feeds")) }

  /// The page of episodes; empty if it was not asked for.
  package func episodes() throws(MalformedLine) -> ItemPage<EpisodeItem> { try ItemPage(json.object("episodes")) }

  /// The sessions; empty if they were not asked for.
  package func sessions() throws(MalformedLine) -> [SessionItem] { try ItemPage(json.object("sessions")).items }

  /// How many downloads are in each state.
  package func counts() throws(MalformedLine) -> DownloadCounts { try DownloadCounts(json.object("downloads")) }
}

/// A page of a list, in the order of its query.
package struct ItemPage<Item: ListItem & Sendable>: Sendable {
  package let items: [Item]
  /// Where the next page begins; nil if this is the last.
  package let next: String?

  init(_ json: JSONObject?) throws(MalformedLine) {
    var items: [Item] = []
    for object in try json?.objects("items") ?? [] { items.append(try Item(object)) }
    self.items = items
    next = try json?.string("next")
  }
}

/// How many downloads are in each state, and how fast they come.
package struct DownloadCounts: Hashable, Sendable {
  private var numbers: [DownloadState.Kind: Int64] = [:]
  package var bytesPerSecond: Int64 = 0

  package init() {}

  init(_ json: JSONObject?) throws(MalformedLine) {
    guard let json else { return }
    let counts = try json.object("counts")
    for kind in DownloadState.Kind.allCases { numbers[kind] = try counts?.integer(kind.rawValue) }
    bytesPerSecond = try json.integer("bytesPerSecond") ?? 0
  }

  /// Whether all that moves waits.
  package var onlyWait: Bool { moving > 0 && moving == numbers[.waiting, default: 0] }

  package subscript(kind: DownloadState.Kind) -> Int64 { numbers[kind, default: 0] }

  /// How many go on by themselves, now or when what they wait for has come.
  package var moving: Int64 { self[.queued] + self[.waiting] + self[.running] }

  package var all: Int64 { DownloadState.Kind.allCases.reduce(0) { $0 + self[$1] } }
}
