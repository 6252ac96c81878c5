/// A media type as it was announced, without its parameters and in lower case (RFC 9110 section 8.3.1).
///
/// Anything can be announced: this says nothing of whether the type exists.
struct MediaType: Hashable {
  /// Such as `audio/mpeg`.
  let essence: String

  /// The type in the value of a `Content-Type` field.
  init(_ fieldValue: String) {
    let bytes = trimmingBlanks(fieldValue.utf8).prefix { !Self.ends.contains($0) }
    essence = String(Substring(bytes)).lowercased()
  }

  var isAudio: Bool { essence.hasPrefix("audio/") }

  var isVideo: Bool { essence.hasPrefix("video/") }

  /// Whether it is that of a page for people to look at.
  var isWebPage: Bool { essence == "text/html" || essence == "application/xhtml+xml" }

  /// What cannot be part of a type: parameters begin, or a second type that somebody has added.
  private static let ends = Set(";, \t".utf8)
}
