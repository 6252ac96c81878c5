import Flux

/// The validators that distinguish one version of a file from another.
package struct FileVersion: Hashable, Sendable {
  package var strongETag: String?
  /// A hash of the entity tag, weak and malformed ones included: an equal hash proves nothing, a different one says
  /// that the file has changed.
  package var tagHash: Int64?
  /// Whether its server sends another tag for the same bytes each time.
  package var rotatesTags = false
  package var lastModified: String?
  /// Whether the date may be used in an `If-Range`.
  package var isDateStrong = false
  package var total: Int64?

  /// How long before its response a date must lie to be a strong validator, in milliseconds. RFC 9110 section 8.8.2.2
  /// requires a second between synchronized clocks; a minute allows for others.
  static let strongDateAge: Int64 = 60_000

  /// A version of which nothing is known.
  init() {}

  /// The version according to a resume record.
  init(_ record: ResumeRecord?) {
    strongETag = record?.strongETag
    tagHash = record.flatMap { $0.tagHash ?? $0.strongETag.flatMap(EntityTag.hash) }
    rotatesTags = record?.rotatesTags ?? false
    lastModified = record?.lastModified
    isDateStrong = record?.isDateStrong ?? false
    total = record?.total
  }

  /// The version according to the head of a whole file's response, received at a time.
  init(_ head: ResponseHead, at now: Timestamp) {
    strongETag = head.entityTag.flatMap { $0.isWeak ? nil : $0.fieldValue }
    tagHash = head["ETag"].flatMap(EntityTag.hash)
    lastModified = head.lastModified
    isDateStrong = Self.hasStrongDate(head, at: now)
    total = head.contentLength
  }

  /// RFC 9110 section 13.1.5: only without an entity tag, and if the date is a strong validator.
  private static func hasStrongDate(_ head: ResponseHead, at now: Timestamp) -> Bool {
    guard head["ETag"] == nil, let modified = head.lastModified.flatMap({ Timestamp(httpDate: $0, now: now) }),
      let sent = head["Date"].flatMap({ Timestamp(httpDate: $0, now: now) })
    else { return false }
    return sent.milliseconds - modified.milliseconds >= strongDateAge
  }

  /// Whether a head and this version have validators, but none of one kind, so that nothing confirms or contradicts: a
  /// server may send a tag with whole files and none with parts, or the other way round.
  func isIncomparable(with head: ResponseHead) -> Bool {
    let tag = head["ETag"].flatMap(EntityTag.hash)
    if tagHash != nil && tag != nil || lastModified != nil && head.lastModified != nil { return false }
    return tagHash != nil || tag != nil || lastModified != nil || head.lastModified != nil
  }

  /// Whether a head contradicts this version. A field that either lacks contradicts nothing.
  func isContradicted(by head: ResponseHead) -> Bool {
    if let known = tagHash, let current = head["ETag"].flatMap(EntityTag.hash), known != current {
      // Rotating tags prove nothing; then the date decides.
      guard rotatesTags, lastModified != nil, head.lastModified != nil else { return true }
    }
    if let known = lastModified, let current = head.lastModified { return known != current }
    return false
  }

  /// Whether a head confirms this version by an equal strong entity tag.
  func isConfirmed(by head: ResponseHead) -> Bool {
    guard let known = strongETag.flatMap(EntityTag.init), let current = head.entityTag else { return false }
    return current.namesSameBytes(as: known)
  }
}
