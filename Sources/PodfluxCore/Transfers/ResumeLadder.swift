/// The rules by which kept bytes are gone on with, or not (DESIGN.md section 4). Pure: no state, no I/O.
public enum ResumeLadder {
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
    public init(keeping kept: Int64, of record: ResumeRecord?) {
      guard kept > 0, let record else {
        self = .wholeFile
        return
      }
      self.init(rangeStart: max(0, kept - ResumeRecord.overlap), ifRange: record.strongETag)
    }
  }

  /// What to do with a response, decided before its first byte.
  public enum Verdict: Hashable, Sendable {
    /// The body goes on where asked for; the file has so many bytes in all.
    case goOn(total: Int64)
    /// The body is the whole file.
    case takeWhole
    /// The body is the whole file, and what is kept goes.
    case replace(RestartCause)
    /// The body is of no use: what is kept goes, and the whole file is asked for.
    case askForWhole(RestartCause)
    /// The attempt has failed.
    case fail(DownloadError)
  }

  /// Judges a response's head.
  public static func judge(_ head: ResponseHead, plan: Plan, record: ResumeRecord?) -> Verdict {
    if let error = refusal(of: head) { return .fail(error) }
    guard let rangeStart = plan.rangeStart else {
      return head.status == 200 ? .takeWhole : .fail(error(for: head))
    }
    switch head.status {
    case 200: return .replace(changedValidator(in: head, record: record) ? .validatorChanged : .wholeFileSent)
    case 206: return judgePart(head, rangeStart: rangeStart, record: record)
    case 412, 416: return .askForWhole(head.status == 412 ? .validatorChanged : .rangeMismatch)
    default: return .fail(error(for: head))
    }
  }

  private static func judgePart(_ head: ResponseHead, rangeStart: Int64, record: ResumeRecord?) -> Verdict {
    guard case .bytes(rangeStart, _, let total?)? = head.contentRange.flatMap(ContentRange.init) else {
      return .askForWhole(.rangeMismatch)
    }
    if changedValidator(in: head, record: record) { return .askForWhole(.validatorChanged) }
    if let known = record?.total, known != total { return .askForWhole(.lengthChanged) }
    return .goOn(total: total)
  }

  /// Whether the head contradicts what the record says of the file's version.
  private static func changedValidator(in head: ResponseHead, record: ResumeRecord?) -> Bool {
    if let known = record?.strongETag.flatMap(EntityTag.init), let current = head.entityTag, !current.isWeak,
      !current.namesSameBytes(as: known)
    {
      return true
    }
    if let known = record?.lastModified, let current = head.lastModified { return known != current }
    return false
  }

  /// Heads whose bodies must never reach the partial file, whatever their status.
  private static func refusal(of head: ResponseHead) -> DownloadError? {
    guard (200...299).contains(head.status) else { return nil }
    if let coding = head.contentEncoding?.lowercased(), coding != "identity", !coding.isEmpty {
      return DownloadError(.notMedia, "the server sent the file encoded although identity was asked for")
    }
    let mediaType = head.contentType?.lowercased().prefix { $0 != ";" && $0 != " " } ?? ""
    if ["text/html", "application/xhtml+xml"].contains(mediaType) {
      return DownloadError(.notMedia, "the server sent a web page (\(mediaType)) instead of media")
    }
    return nil
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
