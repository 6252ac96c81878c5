/// A declared media type, without its parameters and in lower case (RFC 9110 section 8.3.1).
///
/// It may be any text: the type need not exist.
struct MediaType: Hashable {
  /// For example `audio/mpeg`.
  let essence: String

  /// The type in the value of a `Content-Type` field.
  init(_ fieldValue: String) {
    let bytes = trimmingBlanks(fieldValue.utf8).prefix { !Self.ends.contains($0) }
    essence = String(Substring(bytes)).lowercased()
  }

  var isAudio: Bool { essence.hasPrefix("audio/") }

  var isVideo: Bool { essence.hasPrefix("video/") }

  /// Whether it is the type of a web page.
  var isWebPage: Bool { essence == "text/html" || essence == "application/xhtml+xml" }

  /// Characters that end a type: parameters, or a second type.
  private static let ends = Set(";, \t".utf8)
}
