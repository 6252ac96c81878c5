import PodfluxCore

/// One request and what comes of it, as far as it has come.
struct ExchangeState {
  enum Phase {
    case connecting, body
    case over(DownloadError?)
  }

  var response: SimulatedResponse
  var phase = Phase.connecting
  /// The next byte of the content to be delivered.
  var offset: Int
  /// Whether nothing more is taken until somebody says so.
  var isPaused = false
  /// Bytes that come before the body: somebody else's page, or a sabotage's.
  var prefix: [UInt8] = []
  /// What the body is said to begin with; for a sabotage only.
  var falseOverlap: [UInt8] = []

  /// Which of the world's paths it was begun over.
  let pathNumber: Int

  init(_ response: SimulatedResponse, pathNumber: Int) {
    self.response = response
    self.pathNumber = pathNumber
    offset = response.range.lowerBound
  }

  /// How the exchange ends once the body is delivered.
  var ending: DownloadError? {
    let isShort = response.fields.contains { $0.name == "Content-Length" && $0.value != "\(response.range.count)" }
    return response.ending == .cut || isShort ? DownloadError(.connectionLost, "the connection broke") : nil
  }
}

/// Collects what arrives until it is worth a write, as `WriteBuffer` of the real shell does.
struct PieceBuffer {
  let capacity: Int
  private(set) var filling: [UInt8] = []
  private(set) var isWriting = false

  init(capacity: Int) {
    self.capacity = capacity
  }

  func hasRoom(for count: Int) -> Bool {
    !isWriting || filling.count + count <= capacity
  }

  mutating func append(_ bytes: ArraySlice<UInt8>) {
    filling.append(contentsOf: bytes)
  }

  mutating func takePiece(evenIfSmall: Bool) -> [UInt8]? {
    guard !isWriting, evenIfSmall ? !filling.isEmpty : filling.count >= capacity else { return nil }
    isWriting = true
    defer { filling = [] }
    return filling
  }

  mutating func giveBack() {
    isWriting = false
  }

  mutating func reset() {
    (filling, isWriting) = ([], false)
  }
}
