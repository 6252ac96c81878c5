import PodfluxCore

/// One exchange with an origin, redirects included: what is asked for, and how long it may take.
struct HTTPRequest: Sendable {
  /// Where to begin; http or https. User info in it becomes basic authentication of that origin.
  var url: String

  /// The client's own fields. They are never sent to another origin after a redirect.
  var headers: [(name: String, value: String)] = []

  /// Asks for the bytes from this one on (`Range: bytes=N-`).
  var rangeStart: Int64?

  /// The validator under which the range is wanted (`If-Range`).
  var ifRange: String?

  var userAgent: String
  var connectTimeoutMilliseconds: Int

  /// How long may pass from the request being sent to the end of the final head, on each hop anew.
  var firstByteTimeoutMilliseconds: Int

  /// How long may pass without a byte, once the head has come. Time spent paused does not count.
  var stallTimeoutMilliseconds: Int

  /// The bytes per second below which the body is given up, averaged over the window; 0 for none.
  var slowBytesPerSecond: Int64 = 0

  /// Over how long the average is taken. Time spent paused does not count.
  var slowWindowMilliseconds = 60_000

  /// Whether a redirect may lead from https to http.
  var allowsInsecureRedirects = false

  /// Which way its connections may take.
  var route = Route.any
}

extension HTTPRequest {
  func firstHop() throws(ExchangeFailure) -> HTTPHop {
    try HTTPHop(to: url, allowingInsecureRedirects: allowsInsecureRedirects)
  }

  /// The lines for libcurl, the client's own ones only where the hop may have them.
  func headerLines(includingClientHeaders: Bool) throws(ExchangeFailure) -> [String] {
    // Some CDNs ignore Range when a coding is accepted, and a coded body could not be resumed.
    var fields = [(name: "Accept-Encoding", value: "identity")]
    if let ifRange { fields.append((name: "If-Range", value: ifRange)) }
    for header in headers where Header.isReserved(header.name) {
      throw ExchangeFailure(.malformedRequest, message: "the header \(header.name) is the engine's own")
    }
    if includingClientHeaders { fields += headers }
    return try fields.map(Self.line)
  }

  /// libcurl sends lines as they are: a line break in one would smuggle in another field.
  private static func line(name: String, value: String) throws(ExchangeFailure) -> String {
    guard !name.isEmpty, name.utf8.allSatisfy(isTokenByte), value.utf8.allSatisfy(isValueByte) else {
      throw ExchangeFailure(.malformedRequest, message: "a header has characters that HTTP does not allow")
    }
    // "Name:" alone would remove the field; with a semicolon libcurl sends it empty.
    return value.isEmpty ? "\(name);" : "\(name): \(value)"
  }

  /// The grammar's `tchar` (RFC 9110 section 5.6.2).
  private static func isTokenByte(_ byte: UInt8) -> Bool {
    let scalar = Unicode.Scalar(byte)
    return scalar.isASCII && (scalar.properties.isAlphabetic || scalar.properties.numericType != nil)
      || "!#$%&'*+-.^_`|~".utf8.contains(byte)
  }

  private static func isValueByte(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "\t") || (byte >= 0x20 && byte != 0x7F)
  }
}
