import EngineRuntime
import Flux
import PodfluxCore

/// One request and its answer, as libcurl handles them in the product.
final class SimulatedExchange {
  private enum Phase {
    case connecting, body
    /// Nothing comes any more; the clock that ends it runs.
    case silent
    case over(Result<ExchangeSummary, ExchangeFailure>)
  }

  /// Which of the world's paths it was begun over.
  let pathNumber: Int
  private unowned let client: SimulatedAttempt
  private unowned let world: World
  private let request: HTTPRequest
  private let response: SimulatedResponse
  /// Why it does not get to its host; nil if it does.
  private let refusal: ExchangeFailure?
  private var phase = Phase.connecting
  /// The next byte of the content to be delivered.
  private var offset: Int
  private var isPaused = false
  /// Bytes that come before the content: another's page, what a coding begins with, or a sabotage's.
  private var prefix: [UInt8]
  /// What the body is said to begin with; for a sabotage only.
  private var falseOverlap: [UInt8] = []
  private var delivered: Int64 = 0
  /// The bytes received over the network and not reported yet.
  private var untold: Int64 = 0
  private var clockAtTick: Int64

  init(_ request: HTTPRequest, of client: SimulatedAttempt, isLetIn: Bool, refusal: ExchangeFailure?) {
    self.request = request
    self.refusal = refusal
    self.client = client
    world = client.world
    pathNumber = world.pathNumber
    clockAtTick = world.now
    var response = world.response(to: request, for: client.attempt)
    if refusal == nil { world.noteAnswer(response.status, to: request, in: client.process) }
    if !isLetIn { response = SimulatedResponse(status: 401, fields: [], content: response.content) }
    prefix = response.page
    if let file = client.files.file, let start = request.rangeStart.map({ Int($0) }) {
      if world.sabotage == .wholeAppendedToPartial, client.attempt.resume?.total == nil, response.status == 200 {
        prefix = Self.disguise(&response, from: start, of: file, as: client.attempt.resume)
      }
      if world.sabotage == .overlapNotCompared { falseOverlap = Array(file.bytes(start..<file.length)) }
    }
    if response.isCoded { prefix = SimulatedDecoder.beginning(of: response.range.count) + prefix }
    self.response = response
    client.lastAnswer = response
    offset = response.range.lowerBound
  }

  /// Makes a 200 look like the rest of the file, behind an overlap that fits, and with the validators of what is kept.
  private static func disguise(
    _ response: inout SimulatedResponse, from start: Int, of file: SimulatedFile, as record: ResumeRecord?
  ) -> [UInt8] {
    let total = file.length + response.range.count
    response.status = 206
    response.fields = [HTTPField(name: "Content-Range", value: "bytes \(start)-\(total - 1)/\(total)")]
    if let tag = record?.strongETag { response.fields.append(HTTPField(name: "ETag", value: tag)) }
    if let date = record?.lastModified { response.fields.append(HTTPField(name: "Last-Modified", value: date)) }
    return Array(file.bytes(start..<file.length))
  }

  // MARK: What the attempt asks

  func resume() {
    guard isPaused else { return }
    isPaused = false
    client.scheduleNetwork(after: world.random.delay())
  }

  func cancel() {
    isPaused = false
    end(.failure(.cancelled))
  }

  // MARK: What happens

  /// The next thing comes over the wire.
  func goOn() throws {
    guard !isPaused else { return }
    if !isOver, client.isLedElsewhere, request.route == .loopback { return try finish(.failure(.awayFromThisMachine)) }
    switch phase {
    case .connecting where !client.isReachable || !client.isConnected:
      end(.failure(ExchangeFailure(.connectFailed, message: "there is no way to the host")))
    case .connecting where refusal != nil: end(refusal.map { .failure($0) } ?? .failure(.cancelled))
    case .body where !client.isConnected: loseConnection()
    case .connecting: try receiveHead()
    case .body: try receiveBody()
    case .silent:
      try tick()
      phase = .over(.failure(ExchangeFailure(.stalled, message: "no byte came")))
      client.scheduleNetwork(after: Int64(request.stallTimeoutMilliseconds))
    case .over(let result): try finish(result)
    }
  }

  private var isOver: Bool { if case .over = phase { true } else { false } }

  private func receiveHead() throws {
    if let failure = response.failure { return end(.failure(failure)) }
    let head = response.head(from: client.attempt.address)
    let demand = try client.advance { $0.received(head: head, at: client.world.clock) }
    phase = .body
    switch demand {
    case .proceed: client.scheduleNetwork(after: world.random.delay())
    case .stop: end(.failure(.refused))
    }
  }

