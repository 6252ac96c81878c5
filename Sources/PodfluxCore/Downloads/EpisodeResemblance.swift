import Flux

/// How much a download of an episode's address resembles the episode, the least first.
///
/// The address alone does not make a download an episode's: some publishers call all of their files `latest.mp3`, or
/// name another episode's file for a day. The dates decide where both are known, else the titles. A download that has
/// no date and no title, which a client has named by its address alone, may be any episode's.
package enum EpisodeResemblance: CaseIterable, Sendable {
  /// The download has only its address: the URL is all that can be compared.
  case address
  /// The download has the episode's title, and one of the two has no date.
  case title
  /// The download has the episode's date, and another title or none.
  case date
  case titleAndDate

  /// Compares a download with what the episode's download would be; nil if it is another episode's.
  package init?(title: String?, published: Timestamp?, to description: Download.Description) {
    let hasTitle: Bool? = if let title, let other = description.title { title == other } else { nil }
    let hasDate: Bool? = if let published, let other = description.published { published == other.moment } else { nil }
    switch (hasDate, hasTitle) {
    case (true, true): self = .titleAndDate
    case (true, _): self = .date
    case (nil, true): self = .title
    case (nil, nil): self = .address
    case (nil, false), (false, _): return nil
    }
  }
}
