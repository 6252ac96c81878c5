import Foundation
import WireProtocol

/// One connection, on the sockets' thread: reads lines while the session takes them, and sends what the output holds.
final class SocketClient {
  let token: Poller.Token
  let descriptor: Int32
  let session: ClientSession
  let output: SocketOutput
  /// The buffer for reading, which all clients use one after the other.
  private let buffer: UnsafeMutableRawBufferPointer
  private var lines = LineSplitter(limit: LineDecoder.maximumLineBytes)
  /// Bytes that were read and not taken by `lines`.
  private var unread: [UInt8] = []
  /// A request that the session has not taken yet.
  private var held: ClientSession.QueuedRequest?
  private var input = Input.open
  /// The bytes being sent; `sentCount` of them were sent.
  private var sending: [UInt8] = []
  private var sentCount = 0

  private enum Input {
    case open
    /// The client has ended its side; its last line is to come.
    case ended
    /// All its lines have been posted, and the connection ends when they are answered.
    case leaving
    /// The last line has been written.
    case closed
  }

  init(
    _ descriptor: Int32, token: Poller.Token, news: SocketNews, libraryPath: String,
    buffer: UnsafeMutableRawBufferPointer
  ) {
    self.descriptor = descriptor
    self.buffer = buffer
    self.token = token
    output = SocketOutput(token, news: news)
    session = ClientSession(output: output, libraryPath: libraryPath)
  }

  deinit {
    close(descriptor)
  }

  /// What the connection waits for.
  var interest: Poller.Interest {
    var interest: Poller.Interest = []
    if case .open = input, held == nil, unread.isEmpty, session.isOpen { interest.insert(.reading) }
    if sentCount < sending.count { interest.insert(.writing) }
    return interest
  }

  /// Whether the last line has been sent, or cannot be.
  var isOver: Bool {
    if case .closed = input { sending.isEmpty } else { false }
  }

  // MARK: Reading

  /// Reads once and posts what came.
  func read() {
    guard interest.contains(.reading), let piece = readPiece() else { return }
    unread = Array(piece.dropFirst(receive(piece)))
  }

  /// Reads once; nil if nothing is there.
  private func readPiece() -> UnsafeRawBufferPointer? {
    let count = Foundation.read(descriptor, buffer.baseAddress, buffer.count)
    guard count > 0 else {
      // A connection that was reset has ended like any other; its output will tell that the client is gone.
      if count == 0 || errno != EAGAIN && errno != EINTR { input = .ended }
      return nil
    }
    return UnsafeRawBufferPointer(rebasing: buffer.prefix(count))
  }

  /// Goes on wherever the connection stands: after input, after room in the output, after answers.
  func goOn() {
    send()
    if case .closed = input { return }
    guard session.end == nil else {
      // Each request that was posted has its answer before the last line.
      guard session.isAnswered else { return }
      sayGoodbye()
      return send()
    }
    guard postHeld() else { return }
    if case .ended = input, unread.isEmpty {
      lines.finish { post($0) }
      guard held == nil else { return }
      input = .leaving
    }
    if case .leaving = input, held == nil, session.isAnswered { session.leave() }
  }

  /// Posts what was held up. Returns whether nothing is any more.
  private func postHeld() -> Bool {
    if let request = held {
      guard session.post(request) else { return false }
      held = nil
    }
    guard !unread.isEmpty else { return true }
    let waiting = unread
    unread = []
    unread = Array(waiting.dropFirst(waiting.withUnsafeBytes { receive($0) }))
    return held == nil && unread.isEmpty
  }

  /// Returns how many bytes of the piece were taken.
  private func receive(_ piece: UnsafeRawBufferPointer) -> Int {
    guard session.isOpen else { return 0 }
    return lines.feed(piece) { line in
      post(line)
      return held == nil && session.isOpen
    }
  }

  private func post(_ line: LineSplitter.Line) {
    let request = session.request(for: line)
    if !session.post(request) { held = request }
  }

  // MARK: Sending

  /// Sends what there is, as far as the client takes it now.
  private func send() {
    var budget = SocketLimits.sendBytes
    while true {
      if sentCount == sending.count { (sending, sentCount) = (output.take(), 0) }
      guard !sending.isEmpty, budget > 0 else { return }
      let count = sending.withUnsafeBytes { bytes in
        let rest = UnsafeRawBufferPointer(rebasing: bytes.dropFirst(sentCount).prefix(budget))
        return Foundation.send(descriptor, rest.baseAddress, rest.count, Int32(MSG_NOSIGNAL))
      }
      if count > 0 {
        sentCount += count
        budget -= count
        output.delivered(count)
      } else if errno == EAGAIN {
        return
      } else if errno != EINTR {
        // The client is gone. What it has sent before is carried out.
        output.close()
        (sending, sentCount) = ([], 0)
        return
      }
    }
  }

  /// Refuses what has come and was not posted, and writes the last line.
  private func sayGoodbye() {
    if let held { session.refuse(held) }
    held = nil
    unread.withUnsafeBytes(refuse)
    unread = []
    var reads = 0
    while case .open = input, reads < SocketLimits.lastReads, output.hasRoom, let piece = readPiece() {
      refuse(piece)
      send()
      reads += 1
    }
    input = .closed
    session.sayGoodbye()
  }

  private func refuse(_ piece: UnsafeRawBufferPointer) {
    lines.feed(piece) { line in
      session.refuse(session.request(for: line))
      return true
    }
    session.turnEnded()
  }

  /// Empties the input: a socket that is closed with unread input resets the client's connection.
  func discardInput() {
    shutdown(descriptor, Int32(SHUT_WR))
    for _ in 0..<SocketLimits.lastReads
    where Foundation.read(descriptor, buffer.baseAddress, buffer.count) <= 0 { return }
  }
}
