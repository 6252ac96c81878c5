import CCurl
import EngineRuntime

/// A libcurl easy handle with the buffer for its error texts. Confined to the driver's thread.
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

  /// Where its connections come from; it lives as long as a handle uses it.
  private var pool: ConnectionPool?

  /// Takes its connections from this pool. To be called before it is added to a multi handle.
  func join(_ pool: ConnectionPool) throws(ExchangeFailure) {
    try check(ccurl_set_share(pointer, pool.pointer), CURLOPT_SHARE)
    self.pool = pool
  }

  /// Gives the pool up. To be called once it is out of the multi handle: resetting does not do it.
  func leavePool() {
    guard pool != nil else { return }
    ccurl_set_share(pointer, nil)
    pool = nil
  }

  /// libcurl does not copy the list: it must live as long as the hop.
  private var headerList: UnsafeMutablePointer<curl_slist>?

  /// Everything that a hop set is forgotten; connections and names looked up live on in the multi handle.
  ///
  /// - Returns: Whether the handle can be used again. Where a hop ended before it had a connection, libcurl 7.88 keeps
  ///   the receive buffer, and refuses to be told another size for it.
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

  /// Whether the connection was opened for an earlier exchange: none was for this one.
  var usesEarlierConnection: Bool {
    var count = 0
    return ccurl_get_long(pointer, CURLINFO_NUM_CONNECTS, &count) == CURLE_OK && count == 0
  }

  /// What a proxy answered to CONNECT; 0 if none was asked.
  var proxyStatus: Int {
    var status = 0
    return ccurl_get_long(pointer, CURLINFO_HTTP_CONNECTCODE, &status) == CURLE_OK ? status : 0
  }

  /// Nobody shall use the connection after this: it has been silent. An HTTP/2 connection would else outlive the exchange,
  /// and swallow the next one as well.
  func distrustConnection() {
    // Refused or not, the exchange ends.
    _ = ccurl_set_long(pointer, CURLOPT_FORBID_REUSE, 1)
  }

  /// Whether a connection is there and the request is on its way.
  var isConnected: Bool {
    var microseconds: curl_off_t = 0
    return ccurl_get_offset(pointer, CURLINFO_PRETRANSFER_TIME_T, &microseconds) == CURLE_OK && microseconds > 0
  }
}

extension EasyHandle {
  /// How many bytes of a body have come, those included that no callback has taken yet.
  var bodyBytes: Int64 {
    var bytes: curl_off_t = 0
    return ccurl_get_offset(pointer, CURLINFO_SIZE_DOWNLOAD_T, &bytes) == CURLE_OK ? Int64(bytes) : 0
  }

  /// Who is at the other end of the connection, the origin or a proxy; nil before there is one.
  var peer: PeerAddress? {
    var text: UnsafeMutableRawPointer?
    guard ccurl_get_pointer(pointer, CURLINFO_PRIMARY_IP, &text) == CURLE_OK, let text else { return nil }
    return PeerAddress(String(cString: text.assumingMemoryBound(to: CChar.self)))
  }
}

/// Setters that throw what libcurl answers.
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
