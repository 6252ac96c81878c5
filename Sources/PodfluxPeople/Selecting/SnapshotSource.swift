import Flux
import PodfluxClient
import PodfluxCore
import WireProtocol

/// What answers queries: an engine, or a library that is read without one.
package protocol SnapshotSource {
  func snapshot(_ query: SnapshotQuery) throws -> LibrarySnapshot
}

extension SnapshotSource {
  /// Calls the body with the downloads that meet a condition, page by page, until it returns false.
  ///
  /// - Parameter cursor: Where in the order to begin; nil for its beginning.
  package func forEachDownload(
    _ condition: Condition = .everything, order: DownloadOrder = .init(), after cursor: OrderCursor? = nil,
    fields: Set<ItemField>? = nil, _ body: (DownloadItem) throws -> Bool
  ) throws {
    var query = DownloadsQuery(
      condition: condition, isUnfiltered: true, order: order, limit: PageRequest.maximumLimit, after: cursor,
      fields: fields)
    repeat {
      let page = try snapshot(SnapshotQuery(stores: [.downloads], downloads: query)).downloads()
      for item in page.items { guard try body(item) else { return } }
      query.after = page.next.flatMap { OrderCursor(text: $0) }
    } while query.after != nil
  }

  /// Calls the body with the episodes that meet a condition, page by page, until it returns false.
  package func forEachEpisode(
    _ condition: EpisodeCondition = .everything, order: EpisodeOrder = .init(.added),
    fields: Set<EpisodeField>? = nil, _ body: (EpisodeItem) throws -> Bool
  ) throws {
    var query = EpisodesQuery(
      condition: condition, isUnfiltered: true, order: order, limit: PageRequest.maximumLimit, fields: fields)
    repeat {
      let page = try snapshot(SnapshotQuery(stores: [.episodes], episodes: query)).episodes()
      for item in page.items { guard try body(item) else { return } }
      query.after = page.next.flatMap { EpisodeCursor(text: $0) }
    } while query.after != nil
  }

  /// Calls the body with those of the named downloads that are there, each once, until it returns false.
  ///
  /// - Parameter condition: What they meet besides.
  package func forEachDownload(
    of ids: [DownloadID], meeting condition: Condition = .everything, fields: Set<ItemField>? = nil,
    _ body: (DownloadItem) throws -> Bool
  ) throws {
    var (goesOn, known) = (true, Set<DownloadID>())
    let ids = ids.filter { known.insert($0).inserted }
    for some in ids.inParts(of: Condition.Limits.values) where goesOn {
      try forEachDownload(
        .all([.ids(some), condition]), order: .init(.added, isReversed: true), fields: fields
      ) { item in
        goesOn = try body(item)
        return goesOn
      }
    }
  }

  /// Calls the body with the downloads that are chosen, the newest first, until it returns false.
  ///
  /// - Parameter condition: What they meet besides.
  package func forEachDownload(
    of chosen: DownloadIntent.Selection, meeting condition: Condition = .everything, fields: Set<ItemField>? = nil,
    _ body: (DownloadItem) throws -> Bool
  ) throws {
    switch chosen {
    case .one(let id): try forEachDownload(of: [id], meeting: condition, fields: fields, body)
    case .many(let ids): try forEachDownload(of: ids, meeting: condition, fields: fields, body)
    case .matching(let own):
      try forEachDownload(
        .all([own, condition]), order: .init(.added, isReversed: true), fields: fields, body)
    }
  }

  /// The downloads that are chosen, the newest first.
  package func downloads(of chosen: DownloadIntent.Selection) throws -> [DownloadItem] {
    var items: [DownloadItem] = []
    try forEachDownload(of: chosen) { item in
      items.append(item)
      return true
    }
    return items
  }

  /// The downloads that meet a condition, the newest first.
  package func downloads(meeting condition: Condition) throws -> [DownloadItem] {
    try downloads(of: .matching(condition))
  }

  /// The existing ones among the named downloads.
  package func downloads(_ ids: [DownloadID]) throws -> [DownloadItem] { try downloads(of: .many(ids)) }

  /// The settings as the engine shows them. Costs one snapshot.
  package func settings() throws -> JSONObject {
    try snapshot(SnapshotQuery(stores: [.settings])).json.required("settings", JSONObject.object)
  }

  /// All feeds, or those of these ids, of which there may be a thousand.
  package func feeds(
    _ ids: [FeedID]? = nil, sortedBy order: FeedOrder = .init(.title), fields: Set<FeedField>? = nil
  ) throws -> [FeedItem] {
    var query = FeedsQuery(ids: ids, order: order, limit: PageRequest.maximumLimit, fields: fields)
    var feeds: [FeedItem] = []
    repeat {
      let page = try snapshot(SnapshotQuery(stores: [.feeds], feeds: query)).feeds()
      feeds += page.items
      query.after = page.next.flatMap { FeedCursor(text: $0) }
    } while query.after != nil
    return feeds
  }

  /// The feeds' titles by their ids; the id stands for a missing title. Costs a snapshot for each page of feeds.
  package func feedTitles() throws -> [String: String] {
    Dictionary(try feeds(fields: [.id, .title]).map { ($0.id, $0.title ?? $0.id) }) { first, _ in first }
  }
}

extension Array {
  /// The elements in their order, in parts of this many; the last one may have fewer.
  package func inParts(of size: Int) -> [[Element]] {
    stride(from: 0, to: count, by: size).map { Array(self[$0...].prefix(size)) }
  }
}

extension [String] {
  /// The texts in parts of at most so many, and of at most so many bytes where that is more than one text.
  package func inParts(of size: Int, bytes limit: Int) -> [[String]] {
    var parts: [[String]] = []
    var bytes = 0
    for text in self {
      bytes += text.utf8.count
      if let last = parts.indices.last, parts[last].count < size, bytes <= limit {
        parts[last].append(text)
      } else {
        parts.append([text])
        bytes = text.utf8.count
      }
    }
    return parts
  }
}

/// An engine answers queries too. No other request may be outstanding.
extension ClientConnection: SnapshotSource {
  package func snapshot(_ query: SnapshotQuery) throws -> LibrarySnapshot {
    LibrarySnapshot(try ask(.query(.snapshot(query))).get())
  }
}
