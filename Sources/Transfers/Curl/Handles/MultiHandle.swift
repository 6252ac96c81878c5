import CCurl

/// A libcurl multi handle, which owns connections and resolved names.
///
/// `@unchecked`: any thread may call `wakeUp()`. Only the driver's thread makes the other calls; the mailbox calls
/// `wakeUp()` under its lock and not after closing.
final class MultiHandle: @unchecked Sendable {
  private let pointer: UnsafeMutableRawPointer
  private let sockets: SocketWatch
  /// The ready sockets of the last wait.
  private var ready: [SocketWatch.Event] = []

  init?() {
    guard Self.isLibraryReady, let sockets = SocketWatch(), let pointer = curl_multi_init() else { return nil }
    self.pointer = pointer
    self.sockets = sockets
    ccurl_multi_set_long(pointer, CURLMOPT_PIPELINING, Int(CURLPIPE_MULTIPLEX))
    ccurl_multi_set_long(pointer, CURLMOPT_MAXCONNECTS, CurlLimits.maxIdleConnections)
    sockets.serve(pointer)
  }

  deinit {
    sockets.leave(pointer)
    curl_multi_cleanup(pointer)
  }

  /// libcurl requires one initialization before all other calls.
  private static let isLibraryReady = ccurl_global_init() == CURLE_OK

  func wakeUp() { sockets.wakeUp() }

  func add(_ easy: EasyHandle) -> CURLMcode { curl_multi_add_handle(pointer, easy.pointer) }

  func remove(_ easy: EasyHandle) { curl_multi_remove_handle(pointer, easy.pointer) }

  /// Advances every transfer as far as possible without waiting. Callbacks run during this call.
  func perform() -> CURLMcode {
    defer { ready.removeAll() }
    for event in ready {
      let code = act(on: event.socket, event.readiness)
      guard code == CURLM_OK else { return code }
    }
    return sockets.takeDueTimer() ? act(on: ccurl_socket_timeout, 0) : CURLM_OK
  }

  private func act(on socket: curl_socket_t, _ readiness: Int32) -> CURLMcode {
    var running: Int32 = 0
    return curl_multi_socket_action(pointer, socket, readiness, &running)
  }

  /// Waits for an event, at most for the timeout.
  func poll(timeoutMilliseconds: Int32) -> CURLMcode {
    guard let events = sockets.wait(upToMilliseconds: timeoutMilliseconds) else { return CURLM_INTERNAL_ERROR }
    ready = events
    return CURLM_OK
  }

  /// Runs a body that puts another socket at a number for which libcurl may wait.
  func exchange(_ socket: curl_socket_t, _ body: () -> Void) {
    sockets.exchange(socket, body)
  }

  /// The next transfer that libcurl is done with, and its result.
  func nextDone() -> (transfer: CurlTransfer, code: CURLcode)? {
    var remaining: Int32 = 0
    while let message = curl_multi_info_read(pointer, &remaining) {
      var context: UnsafeMutableRawPointer?
      guard message.pointee.msg == CURLMSG_DONE,
        ccurl_get_pointer(message.pointee.easy_handle, CURLINFO_PRIVATE, &context) == CURLE_OK, let context
      else { continue }
      return (Unmanaged<CurlTransfer>.fromOpaque(context).takeUnretainedValue(), message.pointee.data.result)
    }
    return nil
  }
}
