import Flux

/// One attempt at a download, as a state machine: what happens goes in, what to do comes out. It does none of it.
///
/// Its shell is `DownloadOperation`; the simulator is another. Orders are carried out one after the other, in order; what
/// they find out comes back through the methods below.
///
/// The story of an attempt: open the partial and compare it with its record; ask the server; judge the head; compare
/// the overlap; receive; name the file; sync, while the store learns the name; publish. Twice it waits for the store, so that the row is always first:
/// before kept bytes are thrown away, and before the file gets its name.
public struct TransferMachine: Sendable {
  /// What the shell is to do.
  public enum Order: Hashable, Sendable {
    /// Open the partial, and hash the part that the record's tail hash covers. Answer: `partialOpened`.
    case openPartial(tail: Range<Int64>?)
    /// Read these bytes of the partial. Answer: `overlapRead`.
    case readOverlap(Range<Int64>)
    /// Cut the partial.
    case truncate(to: Int64)
    /// Begin an exchange. Answers: `received(head:)`, `received(body:)`, `exchangeFinished`.
    case request(ResumeLadder.Plan)
    /// Go on with the exchange, which waits in the middle.
    case resumeExchange
    /// End the exchange. Answer: `exchangeFinished`.
    case cancelExchange
    /// Write what has been taken and make it durable, for another attempt to go on with. Answer: `written`.
    case finishWriting
    /// Write what has been taken: the file is complete. Answer: `completed`.
    case completeWriting
    /// Make the complete file's contents durable; its entry among the partial files soon goes. Answer:
    /// `contentsSynchronized`.
    case synchronizeContents
    /// Find a name for the complete file, this number's. Answer: `named`.
    case name(number: Int)
    /// Move the partial to its place. Answer: `published`.
    case publish(PublishedFile)
    /// Tell the stores.
    case report(AttemptReport.News)
    /// Tell the stores the last thing, and end.
    case end(AttemptReport.News)
  }

  enum State: Hashable, Sendable {
    case idle
    case opening
    case readingOverlap(Range<Int64>)
    case requesting(ResumeLadder.Plan)
    case comparing(OverlapComparison)
    case receiving
    /// The store has been told that kept bytes are to go, and has not answered yet.
    case awaitingRestart(thenAskAgain: Bool)
    /// The store has agreed; the exchange that is to be replaced has not ended yet.
    case awaitingEnd
    case finishing(Ending)
    case naming(number: Int)
    case awaitingPublishing(PublishedFile, number: Int)
    /// The store has agreed to the name; the contents are not durable yet.
    case awaitingContents(PublishedFile, number: Int)
    case publishing(PublishedFile, number: Int)
    case ended
  }

  enum Ending: Hashable, Sendable {
    case complete
    case failed(DownloadError)
    case stopped
  }

  let attempt: Attempt
  let bootID: String
  var state = State.idle
  var isStopping = false
  var hasExchange = false
  /// Whether the complete file's contents are durable.
  var isSynchronized = false
  /// What the next record says of the file's version.
  public internal(set) var version: Version
  /// The last record known to be durable.
  var kept: ResumeRecord?
  /// How many bytes of the file have been taken, kept ones included.
  public internal(set) var position: Int64 = 0
  /// What the final response said, for naming.
  public internal(set) var head: ResponseHead?

  /// What tells one version of a file from another.
  public struct Version: Hashable, Sendable {
    /// Its strong entity tag.
    public var strongETag: String?
    /// Its Last-Modified header.
    public var lastModified: String?
    /// Its length in bytes.
    public var total: Int64?
  }

  /// Makes the machine of an attempt.
  public init(attempt: Attempt, bootID: String) {
    self.attempt = attempt
    self.bootID = bootID
    kept = attempt.resume
    version = Version(
      strongETag: attempt.resume?.strongETag, lastModified: attempt.resume?.lastModified, total: attempt.resume?.total)
  }

  /// What the attempt is doing, for people.
  public var phase: DownloadState.Phase {
    switch state {
    case .idle, .opening, .readingOverlap, .requesting, .awaitingRestart, .awaitingEnd: .connecting
    case .comparing, .receiving: .receiving
    case .finishing, .naming, .ended: .verifying
    case .awaitingPublishing(let file, _), .awaitingContents(let file, _), .publishing(let file, _): .publishing(file)
    }
  }

  /// Whether bytes that arrive now belong to the file, so that its progress may be recorded.
  public var isReceiving: Bool {
    if case .receiving = state { true } else { false }
  }

  /// Whether it is worth recording how far the file has come: not if the end has come, and the last record with it.
  public var wantsCheckpoints: Bool {
    isReceiving && position != version.total
  }

  /// A record for so many durable bytes of the present version. A total that the file has outgrown is none.
  public func record(durable: Int64, tailHash: String, savedAt: Timestamp) -> ResumeRecord {
    let total = version.total.flatMap { $0 < durable ? nil : $0 }
    return ResumeRecord(
      url: attempt.address.redacted, strongETag: version.strongETag, lastModified: version.lastModified,
      total: total, durable: durable, tailHash: tailHash, bootID: bootID, savedAt: savedAt)
  }

  // MARK: Beginning

  /// The attempt begins.
  public mutating func start() -> [Order] {
    guard !isStopping else { return end(.stopped(kept: kept)) }
    state = .opening
    return [.openPartial(tail: attempt.resume?.tailRange)]
  }

