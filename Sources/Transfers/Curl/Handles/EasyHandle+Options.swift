import CCurl
import EngineRuntime

extension EasyHandle {
  /// Sets all options for one hop of a transfer. The handle must be new or reset.
  func prepare(
    for transfer: CurlTransfer, trust: TrustStore, proxies: ProxyEnvironment, bufferBytes: Int
  ) throws(ExchangeFailure) {
    try setErrorBuffer()
    try setProxy(for: transfer, from: proxies)
    try setAddress(transfer.hop)
    try setCredentials(transfer.hop)
    try setRequest(transfer.request, hop: transfer.hop)
    try setVersion(transfer.version, isSecure: transfer.hop.url.origin.isSecure)
    try setTransport(bufferBytes: bufferBytes, connectTimeoutMilliseconds: transfer.request.connectTimeoutMilliseconds)
    if transfer.isRepetition { try set(CURLOPT_FRESH_CONNECT, 1) }
    try setTLS(trust)
    try setCallbacks(transfer)
  }

  private func setAddress(_ hop: HTTPHop) throws(ExchangeFailure) {
    try set(CURLOPT_URL, hop.url.text)
    try set(CURLOPT_PROTOCOLS_STR, "http,https")
    try set(CURLOPT_REDIR_PROTOCOLS_STR, "http,https")
    try set(CURLOPT_FOLLOWLOCATION, 0)
  }

  /// Leaves nothing of it to libcurl, so that the transfer knows to whom its connections lead.
  private func setProxy(for transfer: CurlTransfer, from proxies: ProxyEnvironment) throws(ExchangeFailure) {
    guard !proxies.isEmpty else { return }
    let proxy = proxies.proxy(for: transfer.hop.url.origin)
    transfer.isProxied = proxy != nil
    // Empty texts mean none, and keep libcurl from the environment.
    try set(CURLOPT_PROXY, proxy ?? "")
    try set(CURLOPT_NOPROXY, "")
  }

  /// Name and password; a token goes in a header.
  private func setCredentials(_ hop: HTTPHop) throws(ExchangeFailure) {
    try set(CURLOPT_NETRC, Int(CURL_NETRC_IGNORED.rawValue))
    if let credentials = hop.credentials {
      try set(CURLOPT_USERNAME, credentials.user)
      try set(CURLOPT_PASSWORD, credentials.password)
    }
    guard let session = hop.session, session.kind.needsUser else { return }
    try set(CURLOPT_HTTPAUTH, session.kind == .digest ? ccurl_auth_digest : ccurl_auth_basic)
    guard session.isNetrcFile else {
      try set(CURLOPT_USERNAME, session.user ?? "")
      return try set(CURLOPT_PASSWORD, session.secret)
    }
    try set(CURLOPT_NETRC_FILE, session.secret)
    guard let user = session.user, !user.isEmpty else {
      return try set(CURLOPT_NETRC, Int(CURL_NETRC_REQUIRED.rawValue))
    }
    // libcurl looks a name's password up only if the name is in the URL.
    try set(CURLOPT_NETRC, Int(CURL_NETRC_OPTIONAL.rawValue))
    try set(CURLOPT_URL, hop.url.text(withUser: user) ?? hop.url.text)
  }

  private func setRequest(_ request: HTTPRequest, hop: HTTPHop) throws(ExchangeFailure) {
    try setHeaders(
      try request.headerLines(includingClientHeaders: hop.carriesClientHeaders, token: hop.session?.token68))
    if let form = request.form {
      try set(CURLOPT_COPYPOSTFIELDS, form)
      try set(CURLOPT_FRESH_CONNECT, 1)
      try set(CURLOPT_FORBID_REUSE, 1)
    }
    try set(CURLOPT_USERAGENT, request.userAgent)
    // Never CURLOPT_RESUME_FROM: libcurl takes a 200 whose length equals the offset for "already complete".
    if let start = request.rangeStart { try set(CURLOPT_RANGE, "\(start)-") }
    try set(CURLOPT_HTTP09_ALLOWED, 0)
    // Otherwise a proxy's answer to CONNECT would look like the origin's head.
    try set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
  }

  /// HTTP/2 is negotiated within TLS. Waiting for a connection to share makes sense only there: in plain HTTP every
  /// request would wait until the host has answered the first one.
  private func setVersion(_ version: CurlTransfer.Version, isSecure: Bool) throws(ExchangeFailure) {
    let mayBeNewest = isSecure && version != .http1
    try set(CURLOPT_HTTP_VERSION, mayBeNewest ? CURL_HTTP_VERSION_2TLS : CURL_HTTP_VERSION_1_1)
    try set(CURLOPT_PIPEWAIT, mayBeNewest ? 1 : 0)
  }

  private func setTransport(bufferBytes: Int, connectTimeoutMilliseconds: Int) throws(ExchangeFailure) {
    try set(CURLOPT_NOSIGNAL, 1)
    // Cancelling must not wait for a name server: the resolver's thread ends later on its own.
    try set(CURLOPT_QUICK_EXIT, 1)
    try set(CURLOPT_BUFFERSIZE, bufferBytes)
    try set(CURLOPT_TCP_KEEPALIVE, 1)
    try set(CURLOPT_CONNECTTIMEOUT_MS, connectTimeoutMilliseconds)
  }

