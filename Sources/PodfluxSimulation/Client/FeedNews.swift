import PodfluxCore

/// What a batch has made of downloads for its intents of feeds, in their order.
struct FeedNews {
  /// The download that each wanted episode has got, as it was made; nil if it was there before.
  private var wanted: [Download?] = []
  private var unwanted: [(feed: FeedID, downloads: [DownloadID])] = []
  /// The downloads that rules have deleted.
  private(set) var ruledOut: [DownloadID] = []

  /// None.
  init() {}

  init(_ notes: TransactionNotes) {
    guard !notes.feedWrites.isEmpty else { return }
    var made: [DownloadID: Download] = [:]
    for case .row(let row) in notes.writes where made[row.id] == nil { made[row.id] = row }
    ruledOut = InvariantChecker.deletedByRules(notes.feedWrites)
    for write in notes.feedWrites {
      switch write {
      case .download(let id, _): wanted.append(made[id])
      case .noFeed(let feed, let downloads): unwanted.append((feed.id, downloads))
      default: break
      }
    }
  }

  /// The rows that the next intent has made, which wanted so many downloads.
  mutating func takeWanted(_ number: Int) -> [Download] {
    defer { wanted.removeFirst(min(number, wanted.count)) }
    return wanted.prefix(number).compactMap(\.self)
  }

  /// The rows that no intent has made: rules have.
  var wantedByRules: [Download] { wanted.compactMap(\.self) }

  /// The downloads that have gone with a feed. What was wanted of it before, in the same batch, is not any more.
  mutating func takeUnwanted(of feed: FeedID) -> [DownloadID] {
    guard let index = unwanted.firstIndex(where: { $0.feed == feed }) else { return [] }
    let gone = unwanted.remove(at: index).downloads
    for (place, row) in wanted.enumerated() where row.map({ gone.contains($0.id) }) ?? false { wanted[place] = nil }
    return gone
  }
}
