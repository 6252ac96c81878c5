import Flux

/// Selects episodes, in the same form as `Condition` selects downloads (see the article Protocol). Rules have one too.
///
/// ```swift
/// let unheard = EpisodeCondition.all([.played(false), .seconds(atLeast: nil, atMost: 1800)])
/// for await episodes in podflux.episodes(.init(condition: unheard)) { print(episodes.count, "short ones to hear") }
/// ```
///
/// In a line of the protocol it is `{"maxSeconds": 1800, "played": false}`.
public indirect enum EpisodeCondition: Hashable, Sendable, Codable {
  /// Episodes that meet all of these; every episode if there are none.
  case all([EpisodeCondition])
  /// Episodes that meet any of these; none if there are none.
  case any([EpisodeCondition])
  case not(EpisodeCondition)
  case feeds([FeedID])
  /// With a file of one of these URLs, as `WebAddress.redacted` shows them.
  case urls([String])
  /// Of feeds with one of these shown titles.
  case podcasts([String])
  /// With a download in one of these states; the stored state counts, not what stands in its way.
  case states([DownloadState.Kind])
  case media([MediaKind])
  case played(Bool)
  case favorite(Bool)
  case archived(Bool)
  /// With a title that contains one of these texts, ignoring case and diacritics.
  case titleContains([String])
  /// Published after, before or between these times.
  case published(after: Timestamp?, before: Timestamp?)
  /// Published, or else added, within this many local days, today included.
  case newerThanDays(Int)
  /// Published, or else added, before this many local days, today included.
  case olderThanDays(Int)
  /// With a claimed length in this range of bytes; an unknown length is in no range.
  case bytes(atLeast: Int64?, atMost: Int64?)
  /// With a length in this range of seconds; an unknown length is in no range.
  case seconds(atLeast: Int64?, atMost: Int64?)
  case seasons([Int64])
  case kinds([EpisodeContent.Kind])

  public static let everything = EpisodeCondition.all([])
}
