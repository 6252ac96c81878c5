/// Restarting, stopping, failing and publishing.
extension TransferMachine {
  // MARK: The store's permission

  /// Bytes are to go: the store is told, and nothing is thrown away before it has agreed.
  mutating func restart(discarding: Int64, because cause: RestartCause, then next: Next) -> [Order] {
    state = .awaitingRestart(next)
    promisedUntilRestart = kept?.durable
    kept = nil
    return [.report(.restarting(discarding: discarding, because: cause))]
  }

  /// The store has committed what was announced.
  package mutating func proceed() -> [Order] {
    guard !isStopping else { return [] }
    promisedUntilRestart = nil
    switch state {
    case .awaitingRestart(.askForWhole):
      base = 0
      version = FileVersion()
      return [.truncate(to: 0)] + askForWhole()
    case .awaitingRestart(.goOn(let offset, let ending)): return goOn(at: offset, ending)
    case .awaitingRestart(.fail(let error)):
      return [.truncate(to: 0)] + end(failed(with: error, kept: nil))
    case .awaitingPublishing(let file, let number):
      guard isSynchronized else {
        state = .awaitingContents(file, number: number)
        return []
      }
      return publish(file, number: number)
    case .idle, .opening, .requesting, .receiving, .awaitingEnd, .finishing, .naming, .awaitingContents, .publishing,
      .ended:
      return []
    }
  }

  /// The old version's bytes go, and the piece that differed from them is written.
  private mutating func goOn(at offset: Int64, _ ending: Ending?) -> [Order] {
    base = offset
    let orders: [Order] = [.truncate(to: offset), .resumeWriting]
    guard let ending else {
      state = .receiving(.wholeFile)
      return orders
    }
    state = .finishing(ending, .wholeFile)
    return orders + [ending == .complete ? .completeWriting : .finishWriting]
  }

  // MARK: The end of an exchange

  /// How an exchange has ended.
  mutating func ending(_ failure: DownloadError?, _ isDelimited: Bool) -> Ending {
    (failure ?? incompleteness(isDelimited) ?? tooLarge(position)).map(Ending.failed) ?? .complete
  }

  /// What is wrong with a whole body that was too short to be judged before, where kept bytes are at stake. Without any
  /// it is judged as every complete file is, and by its digest alone if the client knows that.
  private var faultOfTinyBody: DownloadError? {
    guard base > 0, let beginning, attempt.description.integrity == nil || base > position else { return nil }
    return MediaCheck.fault(
      prefix: beginning, length: position, isComplete: true, mediaType: head?.contentType,
      wantedExtension: attempt.wantedExtension)
  }

  /// What is wrong with a body that came to its end, if anything is.
  private func incompleteness(_ isDelimited: Bool) -> DownloadError? {
    guard position > 0 else { return DownloadError(.lengthMismatch, "the server sent an empty file") }
    if let error = faultOfTinyBody { return error }
    // What an earlier response said makes a cut of what might be the end, and nothing else.
    if isTotalAssumed, isDelimited || position >= total ?? base { return nil }
    guard let total else {
      // A connection that just closes is the end of a file whose length is unknown (RFC 9112 section 6.3). But if
      // there was more before, it is more likely a cut.
      guard position < base, !isDelimited else { return nil }
      return DownloadError(.connectionLost, "the response ended before it had repeated the bytes that are kept")
    }
    guard total != position else { return nil }
    return position < total
      ? DownloadError(.connectionLost, "the response ended after \(position) of \(total) bytes")
      : DownloadError(.lengthMismatch, "the server sent \(position) bytes of a file of \(total)")
  }

  /// The exchange has ended because it was led to where the attempt's route does not go. That is no failure: what is
  /// kept stands.
  package mutating func pathRefused() -> [Order] {
    guard !isStopping, case .requesting(let plan) = state else {
      return exchangeFinished(failure: DownloadError(.connectFailed, "the address is not on this machine"))
    }
    hasExchange = false
    state = .finishing(.pathRefused, plan)
    return [.finishWriting]
  }

  // MARK: Ends before the file is complete

  /// The attempt is to end and to keep what it has. After the store has agreed to the publishing it is too late:
  /// the file is published, if its name is free.
  package mutating func stop() -> [Order] {
    guard !isStopping else { return [] }
    switch state {
    case .ended: return []
    case .idle, .opening, .naming, .finishing, .awaitingContents, .publishing:
      // The answer to what is under way finds `isStopping` and ends.
      isStopping = true
      return []
    case .awaitingPublishing:
      isStopping = true
      return finish(as: .stopped)
    case .requesting, .receiving, .awaitingRestart, .awaitingEnd:
      isStopping = true
      return hasExchange ? [.cancelExchange] : finish(as: .stopped)
    }
  }

