extension Header {
  /// The fields that no client may set, in lower case: those that the engine or libcurl sets (another value would break
  /// resuming or the exchange), and those that belong to the connection and not to the request (RFC 9110 section
  /// 7.6.1).
  public static let reservedNames: Set<String> = [
    "accept-encoding", "connection", "content-length", "expect", "host", "http2-settings", "if-range", "keep-alive",
    "proxy-connection", "range", "te", "trailer", "transfer-encoding", "upgrade",
  ]

  /// Whether clients may not set the field of this name, ignoring case.
  public static func isReserved(_ name: String) -> Bool {
    reservedNames.contains(name.lowercased())
  }
}
