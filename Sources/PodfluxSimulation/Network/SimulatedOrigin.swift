import EngineRuntime
import Flux
import PodfluxCore

/// One file on one host, as it changes over time, and the host's HTTP behaviour.
struct SimulatedOrigin {
  enum Validators: CaseIterable {
    case strong, weak, none, dateOnly, rotating
    /// The same tag for all contents.
    case lying
  }

  enum Ranges: CaseIterable {
    case honoured, honouredInPart, ignored, shifted, wrongBytes, multipart, withoutContentRange, unsatisfiable
  }

  /// The number of phases of one origin: no two origins have a byte in common at any offset.
  static let phases = 20

  let number: Int
  let address: WebAddress
  /// Whether its validators are always correct. Only then may a part change that no overlap shows.
  let isHonest: Bool
  /// All versions so far, the current one last.
  private(set) var versions: [Content] = []
  var validators = Validators.strong
  var ranges = Ranges.honoured
  var declaresLength = true
  private var freePhases: [Int]
  private var answers = 0

  init(number: Int, address: WebAddress, using random: inout SeededGenerator) {
    self.number = number
    self.address = address
    isHonest = random.once(in: 3)
    freePhases = (0..<Self.phases).map { number * Self.phases + $0 }
    versions = [Content(phase: freePhases.removeLast(), length: Self.length(using: &random))]
  }

  var current: Content { versions[versions.count - 1] }

  private static func length(using random: inout SeededGenerator) -> Int {
    switch random.below(40) {
    case 0...25: random.within(Int(MediaCheck.smallestUnrecognized)...2_000)
    case 26...35: random.within(2_000...20_000)
    case 36...38: random.within(60_000...140_000)
    default: random.within(140_000...Content.longest)
    }
  }

  // MARK: Change

  /// Changes the content in a plausible way.
  mutating func change(using random: inout SeededGenerator) {
    guard let phase = freePhases.popLast() else { return }
    var next = current
    switch random.below(5) {
    case 0:  // An advertisement in front: what follows it moves, as far as there is room.
      next.phase = phase
      next.length = min(Content.longest, current.length + (current.phase - phase + Content.period) % Content.period)
      next.window = 0..<0
    case 1:  // Something else of the same length.
      next = Content(phase: phase, length: current.length)
    case 2 where isHonest && current.length > 10:  // An advertisement in the middle, exchanged.
      let start = random.below(current.length - 1)
      next.window = start..<random.within((start + 1)...current.length)
      next.windowPhase = phase
    case 3 where isHonest:  // Something was appended.
      next.length = min(Content.longest, current.length + random.within(1...500))
    default: next = Content(phase: phase, length: Self.length(using: &random))
    }
    if next != current { versions.append(next) }
  }

  mutating func misbehave(using random: inout SeededGenerator) {
    if !isHonest { validators = random.pick(Validators.allCases) }
    ranges = random.once(in: 2) ? .honoured : random.pick(Ranges.allCases)
    declaresLength = !random.once(in: 4)
  }

  mutating func behave() {
    (validators, ranges, declaresLength) = (.strong, .honoured, true)
  }

  // MARK: Answers

  /// The answer to a request, without faults of the network.
  mutating func answer(_ request: HTTPRequest) -> SimulatedResponse {
    answers += 1
    guard let start = request.rangeStart.map({ Int($0) }), ranges != .ignored, mayAnswerPart(request) else {
      return whole()
    }
    guard start < current.length, ranges != .unsatisfiable else {
      return SimulatedResponse(status: 416, fields: fields(contentRange: "bytes */\(current.length)"), content: current)
    }
    return part(from: start)
  }

  private func mayAnswerPart(_ request: HTTPRequest) -> Bool {
    request.ifRange == nil || request.ifRange == strongTag
  }

  private func whole() -> SimulatedResponse {
    var response = SimulatedResponse(status: 200, fields: fields(), content: current)
    response.range = 0..<current.length
    if declaresLength {
      response.fields.append(HTTPField(name: "Content-Length", value: "\(current.length)"))
    } else {
      response.fields.append(HTTPField(name: "Transfer-Encoding", value: "chunked"))
    }
    return response
  }

