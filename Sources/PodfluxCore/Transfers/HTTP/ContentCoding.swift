/// A content coding that the engine decodes as the body arrives (RFC 9110 section 8.4.1). It refuses others: it
/// requests identity, and few servers send a coding that the client did not accept.
package enum ContentCoding: String, Hashable, Sendable {
  /// RFC 1952, possibly with several members.
  case gzip
  /// RFC 1950, or raw RFC 1951, as some servers send it.
  case deflate
  /// RFC 7932, within a window of 16 MiB.
  case brotli

  /// The coding of that name, ignoring case; nil for identity, other codings, and several in a row.
  package init?(_ name: String) {
    switch name.lowercased() {
    case "gzip", "x-gzip": self = .gzip
    case "deflate": self = .deflate
    case "br": self = .brotli
    default: return nil
    }
  }
}

extension ResponseHead {
  /// What servers that are set up wrongly call a body that is not coded: names of charsets and of transfers, which curl
  /// and browsers ignore as they stand for no coding.
  private static let namesOfNone = ["", "identity", "none", "binary", "8bit", "utf-8", "aws-chunked"]

  /// Whether the body is coded, in a coding that the engine decodes or in another.
  package var isCoded: Bool { contentEncoding.map { !Self.namesOfNone.contains($0.lowercased()) } ?? false }

  /// The body's coding, if the engine can decode it.
  package var contentCoding: ContentCoding? {
    guard fields.count(where: { $0.isNamed("Content-Encoding") }) == 1 else { return nil }
    return contentEncoding.flatMap { ContentCoding($0) }
  }

  /// The fields that describe the coded file: its length, its parts, its tag. Without a tag the date would count as a
  /// strong validator, by the date of the response.
  private static let codedNames = ["Content-Encoding", "Content-Length", "Content-Range", "ETag", "Date"]

  /// This head as a description of the decoded file.
  var describingContent: ResponseHead {
    guard contentCoding != nil else { return self }
    var content = ResponseHead(
      status: status, httpVersion: httpVersion, effectiveURL: effectiveURL, redirects: redirects,
      permanentURL: permanentURL, lacksSession: lacksSession,
      fields: fields.filter { field in !Self.codedNames.contains(where: field.isNamed) })
    content.peer = peer
    return content
  }
}
