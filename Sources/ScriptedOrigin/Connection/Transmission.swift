import NIOCore

/// Writes one response: says what to do next, and does none of it.
struct Transmission {
  enum Step {
    case write(ByteBuffer, bodyByteCount: Int)
    case wait(until: NIODeadline)
    case end(Delivery.Ending)
  }

  private enum Phase {
    case head
    case body
    case ended
  }

  let sequence: Int
  let status: Int
  private let delivery: Delivery
  private let headDue: NIODeadline
  private var pacer: Pacer?
  private var phase = Phase.head
  private var offset = 0

  init(_ delivery: Delivery, sequence: Int, now: NIODeadline) {
    self.sequence = sequence
    self.status = delivery.status
    self.delivery = delivery
    self.headDue = now + delivery.delay
  }

  mutating func nextStep(at now: NIODeadline) -> Step {
    switch phase {
    case .head: headStep(now)
    case .body: bodyStep(now)
    case .ended: .end(delivery.ending)
    }
  }

  private mutating func headStep(_ now: NIODeadline) -> Step {
    guard now >= headDue else { return .wait(until: headDue) }
    guard let head = delivery.head else {
      phase = .ended
      return .end(delivery.ending)
    }
    phase = .body
    pacer = delivery.bytesPerSecond.map { Pacer(bytesPerSecond: $0, start: now) }
    return .write(head, bodyByteCount: 0)
  }

  private mutating func bodyStep(_ now: NIODeadline) -> Step {
    guard offset < delivery.body.length else {
      phase = .ended
      return isLastChunkDue ? .write(ByteBuffer(string: "0\r\n\r\n"), bodyByteCount: 0) : .end(delivery.ending)
    }
    let allowance = pacer?.allowance(at: now) ?? Int.max
    if let pacer, allowance == 0 { return .wait(until: pacer.nextTick) }
    let piece = delivery.body.piece(at: offset, atMost: allowance)
    offset += piece.readableBytes
    pacer?.spend(piece.readableBytes)
    return .write(delivery.isChunked ? chunk(piece) : piece, bodyByteCount: piece.readableBytes)
  }

  private var isLastChunkDue: Bool {
    guard delivery.isChunked else { return false }
    if case .fault = delivery.ending { return false }
    return true
  }

  /// RFC 9112 §7.1.
  private func chunk(_ piece: ByteBuffer) -> ByteBuffer {
    var chunk = ByteBuffer(string: String(piece.readableBytes, radix: 16) + "\r\n")
    chunk.writeImmutableBuffer(piece)
    chunk.writeStaticString("\r\n")
    return chunk
  }
}
