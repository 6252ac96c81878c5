/// Handles the result of comparing received and kept bytes.
extension TransferMachine {
  /// The server has repeated all kept bytes: the following bytes are new, and of the incoming version.
  package mutating func keptWasRepeated() {
    guard var incoming else { return }
    incoming.rotatesTags = rotatesTags(incoming)
    version = incoming
    self.incoming = nil
    suspicion = nil
  }

  /// Another tag for the same bytes. That length and date are the same too makes sure that it is not just the beginning
  /// of another version.
  private func rotatesTags(_ incoming: FileVersion) -> Bool {
    guard !keptBytes.isFromElsewhere, !isTotalAssumed, let known = version.tagHash,
      let current = incoming.tagHash, version.total == incoming.total, let date = version.lastModified,
      incoming.lastModified == date
    else { return false }
    return version.rotatesTags || (known != current && base >= ResumeRecord.overlap)
  }

  /// A received byte differs from the kept one at this offset. The shell holds the piece back.
  package mutating func keptDiffers(at offset: Int64) -> [Order] {
    switch state {
    case .receiving(let plan) where !isStopping: return changed(at: offset, plan, ending: nil)
    case .finishing(let ending, let plan):
      guard isStopping || !isWorth(aRestart: ending) else { return changed(at: offset, plan, ending: ending) }
      // The piece has been kept back: this time there is nothing to write, and what is kept stands.
      state = .finishing(isStopping ? .stopped : ending, plan)
      return [.finishWriting]
    case .idle, .opening, .requesting, .receiving, .awaitingRestart, .awaitingEnd, .naming, .awaitingPublishing,
      .awaitingContents, .publishing, .ended:
      return []
    }
  }

  /// Nothing is given up for what is no media, or too little to be judged.
  private func isWorth(aRestart ending: Ending) -> Bool {
    switch ending {
    case .complete: true
    case .failed(let error): mayWrite && error.code != .notMedia
    case .stopped, .pathRefused: false
    }
  }

  private mutating func changed(at offset: Int64, _ plan: ResumePolicy.Plan, ending: Ending?) -> [Order] {
    guard plan.rangeStart == nil else {
      // A part of another version: what stands before it is to be seen.
      suspicion = .contentChanged
      return askForWhole()
    }
    let cause = suspicion ?? self.cause
    version = incoming ?? version
    incoming = nil
    // The incoming bytes are those of another version after all.
    if isTotalAssumed { (version.total, isTotalAssumed) = (nil, false) }
    return restart(discarding: base - offset, because: cause, then: .goOn(at: offset, ending))
  }

  private var cause: RestartCause {
    guard let incoming else { return .contentChanged }
    if let head, version.isContradicted(by: head) { return .validatorChanged }
    if let known = version.total, let current = incoming.total, known != current { return .lengthChanged }
    return .contentChanged
  }
}