  private func receiveBody() throws {
    if world.now - clockAtTick >= WritePolicy.writeMilliseconds { try tick() }
    let piece = nextPiece()
    guard !piece.isEmpty else { return endBody() }
    let demand = try client.advance { attempt in piece.withUnsafeBytes { attempt.received(body: $0) } }
    if case .pause = demand {
      isPaused = true
      return
    }
    if client.needsPath {
      untold += Int64(piece.count)
      world.checker.traffic[client.attempt.id]?.wire += Int64(piece.count)
    }
    guard case .more = demand else { return end(.failure(.refused)) }
    try world.checker.willTake(piece.count, over: world.path, client)
    delivered += Int64(piece.count)
    if prefix.isEmpty { offset += piece.count } else { prefix = [] }
    client.scheduleNetwork(after: world.random.delay())
  }

  private func nextPiece() -> [UInt8] {
    guard prefix.isEmpty else { return prefix }
    let rest = offset..<response.range.upperBound
    let size = min(rest.count, min(16_384, 1 + world.random.below(1 << world.random.within(4...15))))
    var piece: [UInt8] = []
    piece.reserveCapacity(size)
    response.content.append(rest.lowerBound..<(rest.lowerBound + size), to: &piece)
    let position = offset - response.range.lowerBound
    for index in position..<max(position, min(falseOverlap.count, position + size)) {
      piece[index - position] = falseOverlap[index]
    }
    return piece
  }

  private func tick() throws {
    clockAtTick = world.now
    try tellTraffic()
    if let reading = try client.advance({ $0.tick(at: client.world.clock) }) { try client.post(reading) }
  }

  private func tellTraffic() throws {
    let bytes = world.sabotage == .trafficForgotten ? 0 : untold
    untold = 0
    if bytes > 0 { try client.advance { $0.received(overNetwork: bytes) } }
  }

  // MARK: The end

  private func endBody() {
    guard response.ending != .silence else { return fallSilent() }
    let isShort = response.fields.contains {
      $0.name == "Content-Length" && $0.value != "\(response.range.count)"
    }
    guard response.ending == .complete, !isShort else {
      return end(.failure(ExchangeFailure(.connectionLost, message: "the connection broke")))
    }
    end(.success(ExchangeSummary(bytesReceived: delivered, contentLength: nil, isDelimited: true)))
  }

  /// The path that it was made over is gone: it breaks, or nothing comes any more.
  private func loseConnection() {
    guard world.random.once(in: 2) else { return fallSilent() }
    end(.failure(ExchangeFailure(.connectionLost, message: "the path is gone")))
  }

  private func fallSilent() {
    phase = .silent
    client.scheduleNetwork(after: WritePolicy.writeMilliseconds)
  }

  private func end(_ result: Result<ExchangeSummary, ExchangeFailure>) {
    phase = .over(result)
    client.scheduleNetwork(after: world.random.delay())
  }

  private func finish(_ result: Result<ExchangeSummary, ExchangeFailure>) throws {
    try tellTraffic()
    try client.exchangeFinished(result)
  }
}

extension SimulatedResponse {
  /// Whether its body comes in a coding.
  var isCoded: Bool { fields.contains { $0.name == "Content-Encoding" } }
}

/// The one coding of the simulated world: the file's length in four bytes, and then the file.
final class SimulatedDecoder: BodyDecoder, @unchecked Sendable {
  // `@unchecked`: a world has one thread.

  private var beginning: [UInt8] = []
  private var rest = 0

  static func beginning(of length: Int) -> [UInt8] {
    withUnsafeBytes(of: UInt32(length).bigEndian) { Array($0) }
  }

  var isAtEnd: Bool { beginning.count == 4 && rest == 0 }

  func decode(
    _ bytes: UnsafeRawBufferPointer, _ take: (UnsafeRawBufferPointer) -> Bool
  ) throws(DownloadError) -> Bool {
    let taken = min(4 - beginning.count, bytes.count)
    if taken > 0 {
      beginning += bytes.prefix(taken)
      if beginning.count == 4 { rest = beginning.reduce(0) { $0 << 8 | Int($1) } }
    }
    let body = UnsafeRawBufferPointer(rebasing: bytes.dropFirst(taken))
    guard body.count <= rest else {
      throw DownloadError(.lengthMismatch, "the file is followed by bytes that are none of it")
    }
    rest -= body.count
    return body.isEmpty || take(body)
  }
}
