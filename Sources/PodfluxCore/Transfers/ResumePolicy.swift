/// The rules by which kept bytes are gone on with, or not (the article Resuming). Pure: no state, no I/O.
///
/// One way leads on safely whatever a server does: ask for the whole file, and compare it with what is kept while it
/// streams. Nothing is thrown away before a byte differs, and what breaks off before that has cost nothing but time. So
/// everything that does not fit — another validator, another length, a part that was not asked for — leads there.
public enum ResumePolicy {
  /// What the partial file is good for, before anything is asked of the server.
  public enum Trust: Hashable, Sendable {
    /// So many of its bytes are to be gone on with; what follows them is cut off.
    case keep(Int64)
    /// It is not what the record says.
    case discard(RestartCause)
  }

  /// Compares the partial file with its record.
  ///
  /// During the boot in which the record was written the page cache has survived whatever killed the engine, and the file
  /// is only ever appended to or truncated: all of it counts. After another boot only the durable bytes do.
  public static func trust(
    in record: ResumeRecord?, partialLength: Int64, tailHash: String?, bootID: String
  ) -> Trust {
    guard let record else { return .keep(0) }
    guard partialLength >= record.durable else { return .discard(.partialMissing) }
    guard tailHash == record.tailHash else { return .discard(.partialDamaged) }
    return .keep(record.bootID == bootID ? partialLength : record.durable)
  }

  /// What is kept, and what is known of it.
  public struct Kept: Hashable, Sendable {
    /// How many bytes.
    public var length: Int64
    /// Which version they are of.
    public var version: FileVersion
    /// Whether they came from another address than the one to be asked now: its validators say nothing of ours.
    public var isFromElsewhere: Bool
    /// Whether the complete file will be compared with a digest that the client knows: what is wrong will show.
    public var isProvenAtTheEnd: Bool
  }

  /// What to ask the server for.
  public struct Plan: Hashable, Sendable {
    /// The first byte wanted; nil for the whole file without conditions.
    public var rangeStart: Int64?
    /// A strong validator (RFC 9110 section 13.1.5): if it no longer holds the server sends the whole file.
    public var ifRange: String?

    /// The whole file.
    public static let wholeFile = Plan(rangeStart: nil, ifRange: nil)

    /// Makes a plan.
    public init(rangeStart: Int64?, ifRange: String?) {
      self.rangeStart = rangeStart
      self.ifRange = ifRange
    }

    /// Goes on behind the kept bytes, and fetches the last of them again to compare.
    public init(_ kept: Kept) {
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
      // Another server's file is the same if its strong tag is. Without one all of it is to be seen.
      self = tag.map { Plan(rangeStart: max(0, kept.length - ResumeRecord.overlap), ifRange: $0) } ?? .wholeFile
    }
  }

  /// What to do with a response, decided before its first byte.
  public enum Verdict: Hashable, Sendable {
    /// The body is the part asked for, and repeats the end of what is kept; the file has so many bytes in all.
    case part(total: Int64)
    /// The body is the whole file, and repeats everything that is kept, or the file has changed.
    case whole
    /// The body is of no use: the whole file is asked for. The cause is why the file is thought to have changed.
    case askForWhole(RestartCause)
    /// The attempt has failed.
    case fail(DownloadError)
  }

  /// Judges a response's head.
  public static func judge(_ head: ResponseHead, plan: Plan, kept: Kept) -> Verdict {
    if let error = refusal(of: head) { return .fail(error) }
    guard let rangeStart = plan.rangeStart else {
      return head.status == 200 ? .whole : .fail(error(for: head))
    }
    switch head.status {
    case 200: return .whole
    case 206: return judgePart(head, rangeStart: rangeStart, kept: kept)
    case 412: return .askForWhole(.validatorChanged)
    case 416: return .askForWhole(cause(ofUnsatisfied: head, kept: kept))
    default: return .fail(error(for: head))
    }
  }

  private static func judgePart(_ head: ResponseHead, rangeStart: Int64, kept: Kept) -> Verdict {
    guard case .bytes(rangeStart, _, let total?)? = head.contentRange.flatMap(ContentRange.init) else {
      return .askForWhole(.rangeMismatch)
    }
    if let known = kept.version.total, known != total { return .askForWhole(.lengthChanged) }
    guard total >= kept.length else { return .askForWhole(.lengthChanged) }
    guard kept.isFromElsewhere else {
      return kept.version.isContradicted(by: head) ? .askForWhole(.validatorChanged) : .part(total: total)
    }
    let isSame = kept.isProvenAtTheEnd || kept.version.isConfirmed(by: head)
    return isSame ? .part(total: total) : .askForWhole(.validatorChanged)
  }

  /// Every range that is asked for begins before the end of what is kept: a 416 says that the file is shorter, or lies.
  private static func cause(ofUnsatisfied head: ResponseHead, kept: Kept) -> RestartCause {
    if case .unsatisfied(let total)? = head.contentRange.flatMap(ContentRange.init), total < kept.length {
      return .lengthChanged
    }
    return .rangeMismatch
  }

  /// Heads whose bodies must never reach the partial file, whatever their status.
  private static func refusal(of head: ResponseHead) -> DownloadError? {
    guard (200...299).contains(head.status) else { return nil }
    if let coding = head.contentEncoding?.lowercased(), coding != "identity", !coding.isEmpty {
      let coded = "the server sent the file in a coding that cannot be undone, although identity was asked for"
      return DownloadError(.notMedia, coded)
    }
    return MediaCheck.fault(announced: head.contentType)
  }

  private static func error(for head: ResponseHead) -> DownloadError {
    let status = head.status
    let said = "the server answered \(status)"
    return switch status {
    case 401: DownloadError(.unauthorized, "\(said): it wants credentials", status: status)
    case 403: DownloadError(.forbidden, "\(said): it refuses access", status: status)
    case 404: DownloadError(.notFound, "\(said): there is no such file", status: status)
    case 410: DownloadError(.gone, "\(said): the file is gone for good", status: status)
    case 206: DownloadError(.rangeMismatch, "\(said): a part, although the whole file was asked for", status: status)
    default: DownloadError(.httpStatus, said, status: status)
    }
  }
}
