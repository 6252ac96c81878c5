import Foundation
import PodfluxClient
import PodfluxCore
import PodfluxPeople
import Testing
import Texts
import WireProtocol

/// A library in memory, with as much of queries as selectors need.
struct FakeLibrary: SnapshotSource {
  var downloads: [String] = []
  var episodes: [String] = []
  var feeds: [String] = []
  var sessions: [String] = []
  /// Members of the snapshot: the network, and the settings.
  var others: [String] = []

  func snapshot(_ query: SnapshotQuery) throws -> LibrarySnapshot {
    var parts: [String] = []
    if query.stores.contains(.downloads) {
      let meeting = downloads.filter { Self.meets(query.downloads.condition, $0) }
      let isTitled = { (item: String) in item.contains("\"title\":\"") }
      // In the order of titles those without one come first.
      let isByTitle = query.downloads.order.key == .title
      let ordered = isByTitle ? meeting.filter { !isTitled($0) } + meeting.filter(isTitled) : meeting
      parts.append(try page(of: ordered, query.downloads))
    }
    if query.stores.contains(.episodes) {
      let first = query.episodes.after.map(\.key) ?? 0
      let behind = episodes.filter { Self.number(of: $0) > first && Self.meets(query.episodes.condition, $0) }
      parts.append(Self.list("episodes", Array(behind.prefix(query.episodes.limit))))
    }
    if query.stores.contains(.feeds) {
      let ids = query.feeds.ids.map { $0.map { "\"id\":\"\($0)\"" } }
      parts.append(Self.list("feeds", feeds.filter { feed in ids?.contains { feed.contains($0) } ?? true }))
    }
    if query.stores.contains(.sessions) { parts.append(Self.list("sessions", sessions)) }
    if query.stores.contains(.network) { parts += others }
    return LibrarySnapshot(try JSONObject(line: Array("{\(parts.joined(separator: ","))}".utf8)))
  }

  /// A page of downloads, each of which has its place in the list as the number of its row, from 1.
  private func page(of items: [String], _ query: DownloadsQuery) throws -> String {
    let rows = try (query.order.isReversed ? items.reversed() : items).map { item in
      (item: item, key: Int64(try #require(downloads.firstIndex(of: item)) + 1))
    }
    let behind = query.after.map { after in
      rows.filter { query.order.isReversed ? $0.key < after.key : $0.key > after.key }
    }
    let page = (behind ?? rows).prefix(query.limit)
    let isLast = page.count == (behind ?? rows).count
    // A cursor as the library has it, in the orders that look at the row alone.
    let next = isLast ? nil : page.last.map { (query.order.isReversed ? "A" : "a") + String($0.key, radix: 36) }
    return Self.list("downloads", page.map(\.item), next: next)
  }

  private static func list(_ name: String, _ items: [String], next: String? = nil) -> String {
    let cursor = next.map { "\"\($0)\"" } ?? "null"
    return "\"\(name)\":{\"items\":[\(items.joined(separator: ","))],\"next\":\(cursor)}"
  }

  private static func number(of episode: String) -> Int64 {
    let id = (try? JSONObject(line: Array(episode.utf8)))?["id"]
    guard case .string(let text)? = id else { return 0 }
    return EpisodeID(text)?.number ?? 0
  }

  private static func meets(_ condition: Condition, _ item: String) -> Bool {
    switch condition {
    case .all(let conditions): conditions.allSatisfy { meets($0, item) }
    case .ids(let ids): ids.contains { item.contains("\"id\":\"\($0)\"") }
    case .urls(let urls): urls.contains { item.contains("\"url\":\"\($0)\"") }
    case .titleContains(let texts): contains(texts, in: item)
    case .states(let kinds): kinds.contains { item.contains("\"state\":\"\($0.rawValue)\"") }
    default: true
    }
  }

  private static func meets(_ condition: EpisodeCondition, _ item: String) -> Bool {
    switch condition {
    case .urls(let urls): urls.contains { item.contains("\"url\":\"\($0)\"") }
    case .titleContains(let texts): contains(texts, in: item)
    default: true
    }
  }

  private static func contains(_ texts: [String], in item: String) -> Bool {
    guard case .string(let title)? = (try? JSONObject(line: Array(item.utf8)))?["title"] else { return false }
    return texts.contains { FoldedText.of(title).contains(FoldedText.of($0)) }
  }
}
