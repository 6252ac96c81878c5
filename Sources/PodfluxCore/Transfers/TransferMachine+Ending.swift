/// Restarting, stopping, failing and publishing.
extension TransferMachine {
  // MARK: The store's permission

  /// Kept bytes are to go: the store is told, and nothing is thrown away before it has agreed.
  mutating func restart(discarding: Int64, because cause: RestartCause, askAgain: Bool) -> [Order] {
    state = .awaitingRestart(thenAskAgain: askAgain)
    kept = nil
    return [.report(.restarting(discarding: discarding, because: cause))]
  }

  /// The store has committed what was announced.
  public mutating func proceed() -> [Order] {
    guard !isStopping else { return [] }
    switch state {
    case .awaitingRestart(thenAskAgain: true): return [.truncate(to: 0)] + askForWhole()
    case .awaitingRestart(thenAskAgain: false):
      position = 0
      head.map { version = Version(head: $0) }
      state = .receiving
      return [.truncate(to: 0), .resumeExchange]
    case .awaitingPublishing(let file, let number):
      guard isSynchronized else {
        state = .awaitingContents(file, number: number)
        return []
      }
      return publish(file, number: number)
    case .idle, .opening, .readingOverlap, .requesting, .comparing, .receiving, .awaitingEnd, .finishing, .naming,
      .awaitingContents, .publishing, .ended:
      return []
    }
  }

  private mutating func askForWhole() -> [Order] {
    position = 0
    version = Version()
    overlap = []
    guard !hasExchange else {
      state = .awaitingEnd
      return []
    }
    return requestWhole()
  }

  mutating func requestWhole() -> [Order] {
    state = .requesting(.wholeFile)
    hasExchange = true
    return [.request(.wholeFile)]
  }

  // MARK: Ends before the file is complete

  /// The attempt is to end and to keep what it has. After the store has agreed to the publishing it is too late:
  /// the file is published, if its name is free.
  public mutating func stop() -> [Order] {
    guard !isStopping else { return [] }
    switch state {
    case .ended: return []
    case .idle, .opening, .readingOverlap, .naming, .finishing, .awaitingContents, .publishing:
      // The answer to what is under way finds `isStopping` and ends.
      isStopping = true
      return []
    case .awaitingPublishing:
      isStopping = true
      return finish(as: .stopped)
    case .requesting, .comparing, .receiving, .awaitingRestart, .awaitingEnd:
      isStopping = true
      return hasExchange ? [.cancelExchange] : finish(as: .stopped)
    }
  }

  /// Something could not be done with the files.
  public mutating func filesFailed(_ error: DownloadError) -> [Order] {
    switch state {
    case .ended: return []
    case .finishing(let ending):
      // The sync itself has failed: only the last record is known to be durable.
      return end(ending == .stopped ? .stopped(kept: kept) : .failed(error, kept: kept))
    case .idle, .opening, .readingOverlap:
      return end(isStopping ? .stopped(kept: kept) : .failed(error, kept: kept))
    case .naming, .publishing: return finish(as: isStopping ? .stopped : .failed(error))
    case .awaitingPublishing, .awaitingContents:
      // The sync of the contents has failed. The kernel says so once: another one could seem to succeed.
      return end(isStopping ? .stopped(kept: kept) : .failed(error, kept: kept))
    case .requesting, .comparing, .receiving, .awaitingRestart, .awaitingEnd:
      guard hasExchange else { return finish(as: .failed(error)) }
      state = .finishing(.failed(error))
      return [.cancelExchange]
    }
  }

  /// A sync has failed, as `filesFailed` is about to tell. What was written since the last record may never reach the
  /// device, and the next attempt's sync could seem to succeed: only what the record promises is believed from now on.
  ///
  /// - Returns: the length to cut the partial to, at once and before anything else: the row may learn of this too late.
  public mutating func synchronizationFailed() -> Int64 {
    kept?.bootID = ResumeRecord.noBoot
    return kept?.durable ?? 0
  }

  /// A record is durable and has been reported.
  public mutating func checkpointed(_ record: ResumeRecord) {
    kept = record
  }

