/// Decides whether a server's response may be the requested media, and not a captive portal's page, an error in JSON,
/// the cover instead of the episode, or the feed of the episode.
///
/// A refused body is `not_media` and never published; the engine retries later, except for feeds, which do not change
/// into media.
package enum MediaCheck {
  /// A complete body shorter than this, in bytes, must have a known format.
  package static let smallestUnrecognized: Int64 = 512

  /// A prefix shorter than this, in bytes, is judged only if it is the whole body, or certainly a web page or a feed.
  package static let shortestJudged = 64

  /// The extensions of text that a client may request.
  private static let textExtensions: Set<String> = [
    "txt", "vtt", "srt", "json", "xml", "lrc", "md", "csv",
  ]

  /// How much of a media type appears in a message, in bytes.
  private static let maxShownBytes = 100

  /// Whether a body with this `Content-Type` seems to be a web page: PHP announces all that it sends as one, so its
  /// first bytes decide.
  package static func isAnnouncedAsPage(_ mediaType: String?) -> Bool {
    mediaType.map { MediaType($0).isWebPage } ?? false
  }

  /// Why a body that begins with `prefix` cannot be the requested file; nil if it may be so far.
  ///
  /// Call it again with each longer prefix up to `MediaSignature.length` bytes, and once more at the end.
  ///
  /// - Parameters:
  ///   - prefix: The first bytes of the file, from its start: those received so far, or `MediaSignature.length`.
  ///   - length: The length of the whole body in bytes, if known; otherwise the prefix's. Counts once complete.
  ///   - isComplete: Whether the whole body has been received.
  ///   - mediaType: `Content-Type` as sent, untrusted.
  ///   - wantedExtension: The extension that the client requested, from `wantedExtension(path:url:)`.
  package static func fault(
    prefix: some Collection<UInt8>, length: Int64?, isComplete: Bool, mediaType: String?, wantedExtension: String?
  ) -> DownloadError? {
    // Pages and feeds may both begin with a comment: a portal's page is transient, a feed is not.
    guard isComplete || !MediaSignature.isUndecided(prefix) else { return nil }
    let signature = MediaSignature(prefix)
    let isBeyondDoubt = signature == .html || signature?.kind == .feed
    guard isComplete || isBeyondDoubt || prefix.count >= shortestJudged else { return nil }
    let announced = mediaType.map(MediaType.init)

    let isAnnouncedAsPage = announced?.isWebPage ?? false
    guard let signature else {
      guard !isAnnouncedAsPage else { return refusedAsPage(mediaType) }
      let length = length ?? Int64(prefix.count)
      guard isComplete, length < smallestUnrecognized else { return nil }
      return refused("a tiny body of \(length) bytes that is no known media", mediaType)
    }

    let isWantedText =
      signature != .html && wantedExtension.map { textExtensions.contains($0.lowercased()) } ?? false
    let isAnnouncedAsMedia = announced.map { $0.isAudio || $0.isVideo } ?? false
    switch signature.kind {
    case .audio, .video: return nil
    case .feed: return DownloadError(.notMedia, signature.advice, outlook: .lasting)
    case _ where isAnnouncedAsPage: return refused(signature.noun, mediaType)
    case .page where isWantedText && !isAnnouncedAsMedia: return nil
    case .image, .document, .archive: return isAnnouncedAsMedia ? refused(signature.noun, mediaType) : nil
    case .page: return refused(signature.noun, mediaType)
    }
  }

  /// The apparent type of a published file after an edit.
  package enum Likeness: Hashable, Sendable {
    /// Known audio or video, or a format that fits its name.
    case media
    /// Unrecognized, although its name has a known extension: the engine publishes such bodies too.
    case unrecognized
    /// Empty, or another format.
    case other
  }

  /// The apparent type of a published file of this name after an edit.
  ///
  /// - Parameters:
  ///   - prefix: Its first bytes: all, or `MediaSignature.length` of them.
  ///   - name: Its name, with its extension.
  package static func likeness(prefix: some Collection<UInt8>, name: String) -> Likeness {
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

  /// The extension that a client requested, in lower case: of the path it named, else of its URL's path.
  package static func wantedExtension(path: LibraryPath?, url: String) -> String? {
    let name = path?.name ?? RemoteName.lastPathComponent(ofURL: url)
    return name.flatMap(FileExtension.of(name:))
  }

  private static func refused(_ found: String, _ mediaType: String?) -> DownloadError {
    let announced = mediaType.map { "announced as \(shown($0))" } ?? "announced without a type"
    return DownloadError(.notMedia, "the server sent \(found), \(announced), instead of media")
  }

  /// For what is announced as a web page, and by its bytes is nothing that is known.
  private static func refusedAsPage(_ mediaType: String?) -> DownloadError {
    let announced = mediaType.map(shown) ?? ""
    return DownloadError(.notMedia, "the server announced a web page (\(announced)) instead of media")
  }

  /// Untrusted text made fit for display: printable ASCII of limited length.
  private static func shown(_ mediaType: String) -> String {
    let bytes = mediaType.utf8.prefix(maxShownBytes).map { (0x20...0x7E).contains($0) ? $0 : UInt8(ascii: "?") }
    return bytes.isEmpty ? "nothing" : String(decoding: bytes, as: UTF8.self)
  }
}

extension MediaSignature {
  /// The noun for it in a sentence.
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

  /// For a feed: a sentence about what it is, and where the episodes are.
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
