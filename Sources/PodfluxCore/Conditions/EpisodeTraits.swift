import Flux

/// The properties of an episode by which it is counted, apart from texts and exact numbers. Each has few values, so
/// that a million episodes have few combinations in each feed.
package struct EpisodeTraits: Hashable, Sendable {
  /// The stored state of its download; nil if none exists.
  package var state: DownloadState.Kind?
  package var media: MediaKind
  /// Of the length that the feed claims.
  package var size: SizeClass
  package var age: AgeClass
  package var isPlayed: Bool
  package var isFavorite: Bool

  package init(
    state: DownloadState.Kind?, media: MediaKind, size: SizeClass, age: AgeClass, isPlayed: Bool, isFavorite: Bool
  ) {
    self.state = state
    self.media = media
    self.size = size
    self.age = age
    self.isPlayed = isPlayed
    self.isFavorite = isFavorite
  }

  /// The traits of a new episode, which has neither a download nor marks.
  package init(of content: borrowing EpisodeContent, added: Timestamp, on today: LocalDay) {
    self.init(
      state: nil, media: content.mediaKind, size: SizeClass(bytes: content.enclosure?.length),
      age: AgeClass(days: today.age(of: content.published?.moment ?? added)), isPlayed: false, isFavorite: false)
  }
}