  /// Something could not be done with the files.
  package mutating func filesFailed(_ error: DownloadError) -> [Order] {
    switch state {
    case .ended: return []
    case .finishing(.complete, _) where error.code == .noSpace:
      // The last piece of the file found no room: the others are worth keeping.
      return finish(as: isStopping ? .stopped : .failed(error))
    case .finishing(let ending, let plan) where hasExchange:
      // The exchange is about to end, and what it has brought until then is to be counted.
      if ending != .stopped { state = .finishing(.failed(error), plan) }
      return []
    case .finishing(let ending, _):
      // The sync itself has failed: only the last record is known to be durable.
      return end(ending == .stopped ? .stopped(kept: kept) : .failed(error, kept: kept))
    case .idle, .opening:
      return end(isStopping ? .stopped(kept: kept) : .failed(error, kept: kept))
    case .naming, .publishing: return finish(as: isStopping ? .stopped : .failed(error))
    case .awaitingPublishing, .awaitingContents:
      // The sync of the contents has failed. The kernel says so once: another one could seem to succeed.
      return end(isStopping ? .stopped(kept: kept) : .failed(error, kept: kept))
    case .requesting, .receiving, .awaitingRestart, .awaitingEnd:
      guard hasExchange else { return finish(as: .failed(error)) }
      state = .finishing(.failed(error), .wholeFile)
      return [.cancelExchange]
    }
  }

  /// What had to be done with the file before a request could be made has failed, so that there is no exchange.
  package mutating func requestNotMade(_ error: DownloadError) -> [Order] {
    hasExchange = false
    return end(isStopping ? .stopped(kept: kept) : .failed(error, kept: kept))
  }

  /// The old version's bytes could not be cut off behind those that the new one repeats: no record describes the file,
  /// as `filesFailed` is about to tell.
  package mutating func cutFailed() {
    isUncut = true
  }

  /// How many bytes of the partial the last durable record promises: to this length the partial is cut where a sync
  /// fails, at once and before anything else, since the row may learn of the failure too late.
  ///
  /// The row promises what an announced restart gives up until the store has agreed.
  package var promised: Int64 { promisedUntilRestart ?? kept?.durable ?? 0 }

  /// A sync has failed, as `filesFailed` is about to tell. What was written since the last record may never reach the
  /// device, and the next attempt's sync could seem to succeed: only what the record promises is believed from now on.
  package mutating func synchronizationFailed() {
    kept?.bootID = ResumeRecord.noBoot
  }

  /// A record is durable and has been reported.
  package mutating func checkpointed(_ record: ResumeRecord) {
    kept = record
  }

  /// What was taken is written and durable. The record is nil where nothing of the file is to be kept.
  package mutating func written(_ record: ResumeRecord?) -> [Order] {
    guard case .finishing(let ending, _) = state, ending != .complete else { return [] }
    let record = isUncut ? nil : record
    kept = record
    guard !isStopping else { return end(.stopped(kept: kept)) }
    guard case .failed(let error) = ending else {
      return end(ending == .pathRefused ? .pathRefused(kept: kept) : .stopped(kept: kept))
    }
    if let record, let cause = uselessness(of: record, after: error) {
      return restart(discarding: record.durable, because: cause, then: .fail(error))
    }
    return end(failed(with: error, kept: kept))
  }

  /// Why what came before a failure is nothing to go on with, if so. What was kept from earlier is not to blame.
  private func uselessness(of record: ResumeRecord, after error: DownloadError) -> RestartCause? {
    switch error.code {
    case .notMedia where base == 0: .notMedia
    // A head may be too large, too: that says nothing of the file.
    case .tooLarge where isFileTooLarge: .tooLarge
    default: nil
    }
  }

  private func failed(with error: DownloadError, kept: ResumeRecord?) -> AttemptReport.News {
    .failed(error, kept: kept, retryAfterMilliseconds: retryAfterMilliseconds)
  }

  /// A complete file, as it lies on the disk.
  package struct Contents: Hashable, Sendable {
    /// Its length in bytes.
    package var length: Int64
    /// How it begins: at most `MediaSignature.length` bytes.
    package var beginning: [UInt8]
    /// The digests that the attempt asks for.
    package var digests: [DigestAlgorithm: [UInt8]]

    /// Describes a complete file.
    package init(length: Int64, beginning: [UInt8], digests: [DigestAlgorithm: [UInt8]] = [:]) {
      self.length = length
      self.beginning = beginning
      self.digests = digests
    }
  }

