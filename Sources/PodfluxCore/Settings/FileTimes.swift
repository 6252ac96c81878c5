import Flux

/// What a published file's time of modification says (the article Files).
///
/// Use: `settings.fileTimes`.
public enum FileTimes: String, Hashable, Sendable, Codable, CaseIterable {
  /// When the episode was published, where that is known and can be believed.
  case published
  /// When the file was downloaded.
  case downloaded

  /// How far in the future a date is believed, in days: a publisher's clock may be ahead. Files of the future trouble
  /// backups, `make` and `tar`.
  package static let daysAhead = 1

  /// The time that a file is to get; nil where it keeps that of its download: it is unknown when the episode was
  /// published, or it was before 1970, which many file systems cannot hold, or more than `daysAhead` after `now`.
  package func modification(published: PublicationDate?, now: Timestamp) -> Timestamp? {
    guard self == .published, let moment = published?.moment, moment >= Timestamp(milliseconds: 0),
      moment <= now.advanced(byDays: Self.daysAhead)
    else { return nil }
    return moment
  }
}
