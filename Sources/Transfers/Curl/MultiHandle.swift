import CCurl

/// A libcurl multi handle, which owns connections and names looked up.
///
/// `@unchecked`: `wakeUp()` is the one call that libcurl allows from any thread (curl_multi_wakeup(3)). The driver's
/// thread alone makes the others, and the mailbox calls `wakeUp()` under its lock and not after closing.
final class MultiHandle: @unchecked Sendable {
  private let pointer: UnsafeMutableRawPointer

  init?() {
    guard Self.isLibraryReady, let pointer = curl_multi_init() else { return nil }
    self.pointer = pointer
    ccurl_multi_set_long(pointer, CURLMOPT_PIPELINING, Int(CURLPIPE_MULTIPLEX))
    ccurl_multi_set_long(pointer, CURLMOPT_MAXCONNECTS, CurlLimits.maxIdleConnections)
  }

  deinit { curl_multi_cleanup(pointer) }

  /// libcurl wants to be set up once, before anything else.
  private static let isLibraryReady = ccurl_global_init() == CURLE_OK

  func wakeUp() { curl_multi_wakeup(pointer) }

  func add(_ easy: EasyHandle) -> CURLMcode { curl_multi_add_handle(pointer, easy.pointer) }

  func remove(_ easy: EasyHandle) { curl_multi_remove_handle(pointer, easy.pointer) }

  /// Moves every transfer on as far as it goes without waiting. Callbacks come from within.
  func perform() -> CURLMcode {
    var running: Int32 = 0
    return curl_multi_perform(pointer, &running)
  }

  /// Waits until there is something to do, for at most so long.
  func poll(timeoutMilliseconds: Int) -> CURLMcode {
    curl_multi_poll(pointer, nil, 0, Int32(clamping: timeoutMilliseconds), nil)
  }

  /// The next transfer that libcurl is done with, and how it ended.
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
