/// The extension of a downloaded file's name, without its dot and in lower case.
package enum FileExtension {
  /// The extension of a file of unknown type.
  package static let unknown = "bin"
  /// The longest extension that is taken from a suggested name or URL.
  package static let maximumLength = 5

  /// The extension for a download: from its first bytes, else from its media type, else from the suggested name
  /// (Content-Disposition), else from the path of its URL, else `unknown`. At most `maximumLength` ASCII letters and
  /// digits.
  ///
  /// Type and names refine an ambiguous signature: MPEG-4 of a general brand is an audio book if its name says so.
  package static func forDownload(
    mediaType: String?, suggestedName: String?, url: String, signature: MediaSignature? = nil
  ) -> String {
    let hints = [
      mediaType.flatMap(of(mediaType:)), suggestedName.flatMap(of(name:)),
      RemoteName.lastPathComponent(ofURL: url).flatMap(of(name:)),
    ].compactMap(\.self)
    return signature?.fileExtension(mediaType: mediaType.map(MediaType.init), hints: hints) ?? hints.first ?? unknown
  }

  /// The extension for a media type, whose parameters are ignored (RFC 9110 section 8.3.1), or nil for generic types
  /// such as `application/octet-stream`.
  package static func of(mediaType: String) -> String? {
    let essence = mediaType.prefix { $0 != ";" }.filter { !$0.isWhitespace }
    return byMediaType[essence.lowercased()]
  }

  /// A file's name without its media extension, if it has one.
  package static func stem(of name: String) -> String {
    guard let found = of(name: name), isKnown(found) else { return name }
    return String(name.unicodeScalars.dropLast(found.utf8.count + 1))
  }

  /// The extension of a file's name: 1 to 5 letters and digits, not digits alone, after a non-empty name; nil
  /// otherwise.
  package static func of(name: String) -> String? {
    guard let dot = name.utf8.lastIndex(of: UInt8(ascii: ".")), dot != name.startIndex else { return nil }
    let candidate = name[dot...].unicodeScalars.dropFirst()
    guard (1...maximumLength).contains(candidate.count),
      candidate.allSatisfy({ $0.isASCIILetter || ("0"..."9").contains($0) }),
      candidate.contains(where: { $0.isASCIILetter })
    else { return nil }
    return String(candidate).lowercased()
  }

  /// Whether this is an extension, in lower case, of media that podcasts deliver.
  package static func isKnown(_ fileExtension: String) -> Bool {
    known.contains(fileExtension)
  }

  private static let known = Set(byMediaType.values).union([
    "m2a", "mp2", "m4p", "m4r", "mpg", "mka", "3gp", "wma", "wmv", "asf", "avi", "oga", "aif", "aifc",
  ])

  private static let byMediaType: [String: String] = [
    "audio/mpeg": "mp3", "audio/mp3": "mp3", "audio/mpeg3": "mp3", "audio/x-mp3": "mp3", "audio/x-mpeg": "mp3",
    "audio/mpg": "mp3",
    "audio/mp4": "m4a", "audio/m4a": "m4a", "audio/x-m4a": "m4a", "audio/mp4a-latm": "m4a",
    "audio/x-m4b": "m4b", "audio/m4b": "m4b",
    "audio/aac": "aac", "audio/aacp": "aac", "audio/x-aac": "aac",
    "audio/ogg": "ogg", "audio/vorbis": "ogg", "application/ogg": "ogg", "audio/opus": "opus",
    "audio/flac": "flac", "audio/x-flac": "flac",
    "audio/wav": "wav", "audio/wave": "wav", "audio/x-wav": "wav", "audio/vnd.wave": "wav",
    "audio/aiff": "aiff", "audio/x-aiff": "aiff", "audio/webm": "webm", "audio/x-matroska": "mka",
    "video/mp4": "mp4", "video/x-m4v": "m4v", "video/m4v": "m4v", "video/quicktime": "mov", "video/mpeg": "mpg",
    "video/webm": "webm", "video/ogg": "ogv", "video/x-matroska": "mkv",
    "application/pdf": "pdf", "application/x-pdf": "pdf", "application/epub+zip": "epub", "application/zip": "zip",
    "image/jpeg": "jpg", "image/png": "png", "image/webp": "webp", "image/gif": "gif",
  ]
}

extension Unicode.Scalar {
  fileprivate var isASCIILetter: Bool {
    ("a"..."z").contains(self) || ("A"..."Z").contains(self)
  }
}
