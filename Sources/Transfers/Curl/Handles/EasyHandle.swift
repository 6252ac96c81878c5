import CCurl
import EngineRuntime

/// A libcurl easy handle with the buffer for its error texts. Only the driver's thread uses it.
final class EasyHandle {
  let pointer: UnsafeMutableRawPointer
  private let errorBuffer: UnsafeMutableBufferPointer<CChar>

  init?() {
    guard let pointer = curl_easy_init() else { return nil }
    self.pointer = pointer
    errorBuffer = .allocate(capacity: Int(CURL_ERROR_SIZE))
    errorBuffer.initialize(repeating: 0)
  }

  deinit {
    curl_easy_cleanup(pointer)
    errorBuffer.deallocate()
    curl_slist_free_all(headerList)
  }

  /// The pool of its connections, which must live as long as the handle uses it.
  private var pool: ConnectionPool?

  /// Uses this pool's connections. Call it before adding the handle to a multi handle.
  func join(_ pool: ConnectionPool) throws(ExchangeFailure) {
    try check(ccurl_set_share(pointer, pool.pointer), CURLOPT_SHARE)
    self.pool = pool
  }

  /// Leaves the pool. Call it after removing the handle from the multi handle: a reset does not do it.
  func leavePool() {
    guard pool != nil else { return }
    ccurl_set_share(pointer, nil)
    pool = nil
  }

  /// libcurl does not copy the list: it must live as long as the hop.
  private var headerList: UnsafeMutablePointer<curl_slist>?

  /// Clears all options of a hop; connections and resolved names stay in the multi handle.
  ///
  /// - Returns: Whether the handle can be reused. If a hop ended before it had a connection, libcurl 7.88 keeps the
  ///   receive buffer, and refuses to change its size.
  func reset() -> Bool {
    curl_easy_reset(pointer)
    curl_slist_free_all(headerList)
    headerList = nil
    errorBuffer[0] = 0
    return ccurl_set_long(pointer, CURLOPT_BUFFERSIZE, CurlLimits.smallBufferBytes) == CURLE_OK
  }

  var errorText: String {
    String(decoding: errorBuffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  /// Whether an earlier exchange opened the connection.
  var usesEarlierConnection: Bool {
    var count = 0
    return ccurl_get_long(pointer, CURLINFO_NUM_CONNECTS, &count) == CURLE_OK && count == 0
  }

  /// A proxy's status for CONNECT; 0 without a proxy.
  var proxyStatus: Int {
    var status = 0
    return ccurl_get_long(pointer, CURLINFO_HTTP_CONNECTCODE, &status) == CURLE_OK ? status : 0
  }

  /// Prevents reuse of the connection, which has been silent. Otherwise an HTTP/2 connection would outlive the
  /// exchange, and swallow the next one as well.
  func distrustConnection() {
    // The exchange ends whether or not libcurl accepts this.
    _ = ccurl_set_long(pointer, CURLOPT_FORBID_REUSE, 1)
  }

  /// Whether the connection is open and the request is being sent.
  var isConnected: Bool {
    var microseconds: curl_off_t = 0
    return ccurl_get_offset(pointer, CURLINFO_PRETRANSFER_TIME_T, &microseconds) == CURLE_OK && microseconds > 0
  }
}

extension EasyHandle {
  /// How many bytes of a body have come, including those that no callback has taken yet.
  var bodyBytes: Int64 {
    var bytes: curl_off_t = 0
    return ccurl_get_offset(pointer, CURLINFO_SIZE_DOWNLOAD_T, &bytes) == CURLE_OK ? Int64(bytes) : 0
  }

  /// The address at the other end of the connection, the origin's or a proxy's; nil before there is one.
  var peer: PeerAddress? {
    var text: UnsafeMutableRawPointer?
    guard ccurl_get_pointer(pointer, CURLINFO_PRIMARY_IP, &text) == CURLE_OK, let text else { return nil }
    return PeerAddress(String(cString: text.assumingMemoryBound(to: CChar.self)))
  }
}

/// Setters that throw libcurl's errors.
extension EasyHandle {
  func set(_ option: CURLoption, _ value: Int) throws(ExchangeFailure) {
    try check(ccurl_set_long(pointer, option, value), option)
  }

  func set(_ option: CURLoption, _ value: String?) throws(ExchangeFailure) {
    // libcurl copies the text.
    try check(ccurl_set_string(pointer, option, value), option)
  }

  func set(_ option: CURLoption, _ value: UnsafeMutableRawPointer) throws(ExchangeFailure) {
    try check(ccurl_set_pointer(pointer, option, value), option)
  }

  func set(_ option: CURLoption, _ value: @escaping ccurl_progress_function) throws(ExchangeFailure) {
    try check(ccurl_set_progress(pointer, option, value), option)
  }

  func set(_ option: CURLoption, _ value: @escaping ccurl_receive_function) throws(ExchangeFailure) {
    try check(ccurl_set_receiver(pointer, option, value), option)
  }

  func setSocketCallbacks(
    opening open: @escaping curl_opensocket_callback, closing close: @escaping curl_closesocket_callback
  ) throws(ExchangeFailure) {
    try check(ccurl_set_socket_opener(pointer, open), CURLOPT_OPENSOCKETFUNCTION)
    try check(ccurl_set_socket_closer(pointer, close), CURLOPT_CLOSESOCKETFUNCTION)
  }

  func setRequestCheck(_ check: @escaping curl_prereq_callback) throws(ExchangeFailure) {
    try self.check(ccurl_set_request_check(pointer, check), CURLOPT_PREREQFUNCTION)
  }

  func setHeaders(_ lines: [String]) throws(ExchangeFailure) {
    for line in lines {
      guard let list = curl_slist_append(headerList, line) else {
        throw ExchangeFailure(.other, message: "no memory for headers")
      }
      headerList = list
    }
    try check(ccurl_set_list(pointer, CURLOPT_HTTPHEADER, headerList), CURLOPT_HTTPHEADER)
  }

  func setErrorBuffer() throws(ExchangeFailure) {
    try check(ccurl_set_pointer(pointer, CURLOPT_ERRORBUFFER, errorBuffer.baseAddress), CURLOPT_ERRORBUFFER)
  }

  private func check(_ code: CURLcode, _ option: CURLoption) throws(ExchangeFailure) {
    guard code != CURLE_OK else { return }
    throw ExchangeFailure(
      .other, curlCode: Int(code.rawValue), message: "libcurl refuses option \(option.rawValue)")
  }
}
