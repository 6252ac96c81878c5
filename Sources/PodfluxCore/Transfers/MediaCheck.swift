/// Whether what a server sends may be the media that was asked for, and not the page of a captive portal, an error in JSON,
/// the cover instead of the episode, or the feed that the episode stands in.
///
/// What is refused is `not_media`, never published; it is tried again later, but for feeds: those stay what they are.
public enum MediaCheck {
  /// A whole body shorter than this, in bytes, must be of a known format.
  public static let smallestUnrecognized: Int64 = 512

  /// A prefix shorter than this, in bytes, is judged only if it is the whole body, or beyond doubt a web page or a feed.
  public static let shortestJudged = 64

  /// The extensions of text that a client may want.
  private static let textExtensions: Set<String> = [
    "txt", "vtt", "srt", "json", "xml", "lrc", "md", "csv",
  ]

  /// How much of a media type is repeated in a message, in bytes.
  private static let maxShownBytes = 100

  /// Why a body that was announced as `mediaType`, a `Content-Type` as sent, is refused before its first byte: web pages.
  /// nil for all else, which is judged by its bytes.
  public static func fault(announced mediaType: String?) -> DownloadError? {
    guard let mediaType, MediaType(mediaType).isWebPage else { return nil }
    return DownloadError(.notMedia, "the server announced a web page (\(shown(mediaType))) instead of media")
  }

  /// Why a body that begins with `prefix` cannot be what was asked for; nil if it may be, so far.
  ///
  /// Ask again with each longer prefix up to `MediaSignature.length` bytes, and once more at the end.
  ///
  /// - Parameters:
  ///   - prefix: the first bytes of the file, from its very start: those that came so far, or `MediaSignature.length`.
  ///   - length: of the whole body in bytes, if it is known; the prefix's own if it is not. Counts once complete.
  ///   - isComplete: whether the whole body is there.
  ///   - mediaType: `Content-Type` as sent. Nothing in it is believed.
  ///   - wantedExtension: what the client asked for, as `wantedExtension(path:url:)` finds it.
  public static func fault(
    prefix: some Collection<UInt8>, length: Int64?, isComplete: Bool, mediaType: String?, wantedExtension: String?
  ) -> DownloadError? {
    // A comment that begins a page begins a feed as well: one is a portal's, and passes, the other does not.
    guard isComplete || !MediaSignature.isUndecided(prefix) else { return nil }
    let signature = MediaSignature(prefix)
    let isBeyondDoubt = signature == .html || signature?.kind == .feed
    guard isComplete || isBeyondDoubt || prefix.count >= shortestJudged else { return nil }
    let announced = mediaType.map(MediaType.init)

    guard let signature else {
      let length = length ?? Int64(prefix.count)
      guard isComplete, length < smallestUnrecognized else { return nil }
      return refused("a tiny body of \(length) bytes that is no known media", mediaType)
    }

    let isWantedText =
      signature != .html && wantedExtension.map { textExtensions.contains($0.lowercased()) } ?? false
    let isAnnouncedAsMedia = announced.map { $0.isAudio || $0.isVideo } ?? false
    switch signature.kind {
    case .audio, .video: return nil
    case .page where isWantedText && !isAnnouncedAsMedia: return nil
    case .image, .document, .archive: return isAnnouncedAsMedia ? refused(signature.noun, mediaType) : nil
    case .page: return refused(signature.noun, mediaType)
    case .feed: return DownloadError(.notMedia, signature.advice, isLasting: true)
    }
  }

  /// What a published file that somebody has changed looks like.
  public enum Likeness: Hashable, Sendable {
    /// It is known audio or video, or else what its name says.
    case media
    /// It is not recognised, although its name says that it would be: a body is published like that, too.
    case unrecognized
    /// It is empty, or something else.
    case other
  }

  /// What a published file of this name looks like that somebody has changed.
  ///
  /// - Parameters:
  ///   - prefix: its first bytes: all, or `MediaSignature.length` of them.
  ///   - name: its name, with its extension.
  public static func likeness(prefix: some Collection<UInt8>, name: String) -> Likeness {
    guard !prefix.isEmpty else { return .other }
    let fileExtension = FileExtension.of(name: name)
    guard let signature = MediaSignature(prefix) else {
      return fileExtension.map(FileExtension.isKnown) ?? false ? .unrecognized : .media
    }
    let isMedia =
      switch signature.kind {
      case .audio, .video: true
      case .image, .document, .archive: fileExtension == signature.fileExtension
      case .feed: false
      case .page: signature != .html && fileExtension.map(textExtensions.contains) ?? false
      }
    return isMedia ? .media : .other
  }

  /// The extension of what a client wants, in lower case: that of the path it gave itself, else that in its URL's path.
  public static func wantedExtension(path: LibraryPath?, url: String) -> String? {
    let name = path?.name ?? RemoteName.lastPathComponent(ofURL: url)
    return name.flatMap(FileExtension.of(name:))
  }

  private static func refused(_ found: String, _ mediaType: String?) -> DownloadError {
    let announced = mediaType.map { "announced as \(shown($0))" } ?? "announced without a type"
    return DownloadError(.notMedia, "the server sent \(found), \(announced), instead of media")
  }

  /// A stranger's text, fit to be read by people: printable ASCII of a limited length.
  private static func shown(_ mediaType: String) -> String {
    let bytes = mediaType.utf8.prefix(maxShownBytes).map { (0x20...0x7E).contains($0) ? $0 : UInt8(ascii: "?") }
    return bytes.isEmpty ? "nothing" : String(decoding: bytes, as: UTF8.self)
  }
}

extension MediaSignature {
  /// What to call it in a sentence.
  fileprivate var noun: String {
    switch self {
    case .html: "a web page"
    case .rss: "a podcast's feed (RSS)"
    case .atom: "a podcast's feed (Atom)"
    case .opml: "a list of podcasts (OPML)"
    case .xml: "an XML document"
    case .json: "JSON"
    case .text: "plain text"
    case .pdf: "a PDF document"
    case .epub: "an EPUB book"
    case .zip: "a ZIP archive"
    case .gzip: "a gzip archive"
    case .jpeg: "a JPEG image"
    case .png: "a PNG image"
    case .gif: "a GIF image"
    case .webp: "a WebP image"
    case .heic: "a HEIF image"
    case .avif: "an AVIF image"
    default: kind == .audio ? "audio" : "video"
    }
  }

  /// Of a feed: what it is, and where the episodes are, in a sentence.
  fileprivate var advice: String {
    let place =
      switch self {
      case .atom: "it has them as <link rel=\"enclosure\" href=\"…\">"
      case .opml: "they stand in the feeds whose addresses it has as xmlUrl=\"…\""
      default: "it has them as <enclosure url=\"…\">"
      }
    return "the body is \(noun), not an episode: enqueue the addresses of episodes; \(place)"
  }
}
