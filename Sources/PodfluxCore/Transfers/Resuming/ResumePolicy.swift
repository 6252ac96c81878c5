/// Decides whether and how to resume from kept bytes (see the article Resuming). Pure: no state, no I/O.
///
/// One way is always safe: request the whole file, and compare it with the kept bytes while it streams. The engine
/// discards nothing before a byte differs, and a break before that costs only time. So every mismatch (another
/// validator, another length, an unrequested part) leads there.
package enum ResumePolicy {
  /// How many bytes of the partial file to trust, before any request.
  package enum Trust: Hashable, Sendable {
    /// Keep this many bytes, and truncate the rest.
    case keep(Int64)
    /// The file does not match its record.
    case discard(RestartCause)
  }

  /// Compares the partial file with its record.
  ///
  /// During the boot in which the record was written, the page cache has survived every crash of the engine, which only
  /// appends to the file or truncates it: the whole file counts. After another boot only the durable bytes do.
  package static func trust(
    in record: ResumeRecord?, partialLength: Int64, tailHash: String?, bootID: String
  ) -> Trust {
    guard let record else { return .keep(0) }
    guard partialLength >= record.durable else { return .discard(.partialMissing) }
    guard tailHash == record.tailHash else { return .discard(.partialDamaged) }
    return .keep(record.bootID == bootID ? partialLength : record.durable)
  }

  /// The kept bytes, and their version.
  package struct Kept: Hashable, Sendable {
    package var length: Int64
    package var version: FileVersion
    /// Whether they came from another address than the one to ask now, to which their validators do not apply.
    package var isFromElsewhere: Bool
    /// Whether the complete file will be checked against a digest from the client: then an error will be noticed.
    package var isProvenAtTheEnd: Bool
  }

  /// The request to send.
  package struct Plan: Hashable, Sendable {
    /// The first requested byte; nil for the whole file without conditions.
    package var rangeStart: Int64?
    /// A strong validator (RFC 9110 section 13.1.5): if it no longer holds, the server sends the whole file.
    package var ifRange: String?

    package static let wholeFile = Plan(rangeStart: nil, ifRange: nil)

    package init(rangeStart: Int64?, ifRange: String?) {
      self.rangeStart = rangeStart
      self.ifRange = ifRange
    }

    /// Continues after the kept bytes, and requests the last of them again for comparison.
    package init(_ kept: Kept) {
      guard kept.length > 0 else {
        self = .wholeFile
        return
      }
      let version = kept.version
      let tag = version.rotatesTags ? nil : version.strongETag
      guard kept.isFromElsewhere, !kept.isProvenAtTheEnd else {
        let condition = tag ?? (version.isDateStrong ? version.lastModified : nil)
        self.init(
          rangeStart: max(0, kept.length - ResumeRecord.overlap), ifRange: kept.isFromElsewhere ? nil : condition)
        return
      }
      // Another server's file is the same if its strong tag is. Without a tag, compare all of it.
      self = tag.map { Plan(rangeStart: max(0, kept.length - ResumeRecord.overlap), ifRange: $0) } ?? .wholeFile
    }
  }

  /// How to treat a response, decided before its first byte.
  package enum Verdict: Hashable, Sendable {
    /// The body is the requested part, and repeats the end of the kept bytes; the file has `total` bytes.
    case part(total: Int64)
    /// The body is the whole file: it repeats all kept bytes, or the file has changed.
    case whole
    /// The body is of no use: request the whole file. The cause says why the file seems to have changed.
    case askForWhole(RestartCause)
    case fail(DownloadError)
  }

  package static func judge(_ head: ResponseHead, plan: Plan, kept: Kept) -> Verdict {
    if let error = refusal(of: head) { return .fail(error) }
    if head.hasWholeContent { return .whole }
    guard let rangeStart = plan.rangeStart else { return isWholePart(head) ? .whole : .fail(error(for: head)) }
    switch head.status {
    case 206: return judgePart(head, rangeStart: rangeStart, kept: kept)
    case 412: return .askForWhole(.validatorChanged)
    case 416: return .askForWhole(cause(ofUnsatisfied: head, kept: kept))
    default: return .fail(error(for: head))
    }
  }

  /// Whether a response that was not asked for a part brings all of the file as one.
  private static func isWholePart(_ head: ResponseHead) -> Bool {
    guard head.status == 206,
      case .bytes(first: 0, let last, let total?)? = head.contentRange.flatMap(ContentRange.init)
    else { return false }
    return last == total - 1
  }

  private static func judgePart(_ head: ResponseHead, rangeStart: Int64, kept: Kept) -> Verdict {
    // A portal that answers everything may do so with a part. The first bytes of the whole tell.
    guard !MediaCheck.isAnnouncedAsPage(head.contentType) else { return .askForWhole(.notMedia) }
    guard case .bytes(rangeStart, let last, let total?)? = head.contentRange.flatMap(ContentRange.init),
      // A host may give less of a part than was asked for, as long as that is more than is kept already.
      last >= kept.length || last == total - 1
    else { return .askForWhole(.rangeMismatch) }
    if let known = kept.version.total, known != total { return .askForWhole(.lengthChanged) }
    guard total >= kept.length else { return .askForWhole(.lengthChanged) }
    guard kept.isFromElsewhere else {
      // An error would be noticed at the end, or the overlap may be believed where there never was a validator.
      let isDoubtful = !kept.isProvenAtTheEnd && kept.version.isIncomparable(with: head)
      let hasChanged = kept.version.isContradicted(by: head)
      return isDoubtful || hasChanged ? .askForWhole(.validatorChanged) : .part(total: total)
    }
    let isSame = kept.isProvenAtTheEnd || kept.version.isConfirmed(by: head)
    return isSame ? .part(total: total) : .askForWhole(.validatorChanged)
  }

  /// Every requested range begins before the end of the kept bytes: with a 416 the file is shorter, or the server lies.
  private static func cause(ofUnsatisfied head: ResponseHead, kept: Kept) -> RestartCause {
    if case .unsatisfied(let total)? = head.contentRange.flatMap(ContentRange.init), total < kept.length {
      return .lengthChanged
    }
    return .rangeMismatch
  }

  /// Heads whose bodies must never reach the partial file, with any status.
  private static func refusal(of head: ResponseHead) -> DownloadError? {
    guard (200...299).contains(head.status) else { return nil }
    if head.isCoded {
      let coded = "the server sent the file in a coding that cannot be undone, although identity was asked for"
      return DownloadError(.notMedia, coded)
    }
    return nil
  }

  private static func error(for head: ResponseHead) -> DownloadError {
    .answered(head, to: "file")
  }
}
