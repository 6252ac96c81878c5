/// What a list can be sorted by. Its raw value is the word of the protocol.
///
/// ```swift
/// func words<Key: ListOrderKey>(for _: Key.Type) -> [String] { Key.allCases.map(\.rawValue) }
/// print(words(for: EpisodeOrderKey.self))
/// ```
public protocol ListOrderKey: RawRepresentable<String>, CaseIterable, Hashable, Sendable {}

/// The order of a list. Among equals the one comes first that was added first, or last if it is reversed.
///
/// ```swift
/// let latestFirst = ListOrder(EpisodeOrderKey.published, isReversed: true)
/// for await episodes in podflux.episodes(.init(order: latestFirst)) { print(episodes.items.first?.episode.id as Any) }
/// ```
public struct ListOrder<Key: ListOrderKey>: Hashable, Sendable {
  /// What decides.
  public var key: Key
  /// Whether the last comes first.
  public var isReversed: Bool

  public init(_ key: Key, isReversed: Bool = false) {
    self.key = key
    self.isReversed = isReversed
  }
}

/// What downloads can be sorted by.
///
/// Use: `DownloadsQuery().order.key`, which is `.added` by default.
public enum DownloadOrderKey: String, ListOrderKey {
  /// When it was added.
  case added
  /// When it was published; those without a date come first.
  case published
  /// The title, without regard to case and diacritics; without one, first.
  case title
  /// The length in bytes; an unknown one comes first.
  case size
  /// The state, as clients see it, in the order in which the article Protocol names them.
  case state
  /// Priority, then position: the order in which they are started.
  case position
}

/// The order of a list of downloads.
///
/// Use: `DownloadOrder(.size, isReversed: true)`, the largest first.
public typealias DownloadOrder = ListOrder<DownloadOrderKey>

extension DownloadOrder {
  /// The order of adding.
  public init(isReversed: Bool = false) {
    self.init(.added, isReversed: isReversed)
  }
}
