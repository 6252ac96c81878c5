import Flux

/// One attempt at a download, as a state machine: what happens goes in, what to do comes out. It does none of it.
///
/// `DownloadAttempt` carries the orders out, one after the other; what they find out comes back through the methods
/// below.
///
/// The story of an attempt: open the partial and compare it with its record; ask the server; judge the head; receive,
/// comparing what repeats kept bytes and appending what follows; check the complete file; name it; sync, while the
/// store learns the name; publish. Twice it waits for the store, so that the row is always first: before kept bytes are
/// thrown away, and before the file gets its name.
package struct TransferMachine: Sendable {
  /// What the machine orders its shell to do.
  package enum Order: Hashable, Sendable {
    /// Open the partial, and hash the part that the record's tail hash covers. Answer: `partialOpened`.
    case openPartial(tail: Range<Int64>?)
    /// Cut the partial.
    case truncate(to: Int64)
    /// Begin an exchange, and forget what an earlier one has left in memory. Answers: `received(head:)`,
    /// `received(body:)`, `exchangeFinished`.
    case request(ResumePolicy.Plan)
    /// End the exchange. Answer: `exchangeFinished`.
    case cancelExchange
    /// Go on with the piece that differed from what was kept: all of it is new now.
    case resumeWriting
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
    case requesting(ResumePolicy.Plan)
    case receiving(ResumePolicy.Plan)
    /// The store has been told that bytes are to go, and has not answered yet.
    case awaitingRestart(Next)
    /// The whole file is to be asked for, once the exchange that is of no use has ended.
    case awaitingEnd
    case finishing(Ending, ResumePolicy.Plan)
    case naming(number: Int)
    case awaitingPublishing(PublishedFile, number: Int)
    /// The store has agreed to the name; the contents are not durable yet.
    case awaitingContents(PublishedFile, number: Int)
    case publishing(PublishedFile, number: Int)
    case ended
  }

  /// What follows when the store has agreed to a restart.
  enum Next: Hashable, Sendable {
    /// No byte is kept: the whole file is requested.
    case askForWhole
    /// What came up to this offset repeats what is kept; from there on it is the new version. The exchange goes on, or
    /// has ended so.
    case goOn(at: Int64, Ending?)
    /// The attempt ends, and nothing is kept.
    case fail(DownloadError)
  }

  enum Ending: Hashable, Sendable {
    case complete
    case failed(DownloadError)
    case stopped
    case pathRefused
  }

  let attempt: Attempt
  let bootID: String
  var state = State.idle
  /// Whether it has been told to stop.
  package internal(set) var isStopping = false
  /// Whether bytes of an old version stand where those of a new one should, because they could not be cut off.
  var isUncut = false
  var hasExchange = false
  /// Whether the complete file's contents are durable.
  var isSynchronized = false
  /// The version of what is kept: what the next record says.
  package internal(set) var version: FileVersion
  /// The version that comes over the wire, until it has repeated what is kept.
  var incoming: FileVersion?
  /// Why the file is thought to have changed, if the server has given a reason.
  var suspicion: RestartCause?
  /// The last record known to be durable.
  var kept: ResumeRecord?
  /// What the row promises while an announced restart waits for the store's agreement; nil at other times.
  var promisedUntilRestart: Int64?
  /// How many bytes of the partial file were gone on with: what arrives has to repeat them first, or their end.
  package internal(set) var base: Int64 = 0
  /// Where in the file the next byte of the exchange belongs.
  package internal(set) var position: Int64 = 0
  /// What became of the tags of the file that is published, once that is known.
  var tagging: Download.Tagging?
  /// The complete file, once it is one.
  package internal(set) var contents: Contents?
  /// What the final response said, for naming.
  package internal(set) var head: ResponseHead?
  /// How long the server wants to be left alone.
  var retryAfterMilliseconds: Int64?
  /// How the body of a whole file begins, until that has been judged.
  var beginning: [UInt8]?
  /// Whether the total of the version that comes is only what an earlier response said of it.
  var isTotalAssumed = false

  /// How much room there was at the beginning, where the length of the file was in doubt or unknown then; nil where the
  /// known rest was found to fit.
  var roomInDoubt: (room: Int64, reserve: Int64)?
  /// Whether there was found to be no room for the file by the length that the server has named.
  package internal(set) var isTooLongForRoom = false
  /// Whether the file was found to be longer than the settings allow.
  var isFileTooLarge = false
  /// How the body that comes is coded, although identity was asked for; nil where it is not. The shell undoes it: what
  /// is received here is the file.
  package internal(set) var coding: ContentCoding?

  /// Makes the machine of an attempt.
  package init(attempt: Attempt, bootID: String) {
    self.attempt = attempt
    self.bootID = bootID
    kept = attempt.resume
    version = FileVersion(attempt.resume)
  }

  /// What the attempt is doing, for people.
  package var phase: DownloadState.Phase {
    switch state {
    case .idle, .opening, .requesting, .awaitingRestart, .awaitingEnd: .connecting
    case .receiving: .receiving
    case .finishing, .naming, .ended: .verifying
    case .awaitingPublishing(let file, _), .awaitingContents(let file, _), .publishing(let file, _): .publishing(file)
    }
  }

  /// Whether bytes that arrive now belong to the file, so that its progress may be recorded.
  package var isReceiving: Bool {
    if case .receiving = state { true } else { false }
  }

  /// Whether a piece of the body is wanted. To be asked before a coding is undone: what comes of a piece may be
  /// nothing, and the piece itself counts on a metered path.
  package var wantsBody: Bool {
    switch state {
    case .receiving, .awaitingRestart(.goOn): !isStopping
    case .idle, .opening, .requesting, .awaitingRestart, .awaitingEnd, .finishing, .naming, .awaitingPublishing,
      .awaitingContents, .publishing, .ended:
      false
    }
  }

  /// How many bytes of the file are here, those included that are kept and still to be repeated.
  package var received: Int64 { max(position, base) }

  /// Whether what has come may be written before there is more of it. While it may still turn out to be a web page it
  /// is not compared with what is kept: nothing is given up for a captive portal.
  package var mayWrite: Bool { beginning == nil || base == 0 }

  /// Whether it is worth recording how far the file has come: not if the end has come, and the last record with it.
  package var wantsCheckpoints: Bool {
    isReceiving && position != total
  }

  /// Compares what arrives with what is kept: the shell takes it over with each head that goes on.
  package var comparison: KeptComparison {
    KeptComparison(from: position, to: base)
  }

  /// A record for so many durable bytes of the present version. A total that the file has outgrown is none.
  package func record(
    durable: Int64, tailHash: String, savedAt: Timestamp, digestStates: [String] = []
  ) -> ResumeRecord {
    let total = version.total.flatMap { $0 < durable ? nil : $0 }
    return ResumeRecord(
      url: attempt.address.redacted, strongETag: version.strongETag,
      tagHash: version.strongETag == nil ? version.tagHash : nil, rotatesTags: version.rotatesTags,
      lastModified: version.lastModified, isDateStrong: version.isDateStrong, total: total, durable: durable,
      tailHash: tailHash, bootID: bootID, savedAt: savedAt, digestStates: digestStates)
  }

  /// The states of the digests of what is kept: nothing that they cover is to be read again.
  package var keptDigestStates: [String] { kept?.digestStates ?? [] }

  // MARK: Beginning

  /// The attempt begins.
  package mutating func start() -> [Order] {
    guard !isStopping else { return end(.stopped(kept: kept)) }
    state = .opening
    return [.openPartial(tail: attempt.resume?.tailRange)]
  }

  /// How much room there must be for a file of unknown length, in bytes.
  static let leastRoom: Int64 = 1 << 20

  /// The partial file is open, and so many bytes are free on the disk, of which a reserve is to be left: where that is
  /// known not to be enough, no server is asked for them.
  package mutating func partialOpened(
    length: Int64, tailHash: String?, room: Int64 = .max, reserve: Int64 = 0
  ) -> [Order] {
    guard !isStopping else { return end(.stopped(kept: kept)) }
    switch ResumePolicy.trust(in: attempt.resume, partialLength: length, tailHash: tailHash, bootID: bootID) {
    case .discard(let cause):
      // The partial file is discarded: its bytes become room.
      roomInDoubt = (room.addingClamped(length), reserve)
      return restart(discarding: attempt.resume?.durable ?? 0, because: cause, then: .askForWhole)
    case .keep(let count):
      base = count
      let needed = version.total.map { max(0, $0 - count) } ?? Self.leastRoom
      let isDoubted = attempt.doubt != nil
      if let error = DownloadError.shortage(
        of: isDoubted ? min(needed, Self.leastRoom) : needed, room: room, reserve: reserve)
      {
        return end(.failed(error, kept: kept))
      }
      if isDoubted || version.total == nil { roomInDoubt = (room, reserve) }
      if isDoubted {
        let isShort = DownloadError.shortage(of: needed, room: room, reserve: reserve) != nil
        if isShort || needed > attempt.doubt?.quotaLeft ?? .max { version.total = nil }
      }
      let cut: [Order] = count < length ? [.truncate(to: count)] : []
      // After a crash the row knows less than is there, and the server may take its time.
      let isNews = count > attempt.resume?.durable ?? 0
      let news: [Order] = isNews ? [.report(.reading(received: count, phase: .connecting))] : []
      return news + cut + request(ResumePolicy.Plan(keptBytes))
    }
  }

  /// The kept bytes, from which `ResumePolicy` chooses how to resume.
  var keptBytes: ResumePolicy.Kept {
    ResumePolicy.Kept(
      length: base, version: version,
      isFromElsewhere: kept.map { !$0.isOf(attempt.address) } ?? false,
      isProvenAtTheEnd: attempt.description.integrity != nil)
  }

  mutating func request(_ plan: ResumePolicy.Plan) -> [Order] {
    state = .requesting(plan)
    hasExchange = true
    return [.request(plan)]
  }

  // MARK: The exchange

  /// The head of the response has come.
  ///
  /// - Returns: whether the exchange goes on, and what else to do.
  package mutating func received(head: ResponseHead, at now: Timestamp) -> (goesOn: Bool, orders: [Order]) {
    guard case .requesting(let plan) = state, !isStopping else { return (false, []) }
    coding = head.contentCoding
    let head = head.describingContent
    self.head = head
    switch judge(head, plan) {
    case .part(let total):
      let described = FileVersion(head, at: now)
      var incoming = keptBytes.isFromElsewhere ? described : version
      incoming.strongETag = described.strongETag ?? incoming.strongETag
      incoming.tagHash = described.tagHash ?? incoming.tagHash
      incoming.total = total
      return receive(incoming, from: plan)
    case .whole: return receive(FileVersion(head, at: now), from: plan.rangeStart == nil ? plan : .wholeFile)
    case .askForWhole(let cause):
      suspicion = cause
      state = .awaitingEnd
      return (false, [])
    case .fail(var error):
      error.isOfOtherHost = head.redirects > 0 && (try? WebAddress(head.effectiveURL))?.host != attempt.address.host
      retryAfterMilliseconds = RetryAfter.milliseconds(in: head, now: now)
      state = .finishing(.failed(error), plan)
      return (false, [])
    }
  }

  /// A part of a coded file is none of the file.
  private func judge(_ head: ResponseHead, _ plan: ResumePolicy.Plan) -> ResumePolicy.Verdict {
    guard coding == nil || head.status != 206 || plan.rangeStart == nil else { return .askForWhole(.rangeMismatch) }
    return ResumePolicy.judge(head, plan: plan, kept: keptBytes)
  }

  private mutating func receive(
    _ incoming: FileVersion, from plan: ResumePolicy.Plan
  ) -> (goesOn: Bool, orders: [Order]) {
    if let error = tooLarge(incoming.total ?? 0) ?? shortage(for: incoming) {
      state = .finishing(.failed(error), plan)
      return (false, [])
    }
    position = plan.rangeStart ?? 0
    beginning = position == 0 ? [] : nil
    self.incoming = incoming
    isTotalAssumed = base > 0 && incoming.total == nil && head.map(version.isContradicted) == false
    if isTotalAssumed { self.incoming?.total = version.total }
    if base == 0 { keptWasRepeated() }
    state = .receiving(plan)
    return (true, [])
  }

  /// What to do with a piece of the body.
  package enum BodyVerdict: Hashable, Sendable {
    case take
    /// Take none; the exchange ends.
    case stop
  }

  /// A piece of the body has come. Cost: for the first ones of a file a look at how they begin.
  package mutating func received(body: UnsafeRawBufferPointer) -> BodyVerdict {
    guard wantsBody else { return .stop }
    if case .receiving(let plan) = state,
      let error =
        fault(in: body) ?? tooLarge(position + Int64(body.count)) ?? outgrowth(position + Int64(body.count))
    {
      state = .finishing(.failed(error), plan)
      return .stop
    }
    position += Int64(body.count)
    return .take
  }

  /// Judges how a whole file begins, before any kept byte could be given up for it: captive portals answer everything.
  private mutating func fault(in body: UnsafeRawBufferPointer) -> DownloadError? {
    guard var known = beginning else { return nil }
    known.append(contentsOf: body.prefix(MediaSignature.length - known.count))
    beginning = known.count < MediaSignature.length ? known : nil
    return MediaCheck.fault(
      prefix: known, length: nil, isComplete: false, mediaType: head?.contentType,
      wantedExtension: attempt.wantedExtension)
  }

  mutating func tooLarge(_ length: Int64) -> DownloadError? {
    let limit = attempt.settings.maxFileBytes
    guard limit > 0, length > limit else { return nil }
    isFileTooLarge = true
    return DownloadError(.tooLarge, "the file has \(length) bytes or more; the setting maxFileBytes allows \(limit)")
  }

  /// Asks for the whole file, to compare it with what is kept; first ends the exchange that there may be.
  mutating func askForWhole() -> [Order] {
    guard !hasExchange else {
      state = .awaitingEnd
      return [.cancelExchange]
    }
    return request(.wholeFile)
  }

  /// The exchange has ended; nil means that it came to its own end.
  ///
  /// `isDelimited` says whether that end was marked, so that a cut cannot pass for it.
  package mutating func exchangeFinished(failure: DownloadError?, isDelimited: Bool = true) -> [Order] {
    hasExchange = false
    if isStopping { return finish(as: .stopped) }
    switch state {
    case .awaitingRestart(.goOn(let offset, nil)):
      state = .awaitingRestart(.goOn(at: offset, ending(failure, isDelimited)))
      return []
    case .awaitingEnd: return request(.wholeFile)
    case .finishing: return [.finishWriting]
    case .requesting(let plan), .receiving(let plan):
      let ending = self.ending(failure, isDelimited)
      state = .finishing(ending, plan)
      return [ending == .complete ? .completeWriting : .finishWriting]
    case .awaitingRestart, .idle, .opening, .naming, .awaitingPublishing, .awaitingContents, .publishing, .ended:
      return []
    }
  }
}
