/// A file as an origin offers it: content, validators, and how it deals with ranges and conditions.
public struct Resource: Sendable {
  /// The content.
  public var body: Body
  /// The `Content-Type`, if one is sent.
  public var mediaType: String?
  /// The `ETag`, if one is sent.
  public var entityTag: EntityTag?
  /// The `Last-Modified` date as it stands on the wire, if one is sent.
  public var lastModified: String?
  /// How requests with a `Range` are answered.
  public var ranges: RangePolicy
  /// Further header fields: `Content-Disposition`, `Cache-Control` and the like.
  public var headers: HeaderFields

  /// A file with content, and whatever the origin tells about it.
  public init(
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
public enum EntityTag: Sendable, Hashable {
  /// Changes with every byte: `"v1"`.
  case strong(String)
  /// Stays when the content changes a little: `W/"v1"`.
  case weak(String)

  /// The tag as it stands on the wire.
  public var fieldValue: String {
    switch self {
    case .strong(let opaque): "\"\(opaque)\""
    case .weak(let opaque): "W/\"\(opaque)\""
    }
  }
}

/// How an origin deals with `Range` requests, rightly or wrongly.
public enum RangePolicy: Sendable, Hashable {
  /// By RFC 9110 §14: 206, 416, and 200 where `If-Range` does not match or several ranges are asked for.
  case honoured
  /// Always the whole content with 200, and no `Accept-Ranges`.
  case ignored
  /// 206 although `If-Range` names another version: a splice in the making.
  case honouredDespiteIfRange
  /// 206 that starts this many bytes later (earlier, if negative) than asked for, and says so in `Content-Range`.
  case shifted(byBytes: Int)
  /// 206 with `multipart/byteranges`, even for a single range.
  case multipart
  /// 416 for every range.
  case refused
}