  /// What was taken is written and durable. The record is nil where nothing of the file is to be kept.
  public mutating func written(_ record: ResumeRecord?) -> [Order] {
    guard case .finishing(let ending) = state, ending != .complete else { return [] }
    kept = record
    guard case .failed(let error) = ending, !isStopping else { return end(.stopped(kept: kept)) }
    return end(.failed(error, kept: kept))
  }

  /// All bytes of the complete file are written.
  ///
  /// - Parameters:
  ///   - length: The file's length on the disk, in bytes.
  ///   - blank: A record of 0 durable bytes, as made by `record(durable:tailHash:savedAt:)`: where no checkpoint was made
  ///     it tells the row which version the partial holds. During the same boot all of the partial counts by it.
  public mutating func completed(length: Int64, blank: ResumeRecord) -> [Order] {
    guard case .finishing(.complete) = state else { return [] }
    guard !isStopping else { return finish(as: .stopped) }
    guard length == position else {
      let found = "\(length) bytes instead of \(position)"
      return end(.failed(DownloadError(.io, "the partial file was changed from outside: it has \(found)"), kept: nil))
    }
    // A record without durable bytes may be an older version's.
    kept = kept.flatMap { $0.durable > 0 ? $0 : nil } ?? blank
    state = .naming(number: 1)
    return [.name(number: 1)]
  }

  /// Has what was taken written. What is complete and is not published after all comes here too, for its full record.
  mutating func finish(as ending: Ending) -> [Order] {
    // Between a restart's announcement and its truncation the file on the disk is the old version, which the row has
    // already forgotten: nothing is kept.
    switch (state, ending) {
    case (.awaitingRestart, .failed(let error)), (.awaitingEnd, .failed(let error)):
      return end(.failed(error, kept: nil))
    case (.awaitingRestart, _), (.awaitingEnd, _): return end(.stopped(kept: nil))
    default:
      state = .finishing(ending)
      return [ending == .complete ? .completeWriting : .finishWriting]
    }
  }

  mutating func end(_ news: AttemptReport.News) -> [Order] {
    state = .ended
    return [.end(news)]
  }

  // MARK: The complete file

  /// A name for the complete file has been found; nil if the client's own is taken.
  public mutating func named(_ path: LibraryPath?, inode: UInt64) -> [Order] {
    guard case .naming(let number) = state, let kept else { return [] }
    guard !isStopping else { return finish(as: .stopped) }
    guard let path else {
      let error = DownloadError(.fileExists, "another file has the name that was asked for; move it or ask for another")
      return finish(as: .failed(error))
    }
    let file = PublishedFile(path: path, length: position, inode: inode)
    state = .awaitingPublishing(file, number: number)
    // The row learns the name while the contents are made durable. The file gets it when both are done.
    return [.report(.publishing(file, kept: kept))] + (isSynchronized ? [] : [.synchronizeContents])
  }

  /// The complete file's contents are durable; its entry among the partial files need not be.
  public mutating func contentsSynchronized() -> [Order] {
    isSynchronized = true
    guard case .awaitingContents(let file, let number) = state else { return [] }
    return publish(file, number: number)
  }

  private mutating func publish(_ file: PublishedFile, number: Int) -> [Order] {
    state = .publishing(file, number: number)
    return [.publish(file)]
  }

  /// The file stands at its place, or another file had its name.
  public mutating func published(_ succeeded: Bool) -> [Order] {
    guard case .publishing(let file, let number) = state else { return [] }
    guard !succeeded else { return end(.finished(file)) }
    // The store has told it to stop and hears of no other name.
    guard !isStopping else { return finish(as: .stopped) }
    state = .naming(number: number + 1)
    return [.name(number: number + 1)]
  }
}

extension TransferMachine.Version {
  /// The version that a response's head describes.
  init(head: ResponseHead) {
    self.init(
      strongETag: head.entityTag.flatMap { $0.isWeak ? nil : $0.fieldValue }, lastModified: head.lastModified,
      total: head.contentLength)
  }
}
