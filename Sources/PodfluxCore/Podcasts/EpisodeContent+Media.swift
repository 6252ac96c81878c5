extension EpisodeContent {
  /// The kind of the enclosure by the feed's media type, or else by its address.
  public var mediaKind: MediaKind {
    guard let enclosure else { return .other }
    switch enclosure.mediaType?.lowercased().prefix(6) {
    case "audio/": return .audio
    case "video/": return .video
    default: return MediaKind(ofURL: enclosure.address.description)
    }
  }
}
