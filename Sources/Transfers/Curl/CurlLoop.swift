import CCurl
import EngineRuntime
import PodfluxCore

/// The loop of the driver's thread: read letters, advance transfers, collect finished ones, tick, sleep.
final class CurlLoop {
  private let multi: MultiHandle
  private let mailbox: CurlMailbox
  private var trust: TrustStore
  private let proxies: ProxyEnvironment
  private var transfers: [HTTPExchange.ID: CurlTransfer] = [:]
  private var idleHandles: [EasyHandle] = []
  private let sockets: SocketTable
  private let pools: ConnectionPools
  private let bandwidth = BandwidthGate()
  private var nextTick = SuspendingClock.now

  init(
    multi: MultiHandle, mailbox: CurlMailbox, trust: TrustStore, proxies: ProxyEnvironment,
    chooseDevice: @escaping DeviceChoice
  ) {
    self.multi = multi
    self.mailbox = mailbox
    self.trust = trust
    self.proxies = proxies
    sockets = SocketTable(chooseDevice: chooseDevice)
    pools = ConnectionPools(sockets)
  }

  func run() {
    while readLetters() {
      let performed = multi.perform()
      if performed != CURLM_OK { failAll(performed) }
      concludeDone()
      refill()
      tickIfDue()
      let polled = multi.poll(timeoutMilliseconds: pollMilliseconds)
      if polled != CURLM_OK { failAll(polled) }
    }
    cancelAll()
  }

  /// Returns false to end the thread.
  private func readLetters() -> Bool {
    let letters = mailbox.collect()
    // Before starting the new ones: those get new connections.
    if letters.leavesPath { leaveNetworkPath() }
    if let rate = letters.bytesPerSecond { limit(bytesPerSecond: rate) }
    if let trust = letters.trust { self.trust = trust }
    for start in letters.started { begin(start) }
    for id in letters.cancelled { cancel(id) }
    for id in letters.resumed { resume(id, after: .delegate) }
    return !letters.isShuttingDown
  }
}

// MARK: - Beginning

extension CurlLoop {
  private func begin(_ start: CurlMailbox.Start) {
    do throws(ExchangeFailure) {
      if transfers.isEmpty { nextTick = .now + tickInterval }
      let transfer = CurlTransfer(
        start, hop: try start.request.firstHop(with: start.credentials), easy: try takeHandle(), bandwidth: bandwidth,
        sockets: sockets)
      try add(transfer)
      transfers[start.exchange.id] = transfer
    } catch {
      start.delegate.exchange(start.exchange, finished: .failure(error))
    }
  }

  /// When a hop has ended but not the exchange, starts the next hop, or repeats this one.
  private func goOn(
    _ transfer: CurlTransfer, isRepetition: Bool, to next: () throws(ExchangeFailure) -> HTTPHop
  ) {
    release(transfer)
    do throws(ExchangeFailure) {
      transfer.begin(try next(), isRepetition: isRepetition, easy: try takeHandle())
      try add(transfer)
    } catch {
      forget(transfer)
      transfer.finish(.failure(error))
    }
  }

  private func add(_ transfer: CurlTransfer) throws(ExchangeFailure) {
    let bufferBytes = CurlLimits.bufferBytes(
      besides: transfers.count, bytesPerSecond: bandwidth.shares.bytesPerSecond)
    try transfer.easy.prepare(for: transfer, trust: trust, proxies: proxies, bufferBytes: bufferBytes)
    try transfer.easy.setSockets(for: transfer)
    try transfer.easy.join(try pools.pool(for: transfer.request.route))
    let code = multi.add(transfer.easy)
    guard code == CURLM_OK else { throw .multi(code) }
  }

  private func takeHandle() throws(ExchangeFailure) -> EasyHandle {
    guard let easy = idleHandles.popLast() ?? EasyHandle() else {
      throw ExchangeFailure(.other, message: "libcurl has no memory for a handle")
    }
    return easy
  }
}

// MARK: - Going on

