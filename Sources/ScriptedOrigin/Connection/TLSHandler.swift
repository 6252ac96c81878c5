import CTLS
import NIOCore

/// The server's end of TLS in a pipeline. What is written waits for the handshake.
final class TLSHandler: ChannelDuplexHandler {
  typealias InboundIn = ByteBuffer
  typealias InboundOut = ByteBuffer
  typealias OutboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  /// The longest content of a record (RFC 8446 section 5.1).
  private static let recordLength = 1 << 14

  /// The client's certificate is refused, or its bytes are no TLS.
  struct Failure: Error {}

  /// All connections of the context keep it alive.
  private let context: TLSContext
  private let connection: OpaquePointer
  private var isOpen = false
  private var waiting = CircularBuffer<(bytes: ByteBuffer, promise: EventLoopPromise<Void>?)>()

  init(context: TLSContext) {
    self.context = context
    connection = context.makeConnection()
  }

  deinit {
    SSL_free(connection)
  }

  // MARK: From the network

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let bytes = unwrapInboundIn(data)
    guard bytes.withUnsafeReadableBytes({ ctls_received(connection, $0.baseAddress, $0.count) }) else {
      return fail(context)
    }
    if !isOpen {
      let result = ctls_handshake(connection)
      // A failed handshake has an alert for the client.
      sendRecords(context)
      switch result {
      case CTLSDone: isOpen = true
      case CTLSNeedsBytes: return
      default: return fail(context)
      }
      flush(context: context)
    }
    readRecords(context)
  }

  func channelInactive(context: ChannelHandlerContext) {
    for write in waiting { write.promise?.fail(ChannelError.ioOnClosedChannel) }
    waiting.removeAll()
    context.fireChannelInactive()
  }

  private func readRecords(_ context: ChannelHandlerContext) {
    // What the other handlers do with a record may close the channel.
    while context.channel.isActive {
      var bytes = context.channel.allocator.buffer(capacity: Self.recordLength)
      var result = CTLSDone
      bytes.writeWithUnsafeMutableBytes(minimumWritableBytes: Self.recordLength) { buffer in
        var count = 0
        result = ctls_read(connection, buffer.baseAddress, buffer.count, &count)
        return count
      }
      switch result {
      case CTLSDone: context.fireChannelRead(wrapInboundOut(bytes))
      case CTLSNeedsBytes: return sendRecords(context)
      case CTLSEnded: return close(context: context, mode: .all, promise: nil)
      default: return fail(context)
      }
    }
  }

  private func fail(_ context: ChannelHandlerContext) {
    sendRecords(context)
    context.fireErrorCaught(Failure())
    context.close(promise: nil)
  }

  // MARK: To the network

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    waiting.append((unwrapOutboundIn(data), promise))
  }

  func flush(context: ChannelHandlerContext) {
    while isOpen, let (bytes, promise) = waiting.popFirst() {
      let result = bytes.withUnsafeReadableBytes { bytes in
        bytes.isEmpty ? CTLSDone : ctls_write(connection, bytes.baseAddress, bytes.count)
      }
      guard result == CTLSDone else {
        promise?.fail(Failure())
        return fail(context)
      }
      writeRecords(context, promise)
    }
    context.flush()
  }

  /// Says to the client that nothing follows, and closes once the socket has taken all that was written.
  func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
    flush(context: context)
    if isOpen { ctls_end(connection) }
    guard ctls_pending(connection) > 0 else { return context.close(mode: mode, promise: promise) }
    let written = context.eventLoop.makePromise(of: Void.self)
    written.futureResult.assumeIsolated().whenComplete { _ in context.close(mode: mode, promise: promise) }
    writeRecords(context, written)
    context.flush()
  }

  private func sendRecords(_ context: ChannelHandlerContext) {
    guard ctls_pending(connection) > 0 else { return }
    writeRecords(context, nil)
    context.flush()
  }

  private func writeRecords(_ context: ChannelHandlerContext, _ promise: EventLoopPromise<Void>?) {
    let length = ctls_pending(connection)
    var bytes = context.channel.allocator.buffer(capacity: length)
    bytes.writeWithUnsafeMutableBytes(minimumWritableBytes: length) { ctls_take(connection, $0.baseAddress, length) }
    context.write(wrapOutboundOut(bytes), promise: promise)
  }
}