  /// All bytes of the complete file are written.
  ///
  /// `blank` is a record of 0 durable bytes, as made by `record(durable:tailHash:savedAt:)`: where no checkpoint
  ///   was made it tells the row which version the partial holds. During the same boot all of the partial counts by it.
  package mutating func completed(_ contents: Contents, blank: ResumeRecord) -> [Order] {
    guard case .finishing(.complete, let plan) = state else { return [] }
    guard !isStopping else { return finish(as: .stopped) }
    if contents.length > position, position < base {
      // The file has become shorter, and all of it repeats what is kept.
      version = incoming ?? version
      incoming = nil
      return restart(
        discarding: contents.length - position, because: .lengthChanged, then: .goOn(at: position, .complete))
    }
    guard contents.length == position else {
      let found = "\(contents.length) bytes instead of \(position)"
      let error = DownloadError(.lengthMismatch, "the partial file was changed from outside: it has \(found)")
      return end(.failed(error, kept: nil))
    }
    if let (cause, error) = fault(of: contents) {
      // What an earlier exchange brought may be to blame: then this server's whole file is to be seen.
      let isOfOnePiece = plan.rangeStart == nil || cause != .integrityMismatch
      return restart(discarding: contents.length, because: cause, then: isOfOnePiece ? .fail(error) : .askForWhole)
    }
    self.contents = contents
    // A record without durable bytes may be an older version's.
    kept = kept.flatMap { $0.durable > 0 ? $0 : nil } ?? blank
    state = .naming(number: 1)
    return [.name(number: 1)]
  }

  /// Why the complete file is not what was wanted, if it is not.
  private func fault(of contents: Contents) -> (RestartCause, DownloadError)? {
    let notMedia = MediaCheck.fault(
      prefix: contents.beginning, length: contents.length, isComplete: true, mediaType: head?.contentType,
      wantedExtension: attempt.wantedExtension)
    guard let integrity = attempt.description.integrity else { return notMedia.map { (.notMedia, $0) } }
    // What has the digest that the client knows is what the client wants. Web pages have been refused before.
    guard let digest = contents.digests[integrity.algorithm], integrity.accepts(digest) else {
      let name = integrity.algorithm.rawValue
      let error = DownloadError(.integrityMismatch, "the \(name) of the complete file is not the one that was given")
      // A captive portal's page has another digest, too, and there may be none of it later.
      return notMedia.map { (.notMedia, $0) } ?? (.integrityMismatch, error)
    }
    return nil
  }

  /// Has what was taken written. What is complete and is not published after all comes here too, for its full record.
  mutating func finish(as ending: Ending) -> [Order] {
    switch (state, ending) {
    case (.awaitingRestart, .failed(let error)), (.awaitingEnd, .failed(let error)):
      // After a restart's announcement nothing is kept: the file on the disk is what the row has already forgotten.
      // Before a whole file was asked for nothing was written.
      return end(failed(with: error, kept: kept))
    case (.awaitingRestart, _), (.awaitingEnd, _): return end(.stopped(kept: kept))
    default:
      state = .finishing(ending, .wholeFile)
      return [ending == .complete ? .completeWriting : .finishWriting]
    }
  }

  mutating func end(_ news: AttemptReport.News) -> [Order] {
    state = .ended
    return [.end(news)]
  }

  // MARK: The complete file

  /// A name for the complete file has been found, nil if the client's own is taken; and which file is to get it.
  package mutating func named(_ path: LibraryPath?, inode: UInt64, tags: TagOutcome = .notWanted) -> [Order] {
    guard case .naming(let number) = state, let kept else { return [] }
    guard !isStopping else { return finish(as: .stopped) }
    guard let path else {
      let wanted = attempt.description.path.map { "\"\($0)\"" } ?? "the path that was asked for"
      return finish(
        as: .failed(DownloadError(.fileExists, "another file is at \(wanted); move that file, or ask for another path"))
      )
    }
    var file = PublishedFile(
      path: path, length: position, inode: inode, sha256: contents?.digests[.sha256]?.hexadecimal)
    switch tags {
    case .notWanted: tagging = nil
    case .untagged(let reason): tagging = .untagged(because: reason)
    case .tagged(let length, let sha256):
      tagging = .tagged(.init(length: position, sha256: file.sha256))
      (file.length, file.sha256) = (length, sha256)
    }
    state = .awaitingPublishing(file, number: number)
    // The row learns the name while the contents are made durable. The file gets it when both are done.
    return [.report(.publishing(file, kept: kept, tagging: tagging))] + (isSynchronized ? [] : [.synchronizeContents])
  }

  /// The complete file's contents are durable; its entry among the partial files need not be.
  package mutating func contentsSynchronized() -> [Order] {
    isSynchronized = true
    guard case .awaitingContents(let file, let number) = state else { return [] }
    return publish(file, number: number)
  }

  private mutating func publish(_ file: PublishedFile, number: Int) -> [Order] {
    state = .publishing(file, number: number)
    return [.publish(file)]
  }

  /// The file stands at its place; nil if another file had its name.
  package mutating func published(_ publication: Publication?) -> [Order] {
    guard case .publishing(var file, let number) = state else { return [] }
    if let publication {
      file.modifiedNanoseconds = publication.modifiedNanoseconds
      return end(.finished(file, madeFolders: publication.madeFolders))
    }
    // The store has stopped the attempt, and takes no other name from it.
    guard !isStopping else { return finish(as: .stopped) }
    state = .naming(number: number + 1)
    return [.name(number: number + 1)]
  }
}