  private func part(from start: Int) -> SimulatedResponse {
    let length = current.length
    var range = start..<length
    var contentRange: String? = "bytes \(start)-\(length - 1)/\(length)"
    switch ranges {
    case .honouredInPart:
      range = start..<(start + (length - start + 1) / 2)
      contentRange = "bytes \(start)-\(range.upperBound - 1)/\(length)"
    case .shifted:
      range = min(start + 3, length - 1)..<length
      contentRange = "bytes \(range.lowerBound)-\(length - 1)/\(length)"
    case .wrongBytes: range = min(start + 3, length - 1)..<length
    case .withoutContentRange, .multipart: contentRange = nil
    case .honoured, .ignored, .unsatisfiable: break
    }
    var response = SimulatedResponse(status: 206, fields: fields(contentRange: contentRange), content: current)
    if ranges == .multipart {
      response.fields.append(HTTPField(name: "Content-Type", value: "multipart/byteranges; boundary=x"))
    }
    response.range = range
    return response
  }

  private func fields(contentRange: String? = nil) -> [HTTPField] {
    var fields: [HTTPField] = []
    switch validators {
    case .strong, .rotating, .lying: strongTag.map { fields.append(HTTPField(name: "ETag", value: $0)) }
    case .weak: fields.append(HTTPField(name: "ETag", value: "W/\"\(number)-\(versions.count)\""))
    case .none, .dateOnly: break
    }
    if validators == .dateOnly || validators == .strong {
      fields.append(HTTPField(name: "Last-Modified", value: "day \(versions.count)"))
    }
    contentRange.map { fields.append(HTTPField(name: "Content-Range", value: $0)) }
    return fields
  }

  private var strongTag: String? {
    switch validators {
    case .strong: "\"\(number)-\(versions.count)\""
    case .lying: "\"\(number)\""
    case .rotating: "\"\(number)-\(versions.count)-\(answers)\""
    case .weak, .none, .dateOnly: nil
    }
  }
}

/// The data on the wire in answer to one request.
struct SimulatedResponse {
  enum Ending {
    case complete
    case cut
    case silence
  }

  var status: Int
  var fields: [HTTPField]
  var content: Content
  /// The range of the content that the body contains.
  var range: Range<Int> = 0..<0
  /// How the body ends.
  var ending = Ending.complete
  /// The failure before a head comes.
  var failure: ExchangeFailure?
  /// The bytes instead of the content.
  var page: [UInt8] = []

  func head(from address: WebAddress) -> ResponseHead {
    ResponseHead(status: status, effectiveURL: address.description, fields: fields)
  }
}

extension SimulatedResponse {
  /// Adds a random fault of the network.
  mutating func suffer(using random: inout SeededGenerator) {
    switch random.below(26) {
    case 0: failure = ExchangeFailure(.connectFailed, message: "nothing listens")
    case 1: failure = ExchangeFailure(.unknownHost, message: "no such host")
    case 2: fail(with: random.pick([404, 410, 403, 401]))
    case 3:
      fail(with: random.pick([429, 500, 503, 408]))
      if random.once(in: 2) { fields = [HTTPField(name: "Retry-After", value: "\(random.below(120))")] }
    case 4:
      fields.append(HTTPField(name: "Content-Type", value: "text/html"))
    case 5: range = range.lowerBound..<range.lowerBound
    case 6: fields.append(HTTPField(name: "Content-Encoding", value: "gzip"))
    case 7...10: end(.cut, using: &random)
    case 11: end(.silence, using: &random)
    case 12: becomePage(using: &random)
    default: break
    }
  }

  /// Another server answers with the expected type: a captive portal, or a host that has only the feed.
  private mutating func becomePage(using random: inout SeededGenerator) {
    status = 200
    fields = [
      HTTPField(name: "Transfer-Encoding", value: "chunked"), HTTPField(name: "Content-Type", value: "audio/mpeg"),
    ]
    range = 0..<0
    let text = random.pick([
      "<!DOCTYPE html><title>Log in</title>", "{\"error\":\"log in\"}",
      "<?xml version=\"1.0\"?><!-- made today --><rss version=\"2.0\">",
    ])
    page = Array(String(repeating: text, count: random.within(1...200)).utf8)
  }

  private mutating func fail(with status: Int) {
    self.status = status
    fields = []
    range = 0..<0
  }

  private mutating func end(_ ending: Ending, using random: inout SeededGenerator) {
    self.ending = ending
    range = range.lowerBound..<(range.lowerBound + random.below(range.count + 1))
  }
}
