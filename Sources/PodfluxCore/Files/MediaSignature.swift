/// The format of a file according to its first bytes.
///
/// It only describes formats: `MediaCheck` decides whether a download may have one.
package enum MediaSignature: String, Sendable, CaseIterable {
  /// MPEG audio frames of any layer.
  case mp3
  /// An ID3 tag (ID3v2.4.0 section 3.1) whose audio the prefix does not show: most likely MP3.
  case taggedAudio
  /// AAC in ADTS frames (ISO/IEC 13818-7 section 6.2).
  case aac
  /// MPEG-4 audio, by its brand.
  case m4a
  /// An MPEG-4 audio book, by its brand.
  case m4b
  /// MPEG-4 of a general brand: video, or audio alone.
  case mp4
  /// Apple's MPEG-4 video, by its brand.
  case m4v
  /// QuickTime, by its brand.
  case quickTime
  /// Ogg (RFC 3533) with Vorbis, FLAC, or an unknown codec.
  case ogg
  /// Ogg with Opus (RFC 7845).
  case opus
  /// Ogg with Theora.
  case theora
  /// FLAC (RFC 9639).
  case flac
  /// RIFF WAVE, or RF64.
  case wav
  /// RIFF AVI.
  case avi
  /// AIFF or AIFF-C.
  case aiff
  case webm
  /// Matroska (RFC 9559): video, or audio alone.
  case matroska
  case mpegProgramStream
  case mpegTransportStream
  /// Microsoft's ASF: video, or audio alone.
  case asf
  case pdf
  /// EPUB, by the first entry of its archive.
  case epub
  /// Any other ZIP archive.
  case zip
  /// gzip (RFC 1952).
  case gzip
  case jpeg
  case png
  case gif
  case webp
  /// HEIF, by its brand.
  case heic
  /// AVIF, by its brand.
  case avif
  /// HTML or XHTML.
  case html
  /// A feed: RSS of any version (RSS 2.0, RSS 1.0).
  case rss
  /// A feed: Atom (RFC 4287).
  case atom
  /// A list of feeds (OPML 2.0).
  case opml
  /// XML of any other kind.
  case xml
  /// Text that begins like JSON (RFC 8259).
  case json
  /// Text in ASCII or UTF-8.
  case text

  /// How many bytes at the start of a file count. With fewer, fewer formats are recognized.
  package static let length = 4096

  /// The format of a file that begins with `prefix`; nil if unknown. Ignores bytes beyond `length`.
  ///
  /// The bytes may be untrusted. Cost: linear in their number.
  package init?(_ prefix: some Collection<UInt8>) {
    let prefix = MediaPrefix(prefix.prefix(Self.length))
    // Several statements: the compiler needs seconds for so many `??` in one expression.
    let magic = Self.byMagic(prefix) ?? Self.ofISOMedia(prefix) ?? Self.ofOgg(prefix)
    let container = magic ?? Self.ofChunks(prefix) ?? Self.ofEBML(prefix) ?? Self.ofZIP(prefix)
    let audio = container ?? Self.ofID3(prefix) ?? Self.ofAudioFrames(prefix, at: 0)
    guard let found = audio ?? Self.ofTransportStream(prefix) ?? Self.ofText(prefix) else { return nil }
    self = found
  }
}

extension MediaSignature {
  /// Kinds of files.
  package enum Kind: Sendable, Hashable, CaseIterable {
    case audio
    /// Video. MPEG-4, Matroska and ASF count as video, although they may contain audio only.
    case video
    /// A picture.
    case image
    /// PDF and EPUB.
    case document
    /// An archive of files.
    case archive
    /// Text: HTML, XML, JSON or plain.
    case page
    /// A list of episodes or feeds: RSS, Atom, OPML.
    case feed
  }

  package var kind: Kind {
    switch self {
    case .mp3, .taggedAudio, .aac, .m4a, .m4b, .ogg, .opus, .flac, .wav, .aiff: .audio
    case .mp4, .m4v, .quickTime, .theora, .avi, .webm, .matroska, .mpegProgramStream, .mpegTransportStream, .asf: .video
    case .jpeg, .png, .gif, .webp, .heic, .avif: .image
    case .pdf, .epub: .document
    case .zip, .gzip: .archive
    case .html, .xml, .json, .text: .page
    case .rss, .atom, .opml: .feed
    }
  }

  /// The default extension of the format, without the dot.
  package var fileExtension: String {
    switch self {
    case .mp3, .taggedAudio: "mp3"
    case .quickTime: "mov"
    case .theora: "ogv"
    case .matroska: "mkv"
    case .mpegProgramStream: "mpg"
    case .mpegTransportStream: "ts"
    case .gzip: "gz"
    case .jpeg: "jpg"
    case .text: "txt"
    case .aac, .m4a, .m4b, .mp4, .m4v, .ogg, .opus, .flac, .wav, .avi, .aiff, .webm, .asf, .pdf, .epub, .zip, .png,
      .gif, .webp, .heic, .avif, .html, .rss, .atom, .opml, .xml, .json:
      rawValue
    }
  }

  /// The extension for a file of this format with a declared `mediaType` and extensions `hints` from its names: the
  /// most specific hint that fits the format, else the extension of the type, else `fileExtension`.
  func fileExtension(mediaType: MediaType?, hints: [String]) -> String {
    if let special = specialExtensions.first(where: hints.contains) { return special }
    switch self {
    case .mp4 where mediaType?.isAudio == true: return "m4a"
    case .matroska where mediaType?.isAudio == true: return "mka"
    case .asf where mediaType?.isAudio == true: return "wma"
    case .asf where mediaType?.isVideo == true: return "wmv"
    default: return fileExtension
    }
  }

  /// Extensions that are more specific than `fileExtension` and compatible with the format, the most specific first.
  private var specialExtensions: [String] {
    switch self {
    case .mp3: ["m2a", "mp2"]
    case .taggedAudio: ["flac", "aac", "m2a", "mp2"]
    case .m4a: ["m4b", "m4r", "m4p"]
    case .mp4: ["m4b", "m4r", "m4p", "m4a", "m4v", "3gp", "3g2"]
    case .ogg: ["oga", "spx"]
    case .aiff: ["aifc", "aif"]
    case .matroska: ["mka"]
    case .mpegTransportStream: ["mts"]
    case .asf: ["wma", "wmv"]
    case .zip: ["epub", "cbz"]
    case .xml: ["opml", "rss", "atom", "svg"]
    case .rss, .atom, .opml: ["xml"]
    case .text: ["vtt", "srt", "lrc", "md", "csv", "m3u8", "m3u", "pls", "opml", "rss", "json", "xml"]
    default: []
    }
  }
}
