import Flux
import PodfluxCore

/// What the curl thread tells. Every answer takes microseconds.
extension DownloadOperation: HTTPExchangeDelegate {
  func exchange(_ exchange: HTTPExchange, received head: ResponseHead) -> HeadDemand {
    let now = environment.readClock().wall
    return state.withLock { state in
      let (goesOn, orders) = state.machine.received(head: head, at: now)
      if goesOn { state.comparison = state.machine.comparison }
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
      guard state.machine.received(body: bytes) == .take else { return .stop }
      state.buffer.append(bytes)
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
      case .success(let summary): state.machine.exchangeFinished(failure: nil, isDelimited: summary.isDelimited)
      case .failure(let failure) where failure.reason == .pathRefused: state.machine.pathRefused()
      case .failure(let failure):
        state.machine.exchangeFinished(failure: DownloadError(failure), isDelimited: false)
      }
    }
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
