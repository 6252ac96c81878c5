import Flux
import PodfluxCore

/// How far a server is believed that says that a feed has not changed.
///
/// Servers send the tag of one body with another, keep a tag while the feed changes, and answer 304 to tags that they
/// no longer have. An episode must not be hidden by that for ever, so a 304 is believed for a bounded time only; and
/// where the body that then comes is another one under the validators of the old, no further 304 is asked for.
package enum ConditionalPolicy {
  /// How long a server is believed that only says that nothing changed: seven days.
  package static let trustMilliseconds: Int64 = 7 * 86_400_000
  /// The same for a body that is to be read again, because the feed could not follow where it leads: a day.
  package static let readAgainMilliseconds: Int64 = 86_400_000
  /// The longest validator, in bytes; longer ones are not kept.
  package static let maximumBytes = 1024

  /// The headers of a conditional request.
  package struct Condition: Hashable, Sendable {
    /// `If-None-Match`.
    package var entityTag: String?
    /// `If-Modified-Since`.
    package var modifiedSince: String?
  }

  /// How a received body compares with the previous one.
  package enum Body: Hashable, Sendable {
    /// The body equals the previous one, byte for byte.
    case same
    /// The bytes differ, but podcast and episodes are the same: another build date, for example.
    case equivalent
    case changed
  }

  /// The condition of a request at a moment; nil if it asks for the whole.
  ///
  /// - Parameter isAsked: Whether a client wants the refresh: then a body that is to be read again is read at once.
  package static func condition(
    for validation: FeedValidators, at now: Timestamp, isAsked: Bool
  ) -> Condition? {
    guard !validation.isDistrusted, let since = validation.fullBodyAt else { return nil }
    guard !(validation.isToBeReadAgain && isAsked) else { return nil }
    let trust = validation.isToBeReadAgain ? readAgainMilliseconds : trustMilliseconds
    // A clock that was set back says nothing about the time since then.
    guard since <= now, now <= since.advanced(byMilliseconds: trust) else { return nil }
    let tag = validation.entityTag.flatMap { isEntityTag($0) ? $0 : nil }
    let date = validation.lastModified.flatMap { isDate($0) ? $0 : nil }
    return tag == nil && date == nil ? nil : Condition(entityTag: tag, modifiedSince: date)
  }

  /// The validators kept after a 304: the former ones. A new tag in the response belongs to a body that was not sent.
  package static func afterNotModified(_ validation: FeedValidators) -> FeedValidators { validation }

  /// The validators kept after a 200 with a complete body: those of the response.
  package static func afterBody(
    _ body: Body, hash: String, entityTag: String?, lastModified: String?, at now: Timestamp,
    before validation: FeedValidators
  ) -> FeedValidators {
    var next = FeedValidators(
      entityTag: entityTag.flatMap { isEntityTag($0) ? $0 : nil },
      lastModified: lastModified.flatMap { isDate($0) ? $0 : nil }, bodyHash: hash, fullBodyAt: now,
      isDistrusted: validation.isDistrusted)
    // A body that was to be read again may have the former bytes: `changed` then only says that more was understood.
    if body == .changed, !validation.isToBeReadAgain, next.hasValidators(of: validation) { next.isDistrusted = true }
    return next
  }

  /// Whether a text is an `entity-tag` (RFC 9110 section 8.8.3) of a reasonable length.
  static func isEntityTag(_ text: String) -> Bool {
    var bytes = Array(text.utf8)[...]
    guard bytes.count <= maximumBytes else { return false }
    if bytes.starts(with: "W/".utf8) { bytes = bytes.dropFirst(2) }
    guard bytes.count >= 2, bytes.first == UInt8(ascii: "\""), bytes.last == UInt8(ascii: "\"") else { return false }
    return bytes.dropFirst().dropLast().allSatisfy { $0 >= 0x21 && $0 != UInt8(ascii: "\"") && $0 != 0x7F }
  }

  /// Whether a text is an `HTTP-date` (RFC 9110 section 5.6.7).
  static func isDate(_ text: String) -> Bool {
    Timestamp(httpDate: text) != nil
  }
}

extension FeedValidators {
  /// Whether a server would answer 304 to the validators of another body: by the tag if there is one, else by the date
  /// (RFC 9110 section 13.2.2).
  fileprivate func hasValidators(of other: FeedValidators) -> Bool {
    if let entityTag { return Self.opaque(entityTag) == other.entityTag.map(Self.opaque) }
    return lastModified != nil && lastModified == other.lastModified && other.entityTag == nil
  }

  /// A tag as weak comparison sees it (RFC 9110 section 8.8.3.2).
  private static func opaque(_ tag: String) -> Substring {
    tag.hasPrefix("W/") ? tag.dropFirst(2) : tag[...]
  }
}
