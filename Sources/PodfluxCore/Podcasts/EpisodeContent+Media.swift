extension EpisodeContent {
  public var mediaKind: MediaKind { enclosure?.mediaKind ?? .other }
}

extension EpisodeContent.Enclosure {
  /// Its kind by the feed's media type, or else by its address.
  public var mediaKind: MediaKind {
    if let type = mediaType {
      if Self.isOf("audio/", type) { return .audio }
      if Self.isOf("video/", type) { return .video }
    }
    return MediaKind(ofURL: address.description)
  }

  /// Whether the feed says that it is a picture.
  package var isPicture: Bool { mediaType.map { Self.isOf("image/", $0) } ?? false }

  /// Whether a media type begins with another one, which is in lower case. Each new episode asks.
  private static func isOf(_ kind: StaticString, _ type: String) -> Bool {
    let type = type.utf8.span
    return kind.withUTF8Buffer { kind in
      guard type.count >= kind.count else { return false }
      for index in kind.indices where kind[index] != type[index] && kind[index] != type[index] | 0x20 { return false }
      return true
    }
  }
}