  /// The partial file is open.
  public mutating func partialOpened(length: Int64, tailHash: String?) -> [Order] {
    guard !isStopping else { return end(.stopped(kept: kept)) }
    switch ResumeLadder.trust(in: attempt.resume, partialLength: length, tailHash: tailHash, bootID: bootID) {
    case .discard(let cause): return restart(discarding: attempt.resume?.durable ?? 0, because: cause, askAgain: true)
    case .keep(let count):
      position = count
      let cut: [Order] = count < length ? [.truncate(to: count)] : []
      guard count > 0 else { return cut + request() }
      let overlap = max(0, count - ResumeRecord.overlap)..<count
      state = .readingOverlap(overlap)
      return cut + [.readOverlap(overlap)]
    }
  }

  /// The end of the kept bytes has been read.
  public mutating func overlapRead(_ bytes: [UInt8]) -> [Order] {
    guard !isStopping else { return end(.stopped(kept: kept)) }
    guard case .readingOverlap(let range) = state, Int64(bytes.count) == range.upperBound - range.lowerBound else {
      return restart(discarding: position, because: .partialMissing, askAgain: true)
    }
    overlap = bytes
    return request()
  }

  /// The end of the kept bytes, to be compared with what the server sends.
  var overlap: [UInt8] = []

  private mutating func request() -> [Order] {
    let plan = ResumeLadder.Plan(keeping: position, of: attempt.resume)
    state = .requesting(plan)
    hasExchange = true
    return [.request(plan)]
  }

  // MARK: The exchange

  /// The head of the response has come.
  ///
  /// - Returns: whether the exchange goes on, and what else to do.
  public mutating func received(head: ResponseHead) -> (goesOn: Bool, orders: [Order]) {
    guard case .requesting(let plan) = state, !isStopping else { return (false, []) }
    self.head = head
    switch ResumeLadder.judge(head, plan: plan, record: attempt.resume) {
    case .goOn(let total):
      // A file that is shorter now than what is kept can never repeat it.
      guard total >= position else {
        return (false, restart(discarding: position, because: .lengthChanged, askAgain: true))
      }
      version.total = total
      version.strongETag = Version(head: head).strongETag ?? version.strongETag
      state = .comparing(OverlapComparison(expected: overlap))
      return (true, [])
    case .takeWhole:
      version = Version(head: head)
      state = .receiving
      return (true, [])
    case .replace(let cause):
      return (true, restart(discarding: position, because: cause, askAgain: false))
    case .askForWhole(let cause):
      return (false, restart(discarding: position, because: cause, askAgain: true))
    case .fail(let error):
      state = .finishing(.failed(error))
      return (false, [])
    }
  }

  /// What to do with a piece of the body.
  public enum BodyVerdict: Hashable, Sendable {
    /// Leave out so many bytes at its beginning and take the rest.
    case take(droppingFirst: Int)
    /// Take none and bring it again later.
    case wait
    /// Take none; the exchange ends.
    case stop
  }

  /// A piece of the body has come.
  public mutating func received(body: UnsafeRawBufferPointer) -> (verdict: BodyVerdict, orders: [Order]) {
    guard !isStopping else { return (.stop, []) }
    switch state {
    case .receiving:
      position += Int64(body.count)
      return (.take(droppingFirst: 0), [])
    case .comparing(var comparison):
      guard let compared = comparison.compare(body) else {
        return (.stop, restart(discarding: position, because: .contentChanged, askAgain: true))
      }
      state = comparison.isDone ? .receiving : .comparing(comparison)
      position += Int64(body.count - compared)
      return (.take(droppingFirst: compared), [])
    case .awaitingRestart(thenAskAgain: false): return (.wait, [])
    case .idle, .opening, .readingOverlap, .requesting, .awaitingRestart, .awaitingEnd, .finishing, .naming,
      .awaitingPublishing, .awaitingContents, .publishing, .ended:
      return (.stop, [])
    }
  }

  /// The exchange has ended; nil means that it came to its own end.
  public mutating func exchangeFinished(failure: DownloadError?) -> [Order] {
    hasExchange = false
    if isStopping { return finish(as: .stopped) }
    switch state {
    case .awaitingRestart:
      state = .awaitingRestart(thenAskAgain: true)
      return []
    case .awaitingEnd: return requestWhole()
    case .finishing: return [.finishWriting]
    case .requesting, .comparing, .receiving:
      return finish(as: (failure ?? incompleteness()).map(Ending.failed) ?? .complete)
    case .idle, .opening, .readingOverlap, .naming, .awaitingPublishing, .awaitingContents, .publishing, .ended:
      return []
    }
  }

  /// What is wrong with a body that came to its end, if anything is.
  private func incompleteness() -> DownloadError? {
    guard case .receiving = state else {
      return DownloadError(.connectionLost, "the response ended before it had repeated the bytes that are kept")
    }
    guard position > 0 else { return DownloadError(.lengthMismatch, "the server sent an empty file") }
    guard let total = version.total, total != position else { return nil }
    return position < total
      ? DownloadError(.connectionLost, "the response ended after \(position) of \(total) bytes")
      : DownloadError(.lengthMismatch, "the server sent \(position) bytes of a file of \(total)")
  }
}
