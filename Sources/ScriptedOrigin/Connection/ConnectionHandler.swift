import NIOCore
import NIOHTTP1

/// One connection: reads its requests in order, and writes the scripted responses one after the other.
final class ConnectionHandler: ChannelInboundHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias OutboundOut = ByteBuffer

  /// How many requests a client may pipeline; with more the connection is closed.
  private static let maximumPipelinedRequests = 64
  /// After this many bytes in a row, the loop's other connections get their turn.
  private static let maximumBurstBytes = 4 * 1024 * 1024
  /// How many bytes of a request's body are kept; what follows is read past.
  private static let maximumFormBytes = 64 * 1024

  private let routes: RouteTable
  private let log: RequestLog

  private var number = 0
  private var head: HTTPRequestHead?
  /// The body of the request whose end has not come.
  private var form: [UInt8] = []
  private var pending = CircularBuffer<(head: HTTPRequestHead, form: [UInt8])>()
  private var transmission: Transmission?
  private var unfinishedWrites = 0
  private var ending: Delivery.Ending?
  private var timer: Scheduled<Void>?
  private var isPumping = false

  init(routes: RouteTable, log: RequestLog) {
    self.routes = routes
    self.log = log
  }
}

// MARK: - Requests

extension ConnectionHandler {
  func channelActive(context: ChannelHandlerContext) {
    number = log.connectionOpened()
    context.fireChannelActive()
  }

  func channelInactive(context: ChannelHandlerContext) {
    timer?.cancel()
    if let transmission {
      log.requestEnded(transmission.sequence, .abandoned)
    }
    transmission = nil
    pending.removeAll()
    log.connectionClosed()
    context.fireChannelInactive()
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    switch unwrapInboundIn(data) {
    case .head(let head): self.head = head
    case .body(let bytes): form += bytes.readableBytesView.prefix(Self.maximumFormBytes - form.count)
    case .end:
      guard let head else { return }
      self.head = nil
      pending.append((head, form))
      form = []
      guard pending.count <= Self.maximumPipelinedRequests else {
        context.sever(.cut)
        return
      }
      answerNext(context)
    }
  }

  /// The decoder refused a request: it is malformed, or its head exceeds a limit.
  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    guard transmission == nil, error is HTTPParserError else {
      context.close(promise: nil)
      return
    }
    let status = error as? HTTPParserError == .headerOverflow ? "431 Header Too Large" : "400 Bad Request"
    let answer = ByteBuffer(string: "HTTP/1.1 \(status)\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
    context.writeAndFlush(wrapOutboundOut(answer)).assumeIsolated().whenComplete { _ in
      context.close(promise: nil)
    }
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    guard let drop = event as? DropConnection else {
      context.fireUserInboundEventTriggered(event)
      return
    }
    context.sever(drop.kind)
  }

  private func answerNext(_ context: ChannelHandlerContext) {
    guard transmission == nil, let (head, form) = pending.popFirst() else { return }
    let record = log.requestReceived(
      connection: number, method: head.method.rawValue, target: head.uri, headers: HeaderFields(head.headers),
      form: form)
    let delivery = routes.behaviour(for: record).delivery(for: record, keepingAlive: head.isKeepAlive)
    transmission = Transmission(delivery, sequence: record.sequence, now: .now())
    pump(context)
  }
}

// MARK: - Answers

extension ConnectionHandler {
  func channelWritabilityChanged(context: ChannelHandlerContext) {
    pump(context)
    context.fireChannelWritabilityChanged()
  }

  /// Writes while the channel accepts data. Flushing may make the channel writable again, which calls this recursively:
  /// the outer call's loop does the work then.
  private func pump(_ context: ChannelHandlerContext) {
    guard !isPumping else { return }
    isPumping = true
    var burst = 0
    while ending == nil, context.channel.isWritable, burst < Self.maximumBurstBytes, let written = fill(context) {
      burst += written
      context.flush()
    }
    isPumping = false
    concludeIfWritten(context)
    if burst >= Self.maximumBurstBytes {
      context.eventLoop.assumeIsolated().execute { self.pump(context) }
    }
  }

  /// Queues writes until the channel's buffer is full, and returns their bytes, or `nil` if there is nothing to do now.
  private func fill(_ context: ChannelHandlerContext) -> Int? {
    var written = 0
    while context.channel.isWritable, let step = transmission?.nextStep(at: .now()) {
      switch step {
      case .write(let buffer, let bodyByteCount):
        written += buffer.readableBytes
        write(buffer, bodyByteCount: bodyByteCount, context)
      case .wait(let deadline):
        wake(at: deadline, context)
        return written > 0 ? written : nil
      case .end(let ending):
        self.ending = ending
        return written
      }
    }
    return written > 0 ? written : nil
  }

  private func write(_ buffer: ByteBuffer, bodyByteCount: Int, _ context: ChannelHandlerContext) {
    guard let transmission else { return }
    unfinishedWrites += 1
    context.write(wrapOutboundOut(buffer)).assumeIsolated().whenComplete { [log] result in
      self.unfinishedWrites -= 1
      guard case .success = result else { return }
      if bodyByteCount > 0 {
        log.bodySent(transmission.sequence, byteCount: bodyByteCount)
      } else {
        log.headSent(transmission.sequence, status: transmission.status)
      }
      self.concludeIfWritten(context)
    }
  }

  private func wake(at deadline: NIODeadline, _ context: ChannelHandlerContext) {
    timer?.cancel()
    timer = context.eventLoop.assumeIsolated().scheduleTask(deadline: deadline) { self.pump(context) }
  }

  /// Ends the response when the kernel has all of it.
  private func concludeIfWritten(_ context: ChannelHandlerContext) {
    guard !isPumping, unfinishedWrites == 0, let ending, let transmission else { return }
    if ending == .fault(.stall) { return }
    self.ending = nil
    self.transmission = nil
    switch ending {
    case .keepAlive:
      log.requestEnded(transmission.sequence, .answered)
      answerNext(context)
    case .close:
      log.requestEnded(transmission.sequence, .answered)
      context.close(promise: nil)
    case .fault(let kind):
      log.requestEnded(transmission.sequence, .failed(kind))
      context.sever(kind)
    }
  }
}

extension HeaderFields {
  fileprivate init(_ headers: HTTPHeaders) {
    self.init()
    for (name, value) in headers {
      append(name, value)
    }
  }
}