extension CurlLoop {
  /// Shuts down the connections of the old path, and closes the idle ones.
  private func leaveNetworkPath() {
    pools.renew()
    sockets.shutDownAll(exchanging: multi.exchange)
  }

  private func limit(bytesPerSecond rate: Int64) {
    bandwidth.shares.limit(bytesPerSecond: rate, now: .now)
  }

  /// Resumes exchanges that have waited for bandwidth.
  private func refill() {
    for id in bandwidth.shares.refill(now: .now) { resume(id, after: .bandwidth) }
  }

  private func resume(_ id: HTTPExchange.ID, after pause: CurlTransfer.Pauses) {
    guard let transfer = transfers[id] else { return }
    let code = transfer.unpause(pause)
    // libcurl delivers held bytes during this call, and does not always report a transfer that fails then.
    if code != CURLE_OK { conclude(transfer, transfer.conclusion(code)) }
  }

  private func tickIfDue() {
    let now = SuspendingClock.now
    sockets.left.letGoOfOld(now: now)
    guard now >= nextTick, !transfers.isEmpty else { return }
    nextTick = now + tickInterval
    for transfer in Array(transfers.values) {
      guard let failure = transfer.tick(now: now) else { continue }
      if failure.reason == .stalled { transfer.easy.distrustConnection() }
      conclude(transfer, transfer.conclusion(impatient: failure))
    }
  }

  private var tickInterval: Duration { .milliseconds(CurlLimits.tickMilliseconds) }

  private var pollMilliseconds: Int32 {
    guard !transfers.isEmpty else { return CurlLimits.idlePollMilliseconds }
    let next = min(nextTick, bandwidth.shares.nextRefill ?? nextTick)
    return (next - .now).waitMilliseconds
  }
}

// MARK: - Ending

extension CurlLoop {
  private func concludeDone() {
    while let (transfer, code) = multi.nextDone() { conclude(transfer, transfer.conclusion(code)) }
  }

  private func conclude(_ transfer: CurlTransfer, _ conclusion: CurlTransfer.Conclusion) {
    switch conclusion {
    case .finished(let result): end(transfer, result)
    case .repetition: goOn(transfer, isRepetition: true) { transfer.hop }
    case .redirect(let redirection):
      goOn(transfer, isRepetition: false) { () throws(ExchangeFailure) in
        let next = try transfer.hop.following(redirection)
        // Before any name look-up, which uses a path too.
        guard transfer.request.route != .loopback || WebAddress.isLoopback(next.url.origin.host) else {
          throw .awayFromThisMachine
        }
        return next
      }
    }
  }

  private func cancel(_ id: HTTPExchange.ID) {
    guard let transfer = transfers[id] else { return }
    end(transfer, .failure(.cancelled))
  }

  private func cancelAll() {
    for transfer in Array(transfers.values) { end(transfer, .failure(.cancelled)) }
    idleHandles = []
    pools.renew()
  }

  /// The multi handle itself has failed: no transfer on it may ever end.
  private func failAll(_ code: CURLMcode) {
    for transfer in Array(transfers.values) { end(transfer, .failure(.multi(code))) }
  }

  /// Removes the handle from libcurl before the delegate receives the end: no callback can follow.
  private func end(_ transfer: CurlTransfer, _ result: Result<ExchangeSummary, ExchangeFailure>) {
    release(transfer)
    forget(transfer)
    transfer.finish(result)
  }

  private func forget(_ transfer: CurlTransfer) {
    transfers[transfer.exchange.id] = nil
    bandwidth.shares.remove(transfer.exchange.id)
  }

  private func release(_ transfer: CurlTransfer) {
    transfer.tellFetched()
    let easy = transfer.easy
    multi.remove(easy)
    easy.leavePool()
    guard idleHandles.count < CurlLimits.maxIdleEasyHandles, easy.reset() else { return }
    idleHandles.append(easy)
  }
}

extension ExchangeFailure {
  fileprivate static func multi(_ code: CURLMcode) -> ExchangeFailure {
    ExchangeFailure(.other, message: "libcurl's multi handle: " + String(cString: curl_multi_strerror(code)))
  }
}
