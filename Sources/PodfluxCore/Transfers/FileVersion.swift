import Flux

/// What tells one version of a file from another.
public struct FileVersion: Hashable, Sendable {
  /// Its strong entity tag.
  public var strongETag: String?
  /// Whether its server gives the same bytes another tag each time.
  public var rotatesTags = false
  /// Its Last-Modified header.
  public var lastModified: String?
  /// Whether that may stand in an `If-Range`.
  public var isDateStrong = false
  /// Its length in bytes.
  public var total: Int64?

  /// How long before its response a date must lie to be a strong validator, in milliseconds. RFC 9110 section 8.8.2.2
  /// wants a second between clocks that agree; a minute leaves room for those that do not.
  static let strongDateAge: Int64 = 60_000

  /// Nothing is known.
  init() {}

  /// The version that a record speaks of.
  init(_ record: ResumeRecord?) {
    strongETag = record?.strongETag
    rotatesTags = record?.rotatesTags ?? false
    lastModified = record?.lastModified
    isDateStrong = record?.isDateStrong ?? false
    total = record?.total
  }

  /// The version that the head of a whole file's response describes, which came at a moment.
  init(_ head: ResponseHead, at now: Timestamp) {
    strongETag = head.entityTag.flatMap { $0.isWeak ? nil : $0.fieldValue }
    lastModified = head.lastModified
    isDateStrong = Self.hasStrongDate(head, at: now)
    total = head.contentLength
  }

  /// RFC 9110 section 13.1.5: only where there is no entity tag, and the date is a strong validator.
  private static func hasStrongDate(_ head: ResponseHead, at now: Timestamp) -> Bool {
    guard head["ETag"] == nil, let modified = head.lastModified.flatMap({ Timestamp(httpDate: $0, now: now) }),
      let sent = head["Date"].flatMap({ Timestamp(httpDate: $0, now: now) })
    else { return false }
    return sent.milliseconds - modified.milliseconds >= strongDateAge
  }

  /// Whether what a head says of its file contradicts this. What either does not say contradicts nothing.
  func isContradicted(by head: ResponseHead) -> Bool {
    if let known = strongETag.flatMap(EntityTag.init), let current = head.entityTag, !current.isWeak,
      !current.namesSameBytes(as: known)
    {
      // Rotating tags say nothing; then the date must speak for the file.
      guard rotatesTags, lastModified != nil, head.lastModified != nil else { return true }
    }
    if let known = lastModified, let current = head.lastModified { return known != current }
    return false
  }

  /// Whether a head names this very version: by a strong entity tag that is the same.
  func isConfirmed(by head: ResponseHead) -> Bool {
    guard let known = strongETag.flatMap(EntityTag.init), let current = head.entityTag else { return false }
    return current.namesSameBytes(as: known)
  }
}