  private func setTLS(_ trust: TrustStore) throws(ExchangeFailure) {
    try set(CURLOPT_SSL_VERIFYPEER, 1)
    try set(CURLOPT_SSL_VERIFYHOST, 2)
    try set(CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2))
    guard let bundle = trust.bundlePath else { return }
    try set(CURLOPT_CAINFO, bundle)
    try set(CURLOPT_PROXY_CAINFO, bundle)
    guard trust.isComplete else { return }
    // With a folder set, as in Debian's default, libcurl reads the whole bundle again for each connection.
    try set(CURLOPT_CAPATH, String?.none)
    try set(CURLOPT_PROXY_CAPATH, String?.none)
  }

  private func setCallbacks(_ transfer: CurlTransfer) throws(ExchangeFailure) {
    let context = Unmanaged.passUnretained(transfer).toOpaque()
    try set(CURLOPT_PRIVATE, context)
    try set(CURLOPT_HEADERDATA, context)
    try set(CURLOPT_WRITEDATA, context)
    try set(CURLOPT_HEADERFUNCTION, receiveHeader)
    try set(CURLOPT_WRITEFUNCTION, receiveBody)
    try set(CURLOPT_XFERINFODATA, context)
    try set(CURLOPT_XFERINFOFUNCTION, receiveProgress)
    try set(CURLOPT_PREREQDATA, context)
    try setRequestCheck(mayRequest)
  }

  /// Makes the table open the sockets, bound according to the transfer's route, and close them.
  func setSockets(for transfer: CurlTransfer) throws(ExchangeFailure) {
    try set(CURLOPT_OPENSOCKETDATA, Unmanaged.passUnretained(transfer).toOpaque())
    // Connections outlive their transfers, so the table handles their end.
    try set(CURLOPT_CLOSESOCKETDATA, Unmanaged.passUnretained(transfer.sockets).toOpaque())
    try setSocketCallbacks(opening: openSocket, closing: closeSocket)
  }

  /// Enables `receiveProgress`: libcurl calls it often while bytes come, and once more after the last one, before it
  /// closes the connection.
  func watchConnection() {
    _ = ccurl_set_long(pointer, CURLOPT_NOPROGRESS, 0)
  }
}

extension SessionCredentials {
  /// The token that goes in a header; nil where name and password do not.
  fileprivate var token68: String? { kind == .bearer || kind == .refreshing ? secret : nil }
}

/// The result of an aborting callback: any number other than the length, which is never 0 with bytes.
private let abortTransfer = 0

private func receiveHeader(
  _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ context: UnsafeMutableRawPointer?
) -> Int {
  guard let context else { return abortTransfer }
  let line = UnsafeRawBufferPointer(start: bytes, count: size * count)
  let transfer = Unmanaged<CurlTransfer>.fromOpaque(context).takeUnretainedValue()
  return transfer.receive(headerLine: line) ? line.count : abortTransfer
}

private func receiveBody(
  _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ context: UnsafeMutableRawPointer?
) -> Int {
  guard let context else { return abortTransfer }
  let piece = UnsafeRawBufferPointer(start: bytes, count: size * count)
  // libcurl may pass an empty piece for an empty body; 0 is the right answer to it.
  guard !piece.isEmpty else { return 0 }
  let transfer = Unmanaged<CurlTransfer>.fromOpaque(context).takeUnretainedValue()
  switch transfer.receive(body: piece) {
  case .more: return piece.count
  case .pause: return ccurl_write_pause
  case .stop: return abortTransfer
  }
}

private func receiveProgress(
  _ context: UnsafeMutableRawPointer?, _: curl_off_t, _: curl_off_t, _: curl_off_t, _: curl_off_t
) -> Int32 {
  guard let context else { return 0 }
  Unmanaged<CurlTransfer>.fromOpaque(context).takeUnretainedValue().lookAtConnection()
  return 0
}

private func mayRequest(
  _ context: UnsafeMutableRawPointer?, _ peer: UnsafeMutablePointer<CChar>?, _: UnsafeMutablePointer<CChar>?,
  _: Int32, _ localPort: Int32
) -> Int32 {
  guard let context else { return CURL_PREREQFUNC_ABORT }
  let transfer = Unmanaged<CurlTransfer>.fromOpaque(context).takeUnretainedValue()
  let mayRequest = transfer.mayReach(peer.map { String(cString: $0) }) && transfer.mayRequest(fromPort: localPort)
  return mayRequest ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT
}

private func openSocket(
  _ context: UnsafeMutableRawPointer?, _: curlsocktype, _ address: UnsafeMutablePointer<curl_sockaddr>?
) -> curl_socket_t {
  guard let context, let address else { return CURL_SOCKET_BAD }
  return Unmanaged<CurlTransfer>.fromOpaque(context).takeUnretainedValue().openSocket(to: address)
}

private func closeSocket(_ context: UnsafeMutableRawPointer?, _ socket: curl_socket_t) -> Int32 {
  guard let context else { return 1 }
  return Unmanaged<SocketTable>.fromOpaque(context).takeUnretainedValue().close(socket)
}
