import Flux
import PodfluxCore

/// Calls of the exchange. Each takes microseconds.
extension DownloadAttempt {
  mutating func startExchange(_ plan: ResumePolicy.Plan, at now: ClockReading) {
    checkpoints.begin(at: machine.base, milliseconds: now.monotonicMilliseconds)
    buffer.reset()
    (held, decoder) = (nil, nil)
    (hasExchange, isExchangePaused) = (true, false)
    command(.startExchange(HTTPRequest(attempt, plan)))
  }

  /// The head of the final response has come.
  package mutating func received(head: ResponseHead, at now: ClockReading) -> HeadDemand {
    guard !isGathering else { return gather(head: head) }
    let (goesOn, orders) = machine.received(head: head, at: now.wall)
    if goesOn {
      comparison = machine.comparison
      decoder = machine.coding.map(configuration.makeDecoder)
    }
    enqueue(orders)
    return goesOn ? .proceed : .stop
  }

  /// A piece of the body has come. Cost: copies it, and allocates nothing as long as there are used blocks.
  package mutating func received(body bytes: UnsafeRawBufferPointer) -> BodyDemand {
    guard !isGathering else { return gather(body: bytes) }
    guard buffer.hasRoom(for: bytes.count) else {
      isExchangePaused = true
      return .pause
    }
    guard receive(bytes) == .take else { return .stop }
    if let piece = buffer.takePiece(evenIfSmall: false) { enqueue(.write(piece)) }
    return .more
  }

  /// So many more bytes of bodies have come over the network, whether they were handed over or not.
  package mutating func received(overNetwork bytes: Int64) {
    fetched += bytes
  }

  /// Some time has passed with the exchange running: small pieces are written.
  ///
  /// - Returns: a reading, if one is due.
  package mutating func tick(at now: ClockReading) -> AttemptReport? {
    guard !isGathering else {
      gatherWithinPatience(at: now)
      return nil
    }
    if machine.mayWrite, let piece = buffer.takePiece(evenIfSmall: true) { enqueue(.write(piece)) }
    let interval = Int64(attempt.settings.progressInterval * 1000)
    guard machine.isReceiving, now.monotonicMilliseconds - clockAtReading >= interval else { return nil }
    clockAtReading = now.monotonicMilliseconds
    // A reading may be replaced by the next one before it is handled, so it reports no bytes to be counted.
    return AttemptReport(
      attempt: attempt.id, news: .reading(received: machine.received, phase: machine.phase), fetched: 0)
  }

  /// The exchange has ended.
  package mutating func exchangeFinished(_ result: Result<ExchangeSummary, ExchangeFailure>) {
    hasExchange = false
    guard !isGathering else { return gathered(result) }
    switch result {
    case .success(let summary): enqueue(finish(summary))
    case .failure(let failure) where failure.reason == .pathRefused: enqueue(machine.pathRefused())
    case .failure(let failure):
      enqueue(machine.exchangeFinished(failure: DownloadError(failure), isDelimited: false))
    }
  }

  /// Takes a piece of the body. Decoded it may outgrow the buffer, by what a decoder makes of one piece.
  private mutating func receive(_ bytes: UnsafeRawBufferPointer) -> TransferMachine.BodyVerdict {
    guard let decoder else { return receiveDecoded(bytes) }
    guard machine.wantsBody else { return .stop }
    do throws(DownloadError) {
      return try decoder.decode(bytes) { receiveDecoded($0) == .take } ? .take : .stop
    } catch {
      return machine.decodingFailed(error)
    }
  }

  private mutating func receiveDecoded(_ bytes: UnsafeRawBufferPointer) -> TransferMachine.BodyVerdict {
    guard machine.received(body: bytes) == .take else { return .stop }
    buffer.append(bytes)
    return .take
  }

  /// The exchange has come to its end; a coding marks the file's own.
  private mutating func finish(_ summary: ExchangeSummary) -> [TransferMachine.Order] {
    guard let decoder else { return machine.exchangeFinished(failure: nil, isDelimited: summary.isDelimited) }
    guard decoder.isAtEnd || summary.bytesReceived == 0 else {
      // What has come to nothing at all is hardly the beginning of a file.
      let cut = DownloadError(
        machine.position == 0 ? .notMedia : .connectionLost, "the response ended before its coding did")
      return machine.exchangeFinished(failure: cut, isDelimited: false)
    }
    return machine.exchangeFinished(failure: nil)
  }
}
