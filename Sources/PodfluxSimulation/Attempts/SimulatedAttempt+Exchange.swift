import Flux
import PodfluxCore

/// What the network does to an attempt.
extension SimulatedAttempt {
  func request(_ plan: ResumePolicy.Plan) throws {
    let headers = world.sabotage == .headersEverywhere ? attempt.description.headers : attempt.headers
    try world.checker.willSend(headers, to: attempt.address, for: download)
    var response = world.response(to: plan, for: attempt)
    var prefix = response.page
    if world.sabotage == .wholeAppendedToPartial, attempt.resume?.total == nil {
      prefix = disguise(&response, as: plan)
    }
    exchange = ExchangeState(response, pathNumber: world.pathNumber)
    isLedElsewhere = !needsPath && world.suffers(.protocols) && world.random.once(in: 20)
    exchange?.prefix = prefix
    if world.sabotage == .overlapNotCompared, let start = plan.rangeStart, let file {
      exchange?.falseOverlap = Array(file.bytes(Int(start)..<file.length))
    }
    clockAtWrite = world.now
    clockAtRequest = world.now
    checkpoints.begin(at: machine.base, milliseconds: world.now)
    buffer.reset()
    held = nil
    scheduleNetwork()
  }

  /// Makes a 200 look like the rest of the file, behind an overlap that fits.
  private func disguise(_ response: inout SimulatedResponse, as plan: ResumePolicy.Plan) -> [UInt8] {
    guard response.status == 200, let start = plan.rangeStart, let file else { return [] }
    let total = file.length + response.range.count
    response.status = 206
    response.fields = [HTTPField(name: "Content-Range", value: "bytes \(start)-\(total - 1)/\(total)")]
    return Array(file.bytes(Int(start)..<file.length))
  }

  func resumeExchange() {
    guard exchange?.isPaused == true else { return }
    exchange?.isPaused = false
    scheduleNetwork()
  }

  func cancelExchange() {
    guard exchange != nil else { return }
    exchange?.isPaused = false
    exchange?.phase = .over(DownloadError(.connectionLost, "cancelled"))
    scheduleNetwork()
  }

  private func scheduleNetwork() {
    networkNumber += 1
    world.schedule(.network(self, number: networkNumber), after: world.random.delay())
  }

  /// The next thing comes over the wire.
  func hear(number: Int) throws {
    guard !isOver, number == networkNumber, let exchange, !exchange.isPaused else { return }
    switch exchange.phase {
    case .connecting, .body:
      guard isLedElsewhere, attempt.route == .loopback else { break }
      self.exchange = nil
      return try carryOut(machine.pathRefused())
    case .over: break
    }
    switch exchange.phase {
    case .connecting where !isReachable || !isConnected:
      finish(DownloadError(.connectFailed, "there is no way to the host"))
    case .body where !isConnected: loseConnection()
    case .connecting: try hearHead(exchange.response)
    case .body: try hearBody()
    case .over(let failure):
      self.exchange = nil
      try carryOut(machine.exchangeFinished(failure: failure))
    }
  }

  private func hearHead(_ response: SimulatedResponse) throws {
    if let failure = response.failure { return finish(failure) }
    let (goesOn, orders) = machine.received(head: response.head(from: attempt.address), at: world.clock.wall)
    if goesOn { comparison = machine.comparison }
    exchange?.phase = .body
    try carryOut(orders)
    if goesOn { scheduleNetwork() } else { finish(.refused) }
  }

  private func hearBody() throws {
    guard let exchange else { return }
    tick()
    let piece = nextPiece(of: exchange)
    guard !piece.isEmpty else { return endBody(exchange) }
    guard buffer.hasRoom(for: piece.count) else {
      self.exchange?.isPaused = true
      return
    }
    if needsPath {
      fetched += Int64(piece.count)
      world.checker.traffic[attempt.id]?.wire += Int64(piece.count)
    }
    switch piece.withUnsafeBytes({ machine.received(body: $0) }) {
    case .take:
      try world.checker.willTake(piece.count, over: world.path, self)
      buffer.append(piece[...])
      advance(by: piece.count)
      if let full = buffer.takePiece(evenIfSmall: false) { enqueue(.write(full)) }
      scheduleNetwork()
    case .stop: finish(.refused)
    }
  }

  private func nextPiece(of exchange: ExchangeState) -> [UInt8] {
    guard exchange.prefix.isEmpty else { return exchange.prefix }
    let rest = exchange.offset..<exchange.response.range.upperBound
    let size = min(rest.count, min(16_384, 1 + world.random.below(1 << world.random.within(4...15))))
    var piece: [UInt8] = []
    piece.reserveCapacity(size)
    exchange.response.content.append(rest.lowerBound..<(rest.lowerBound + size), to: &piece)
    let delivered = exchange.offset - exchange.response.range.lowerBound
    for index in delivered..<max(delivered, min(exchange.falseOverlap.count, delivered + size)) {
      piece[index - delivered] = exchange.falseOverlap[index]
    }
    return piece
  }

  private func advance(by count: Int) {
    if exchange?.prefix.isEmpty == false { exchange?.prefix = [] } else { exchange?.offset += count }
  }

  /// Time passes: small pieces are written, and a reading is given.
  private func tick() {
    if world.now - clockAtWrite >= WritePolicy.writeMilliseconds {
      clockAtWrite = world.now
      if machine.mayWrite, let piece = buffer.takePiece(evenIfSmall: true) { enqueue(.write(piece)) }
    }
    let interval = Int64(attempt.settings.progressInterval * 1000)
    if machine.isReceiving, world.now - clockAtReading >= interval {
      clockAtReading = world.now
      process.post(
        .attempt(
          AttemptReport(
            attempt: attempt.id, news: .reading(received: machine.received, phase: machine.phase))))
    }
  }

  private func endBody(_ exchange: ExchangeState) {
    guard exchange.response.ending == .silence else { return finish(exchange.ending) }
    self.exchange?.phase = .over(DownloadError(.timeout, "no byte came"))
    networkNumber += 1
    world.schedule(
      .network(self, number: networkNumber), after: Int64(attempt.settings.stallTimeoutSeconds) * 1000)
  }

  /// The path that it was made over is gone: it breaks, or nothing comes any more.
  private func loseConnection() {
    guard world.random.once(in: 2) else { return finish(DownloadError(.connectionLost, "the path is gone")) }
    exchange?.phase = .over(DownloadError(.timeout, "no byte came"))
    networkNumber += 1
    world.schedule(
      .network(self, number: networkNumber), after: Int64(attempt.settings.stallTimeoutSeconds) * 1000)
  }

  private func finish(_ failure: DownloadError?) {
    exchange?.phase = .over(failure)
    scheduleNetwork()
  }
}

extension DownloadError {
  fileprivate static let refused = DownloadError(.connectionLost, "no longer wanted")
}
