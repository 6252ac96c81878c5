import EngineRuntime
import PodfluxCore

/// A request for a small file and what comes of it: a sidecar, or what tags show. What libcurl is in the product.
struct SmallExchange {
  /// What comes.
  enum Piece {
    case head(ResponseHead)
    case body([UInt8])
    case end(Result<ExchangeSummary, ExchangeFailure>)
  }

  let request: HTTPRequest
  /// Which of the world's paths it was begun over.
  private let pathNumber: Int
  /// What the settings said of addresses when its work began.
  private let rule: AddressRule?
  /// The pending pieces of the answer; nil before the request.
  private var pieces: [Piece]?

  init(_ request: HTTPRequest, under settings: Settings, in world: World) {
    self.request = request
    rule = settings.addresses
    pathNumber = world.pathNumber
  }

  /// Whether nothing more comes.
  var isOver: Bool { pieces?.isEmpty ?? false }

  /// Whether its host is on another machine.
  var needsPath: Bool {
    (try? WebAddress(request.url)).map { !WebAddress.isLoopback($0.host) } ?? false
  }

  /// Ends the exchange with this failure: all other pieces are dropped.
  mutating func end(with failure: ExchangeFailure) { pieces = [.end(.failure(failure))] }

  /// The next thing comes over the wire; nil where it is only on its way.
  mutating func next(in process: SimulatedProcess) throws -> Piece? {
    let world = process.world
    guard var rest = pieces else {
      guard !needsPath || world.path.leads(along: request.route) else {
        return last(.failure(ExchangeFailure(.connectFailed, message: "there is no way to the host")))
      }
      let host = try? WebAddress(request.url).host
      var visit = SimulatedVisit(request, under: rule, by: world.wordOfFeeds, in: world)
      if let failure = host.flatMap({ visit.enter($0) }) { return last(.failure(failure)) }
      let isLetIn = try host.map { try world.lets(request, in: process, at: $0) } ?? true
      let refusal = SimulatedSidecars.Answer(head: ResponseHead(status: 401, effectiveURL: request.url, fields: []))
      let answer = isLetIn ? world.answer(to: request) : refusal
      if let failure = answer.failure { return last(.failure(failure)) }
      pieces = Self.pieces(of: answer)
      return nil
    }
    guard !rest.isEmpty else { return nil }
    let piece = rest.removeFirst()
    switch piece {
    case .head, .body:
      guard !needsPath || pathNumber == world.pathNumber else {
        return last(.failure(ExchangeFailure(.connectionLost, message: "the path is gone")))
      }
    case .end: break
    }
    pieces = rest
    return piece
  }

  private mutating func last(_ result: Result<ExchangeSummary, ExchangeFailure>) -> Piece {
    pieces = []
    return .end(result)
  }

  private static func pieces(of answer: SimulatedSidecars.Answer) -> [Piece] {
    let half = answer.body.count / 2
    let bodies = [answer.body.prefix(half), answer.body.dropFirst(half)].filter { !$0.isEmpty }
    let summary = ExchangeSummary(bytesReceived: Int64(answer.body.count), contentLength: nil, isDelimited: true)
    let broken = ExchangeFailure(.connectionLost, message: "the connection broke")
    return [.head(answer.head)] + bodies.map { .body(Array($0)) }
      + [.end(answer.isCut ? .failure(broken) : .success(summary))]
  }
}
