import Flux
import PodfluxCore

/// What the curl thread tells. Every answer takes microseconds.
extension DownloadOperation: HTTPExchangeDelegate {
  func exchange(_ exchange: HTTPExchange, received head: ResponseHead) -> HeadDemand {
    state.withLock { state in
      let (goesOn, orders) = state.machine.received(head: head)
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
      let (verdict, orders) = state.machine.received(body: bytes)
      carryOut(orders)
      switch verdict {
      case .take(let count):
        state.buffer.append(UnsafeRawBufferPointer(rebasing: bytes.dropFirst(count)))
        if let piece = state.buffer.takePiece(evenIfSmall: false) { write(piece) }
        return .more
      case .wait: return .pause
      case .stop: return .stop
      }
    }
  }

  func exchangeDidTick(_ exchange: HTTPExchange) {
    let now = environment.readClock().monotonicMilliseconds
    let interval = Int64(attempt.settings.progressInterval * 1000)
    let reading = state.withLock { state -> AttemptReport.News? in
      if now - state.clockAtWrite >= WritePolicy.writeMilliseconds {
        state.clockAtWrite = now
        if let piece = state.buffer.takePiece(evenIfSmall: true) { write(piece) }
      }
      guard state.machine.isReceiving, now - state.clockAtReading >= interval else { return nil }
      state.clockAtReading = now
      return .reading(received: state.machine.position, phase: state.machine.phase)
    }
    if let reading { report(reading) }
  }

  func exchange(_ exchange: HTTPExchange, finished result: Result<ExchangeSummary, ExchangeFailure>) {
    let failure: DownloadError? =
      switch result {
      case .success: nil
      case .failure(let failure): DownloadError(failure)
      }
    advance { state in
      state.exchange = nil
      return state.machine.exchangeFinished(failure: failure)
    }
  }
}

extension DownloadError {
  /// An exchange's failure in the protocol's terms.
  init(_ failure: ExchangeFailure) {
    let code: Code =
      switch failure.reason {
      case .unknownHost: .unknownHost
      case .connectFailed: .connectFailed
      case .tlsCertificate: .tlsCertificate
      case .timeout: .timeout
      case .stalled: .timeout
      case .tooManyRedirects: .tooManyRedirects
      case .unsafeRedirect, .unsupportedProtocol, .malformedRequest: .unsafeRedirect
      case .tls, .connectionLost, .malformedResponse, .refusedByDelegate, .cancelled, .other: .connectionLost
      }
    self.init(code, failure.message)
  }
}
