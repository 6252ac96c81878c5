import NIOCore

/// One HTTP/2 connection (RFC 9113): parses frames, and answers those that need an answer.
final class HTTP2Handler: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  /// The frames' types (RFC 9113 section 6).
  private enum FrameType: UInt8 {
    case data = 0
    case headers = 1
    case resetStream = 3
    case settings = 4
    case ping = 6
    case goAway = 7
  }

  private static let prefaceLength = 24
  private static let headLength = 9
  private static let acknowledgement: UInt8 = 0x1
  private static let endOfStream: UInt8 = 0x1
  private static let endOfHeaders: UInt8 = 0x4
  private static let refusedStream: UInt32 = 0x7
  /// Field 8 of HPACK's static table, `:status 200` (RFC 7541 appendix A).
  private static let status200: UInt8 = 0x88

  private let script: Script
  private var connection = 0
  private var received = ByteBuffer()
  private var hasPreface = false
  /// The last request that was processed; 0 before the first.
  private var lastProcessed: UInt32 = 0

  init(_ script: Script) {
    self.script = script
  }

  func channelActive(context: ChannelHandlerContext) {
    connection = script.connectionOpened()
    context.fireChannelActive()
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    received.writeImmutableBuffer(unwrapInboundIn(data))
    if !hasPreface {
      guard let first = received.getString(at: received.readerIndex, length: Self.prefaceLength) else { return }
      guard first.hasPrefix("PRI ") else { return script.answersHTTP1 ? answerHTTP1(context) : context.sever(.cut) }
      received.moveReaderIndex(forwardBy: Self.prefaceLength)
      hasPreface = true
      send(.settings, stream: 0, [], context)
    }
    while let frame = nextFrame() {
      receive(frame, context)
    }
    context.flush()
  }

  /// The client has gone, or refuses the certificate, which is no error here.
  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    context.close(promise: nil)
  }

  /// Answers a request that has come whole.
  private func answerHTTP1(_ context: ChannelHandlerContext) {
    let text = String(buffer: received)
    guard text.hasSuffix("\r\n\r\n") else { return }
    received.clear()
    script.noteHTTP1(onConnection: connection)
    let body = HTTP2Origin.body
    var answer = ByteBuffer(
      string: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n\(String(body.count, radix: 16))\r\n")
    answer.writeBytes(body + Array("\r\n0\r\n\r\n".utf8))
    context.writeAndFlush(wrapOutboundOut(answer), promise: nil)
  }

  // MARK: Frames

  private struct Frame {
    let type: FrameType?
    let flags: UInt8
    let stream: UInt32
    let payload: ByteBuffer
  }

  /// The next complete frame (RFC 9113 section 4.1).
  private func nextFrame() -> Frame? {
    guard let head = received.getBytes(at: received.readerIndex, length: Self.headLength) else { return nil }
    let length = head[..<3].reduce(0) { $0 << 8 | Int($1) }
    guard received.readableBytes >= Self.headLength + length else { return nil }
    received.moveReaderIndex(forwardBy: Self.headLength)
    guard let payload = received.readSlice(length: length) else { return nil }
    let stream = head[5...].reduce(UInt32(0)) { $0 << 8 | UInt32($1) } & 0x7FFF_FFFF
    return Frame(type: FrameType(rawValue: head[3]), flags: head[4], stream: stream, payload: payload)
  }

  private func receive(_ frame: Frame, _ context: ChannelHandlerContext) {
    let isAcknowledgement = frame.flags & Self.acknowledgement != 0
    switch frame.type {
    case .headers: answer(stream: frame.stream, context)
    case .settings where !isAcknowledgement: send(.settings, flags: Self.acknowledgement, stream: 0, [], context)
    case .ping where !isAcknowledgement:
      send(.ping, flags: Self.acknowledgement, stream: 0, Array(frame.payload.readableBytesView), context)
    default: break
    }
  }

  private func answer(stream: UInt32, _ context: ChannelHandlerContext) {
    switch script.next(onConnection: connection) {
    case .answer:
      lastProcessed = stream
      send(.headers, flags: Self.endOfHeaders, stream: stream, [Self.status200], context)
      send(.data, flags: Self.endOfStream, stream: stream, HTTP2Origin.body, context)
    case .reset:
      lastProcessed = stream
      send(.headers, flags: Self.endOfHeaders, stream: stream, [Self.status200], context)
      send(.data, stream: stream, Array(HTTP2Origin.body.prefix(2)), context)
      send(.resetStream, stream: stream, bytes(of: 0), context)
    case .refuse:
      send(.resetStream, stream: stream, bytes(of: Self.refusedStream), context)
    case .goAway:
      send(.goAway, stream: 0, bytes(of: lastProcessed) + bytes(of: 0), context)
      context.flush()
      context.close(promise: nil)
    case .cut: context.sever(.cut)
    case .silence: break
    }
  }

  private func send(
    _ type: FrameType, flags: UInt8 = 0, stream: UInt32, _ payload: [UInt8], _ context: ChannelHandlerContext
  ) {
    var frame = ByteBuffer(bytes: bytes(of: UInt32(payload.count)).dropFirst() + [type.rawValue, flags])
    frame.writeBytes(bytes(of: stream) + payload)
    context.write(wrapOutboundOut(frame), promise: nil)
  }

  private func bytes(of number: UInt32) -> [UInt8] {
    withUnsafeBytes(of: number.bigEndian) { Array($0) }
  }
}
