/// A file of an origin: content, validators, and its handling of ranges and conditions.
package struct Resource: Sendable {
  /// The content.
  package var body: Body
  /// The `Content-Type`, or `nil` to send none.
  package var mediaType: String?
  /// The `ETag`, or `nil` to send none.
  package var entityTag: EntityTag?
  /// The `Last-Modified` date as on the wire, or `nil` to send none.
  package var lastModified: String?
  /// The handling of requests with a `Range`.
  package var ranges: RangePolicy
  /// Further header fields: `Content-Disposition`, `Cache-Control` and the like.
  package var headers: HeaderFields

  package init(
    _ body: Body,
    mediaType: String? = "audio/mpeg",
    entityTag: EntityTag? = nil,
    lastModified: String? = nil,
    ranges: RangePolicy = .honoured,
    headers: HeaderFields = [:]
  ) {
    self.body = body
    self.mediaType = mediaType
    self.entityTag = entityTag
    self.lastModified = lastModified
    self.ranges = ranges
    self.headers = headers
  }
}

/// An `ETag` (RFC 9110 §8.8.3).
package enum EntityTag: Sendable, Hashable {
  /// A strong tag, which changes with every byte: `"v1"`.
  case strong(String)
  /// A weak tag, which may stay after a small change: `W/"v1"`.
  case weak(String)

  /// The tag as on the wire.
  package var fieldValue: String {
    switch self {
    case .strong(let opaque): "\"\(opaque)\""
    case .weak(let opaque): "W/\"\(opaque)\""
    }
  }
}

/// An origin's handling of `Range` requests, correct or not.
package enum RangePolicy: Sendable, Hashable {
  /// According to RFC 9110 §14: 206, 416, and 200 if `If-Range` does not match or several ranges are requested.
  case honoured
  /// Always the whole content with 200, and no `Accept-Ranges`.
  case ignored
  /// 206 although `If-Range` names another version: provokes a splice.
  case honouredDespiteIfRange
  /// 206 that starts this many bytes later (earlier, if negative) than requested, with a matching `Content-Range`.
  case shifted(byBytes: Int)
  /// 206 with `multipart/byteranges`, even for a single range.
  case multipart
  /// 416 for every range.
  case refused
}
