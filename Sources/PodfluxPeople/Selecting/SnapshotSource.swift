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
  package func forEachDownload(
    _ condition: Condition = .everything, order: DownloadOrder = .init(), fields: Set<ItemField>? = nil,
    _ body: (DownloadItem) throws -> Bool
  ) throws {
    var query = DownloadsQuery(
      condition: condition, isUnfiltered: true, order: order, limit: PageRequest.maximumLimit, fields: fields)
    repeat {
      let page = try snapshot(SnapshotQuery(stores: [.downloads], downloads: query)).downloads()
      for item in page.items { guard try body(item) else { return } }
      query.after = page.next.flatMap { OrderCursor(text: $0) }
    } while query.after != nil
  }

  /// Calls the body with the episodes that meet a condition, page by page, until it returns false.
  package func forEachEpisode(
    _ condition: EpisodeCondition = .everything, order: EpisodeOrder = .init(.published, isReversed: true),
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

  /// The downloads of a feed's episodes, which may be in one of some states; in any if none is named.
  ///
  /// Its title would name those of another feed with the same title too, and not what was downloaded under an earlier one.
  package func downloads(of feed: FeedID, in states: [DownloadState.Kind] = []) throws -> Set<DownloadID> {
    let parts = [EpisodeCondition.feeds([feed])] + (states.isEmpty ? [] : [.states(states)])
    var ids: Set<DownloadID> = []
    try forEachEpisode(.all(parts), fields: [.id, .download]) { episode in
      if let id = episode.download.flatMap({ DownloadID($0) }) { ids.insert(id) }
      return true
    }
    return ids
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

  /// The title of each feed.
  package func feedTitles() throws -> [String: String] {
    Dictionary(try feeds(fields: [.id, .title]).map { ($0.id, $0.title ?? $0.id) }) { first, _ in first }
  }
}

/// An engine answers queries too. No other request may be outstanding.
extension ClientConnection: SnapshotSource {
  package func snapshot(_ query: SnapshotQuery) throws -> LibrarySnapshot {
    LibrarySnapshot(try ask(.query(.snapshot(query))).get())
  }
}
