/// A coding of a body that is undone while it arrives (RFC 9110 section 8.4.1). Others are refused: identity is asked for, and
/// hardly anybody sends one of these to who has not accepted it.
public enum ContentCoding: String, Hashable, Sendable {
  /// RFC 1952, perhaps in several members.
  case gzip
  /// RFC 1950, or RFC 1951 without its frame, as some servers send it.
  case deflate

  /// The coding of that name, in the letters in which servers write it; nil for identity, others, and several in a row.
  public init?(_ name: String) {
    switch name.lowercased() {
    case "gzip", "x-gzip": self = .gzip
    case "deflate": self = .deflate
    default: return nil
    }
  }
}

extension ResponseHead {
  /// How the body is coded, where that can be undone.
  public var contentCoding: ContentCoding? {
    guard fields.count(where: { $0.isNamed("Content-Encoding") }) == 1 else { return nil }
    return contentEncoding.flatMap { ContentCoding($0) }
  }

  /// The fields that speak of the coded file: its length, its parts, its tag. Without a tag the date would count as a strong
  /// validator, by the date of the response.
  private static let codedNames = ["Content-Encoding", "Content-Length", "Content-Range", "ETag", "Date"]

  /// What this head says of the file itself, once its coding is undone.
  var describingContent: ResponseHead {
    guard contentCoding != nil else { return self }
    return ResponseHead(
      status: status, httpVersion: httpVersion, effectiveURL: effectiveURL, redirects: redirects,
      fields: fields.filter { field in !Self.codedNames.contains(where: field.isNamed) })
  }
}
