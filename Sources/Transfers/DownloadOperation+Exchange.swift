import Flux
import PodfluxCore

/// What the curl thread tells. Every answer takes microseconds.
extension DownloadOperation: HTTPExchangeDelegate {
  func exchange(_ exchange: HTTPExchange, received head: ResponseHead) -> HeadDemand {
    let now = environment.readClock().wall
    return state.withLock { state in
      let (goesOn, orders) = state.machine.received(head: head, at: now)
      if goesOn {
        state.comparison = state.machine.comparison
        state.decoder = state.machine.coding.map(ContentDecoder.init)
      }
      carryOut(orders)
      return goesOn ? .proceed : .stop
    }
  }

  func exchange(_ exchange: HTTPExchange, received bytes: UnsafeRawBufferPointer) -> BodyDemand {
    state.withLock { state in
      guard state.buffer.hasRoom(for: bytes.count) else {
        state.isExchangePaused = true
        return .pause
      }
      guard state.take(bytes) == .take else { return .stop }
      if let piece = state.buffer.takePiece(evenIfSmall: false) { write(piece) }
      return .more
    }
  }

  func exchange(_ exchange: HTTPExchange, fetched bytes: Int64) {
    state.withLock { $0.fetched += bytes }
  }

  func exchangeDidTick(_ exchange: HTTPExchange) {
    let now = environment.readClock().monotonicMilliseconds
    let interval = Int64(attempt.settings.progressInterval * 1000)
    let reading = state.withLock { state -> AttemptReport.News? in
      if state.machine.mayWrite, let piece = state.buffer.takePiece(evenIfSmall: true) { write(piece) }
      guard state.machine.isReceiving, now - state.clockAtReading >= interval else { return nil }
      state.clockAtReading = now
      return .reading(received: state.machine.received, phase: state.machine.phase)
    }
    if let reading { report(reading) }
  }

  func exchange(_ exchange: HTTPExchange, finished result: Result<ExchangeSummary, ExchangeFailure>) {
    advance { state in
      state.exchange = nil
      return switch result {
      case .success(let summary): state.finishExchange(summary)
      case .failure(let failure) where failure.reason == .pathRefused: state.machine.pathRefused()
      case .failure(let failure):
        state.machine.exchangeFinished(failure: DownloadError(failure), isDelimited: false)
      }
    }
  }
}

extension DownloadOperation.State {
  /// Takes a piece of the body. Decoded it may outgrow the buffer by `ContentDecoder.maximumRatio` times a piece, which is
  /// some hundred KiB, and by `ContentDecoder.freeBytes` once.
  fileprivate mutating func take(_ bytes: UnsafeRawBufferPointer) -> TransferMachine.BodyVerdict {
    guard let decoder else { return takeDecoded(bytes) }
    do throws(DownloadError) {
      return try decoder.decode(bytes) { takeDecoded($0) == .take } ? .take : .stop
    } catch {
      return machine.decodingFailed(error)
    }
  }

  private mutating func takeDecoded(_ bytes: UnsafeRawBufferPointer) -> TransferMachine.BodyVerdict {
    guard machine.received(body: bytes) == .take else { return .stop }
    buffer.append(bytes)
    return .take
  }

  /// The exchange has come to its end; a coding marks the file's own.
  fileprivate mutating func finishExchange(_ summary: ExchangeSummary) -> [TransferMachine.Order] {
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

extension DownloadError {
  /// An exchange's failure in the protocol's terms.
  init(_ failure: ExchangeFailure) {
    let code: Code =
      switch failure.reason {
      case .unknownHost: .unknownHost
      case .connectFailed, .pathRefused, .tls: .connectFailed
      case .tlsCertificate: .tlsCertificate
      case .timeout, .stalled: .timeout
      case .tooSlow: .tooSlow
      case .tooManyRedirects: .tooManyRedirects
      case .headTooLarge: .tooLarge
      case .unsafeRedirect, .unsupportedProtocol, .malformedRequest: .unsafeRedirect
      case .connectionLost, .malformedResponse, .refusedByDelegate, .cancelled, .other: .connectionLost
      }
    self.init(code, failure.message)
  }
}
