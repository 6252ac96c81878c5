/// A request of HTTP/1.1 for the exposition, as far as the server reads it: up to the end of its head.
enum ExpositionRequest {
  /// The result of reading the bytes received so far.
  enum Reading: Hashable {
    /// The head does not end in these bytes.
    case unfinished
    /// The head is longer than `maximumHeadBytes`.
    case tooLong
    /// The bytes are no HTTP request.
    case malformed
    /// The head is complete.
    case complete(Request)
  }

  /// The parts of the request line that decide the answer.
  struct Request: Hashable {
    var method: String
    /// Without its query.
    var path: String
  }

  /// The longest head, in bytes.
  static let maximumHeadBytes = 8 << 10

  /// Reads what has arrived.
  static func read(_ bytes: [UInt8]) -> Reading {
    guard let end = endOfHead(bytes) else { return bytes.count < maximumHeadBytes ? .unfinished : .tooLong }
    guard end <= maximumHeadBytes else { return .tooLong }
    let line = bytes.prefix { $0 != lineFeed }.drop { $0 == carriageReturn }
    let words = String(decoding: line.filter { $0 != carriageReturn }, as: UTF8.self)
      .split(separator: " ", omittingEmptySubsequences: false)
    guard words.count == 3, !words[0].isEmpty, words[0].allSatisfy(\.isLetter), words[1].hasPrefix("/"),
      ["HTTP/1.0", "HTTP/1.1"].contains(words[2])
    else { return .malformed }
    return .complete(Request(method: String(words[0]), path: String(words[1].prefix { $0 != "?" })))
  }

  private static let lineFeed = UInt8(ascii: "\n")
  private static let carriageReturn = UInt8(ascii: "\r")

  /// Where the empty line ends that ends the head; nil if there is none.
  private static func endOfHead(_ bytes: [UInt8]) -> Int? {
    var isAtLineStart = false
    for (index, byte) in bytes.enumerated() {
      if byte == lineFeed {
        if isAtLineStart { return index + 1 }
        isAtLineStart = true
      } else if byte != carriageReturn {
        isAtLineStart = false
      }
    }
    return nil
  }
}

/// A response of the server. The connection ends behind it.
struct ExpositionResponse: Hashable {
  private static let path = "/metrics"

  var status: String
  var kind = "text/plain; charset=utf-8"
  var headers = ""
  var body: [UInt8]

  private init(_ status: String, headers: String = "", _ text: String) {
    self.status = status
    self.headers = headers
    body = Array((text + "\n").utf8)
  }

  private init(exposition: [UInt8]) {
    status = "200 OK"
    kind = "text/plain; version=0.0.4; charset=utf-8"
    body = exposition
  }

  /// The response to a head; nil while it goes on. The exposition is made only if it is asked for.
  static func to(_ reading: ExpositionRequest.Reading, _ exposition: () -> [UInt8]?) -> [UInt8]? {
    switch reading {
    case .unfinished: nil
    case .tooLong:
      ExpositionResponse("431 Request Header Fields Too Large", "The request's head is too long.").bytes()
    case .malformed: ExpositionResponse("400 Bad Request", "This is no request of HTTP/1.1.").bytes()
    case .complete(let request):
      response(to: request, exposition).bytes(withoutBody: request.method == "HEAD")
    }
  }

  private static func response(
    to request: ExpositionRequest.Request, _ exposition: () -> [UInt8]?
  ) -> ExpositionResponse {
    guard request.path == path else {
      return ExpositionResponse("404 Not Found", "The metrics are at \(path).")
    }
    guard ["GET", "HEAD"].contains(request.method) else {
      return ExpositionResponse(
        "405 Method Not Allowed", headers: "Allow: GET, HEAD\r\n", "The metrics can be read only.")
    }
    guard let exposition = exposition() else {
      return ExpositionResponse("503 Service Unavailable", "The engine does not answer in time.")
    }
    return ExpositionResponse(exposition: exposition)
  }

  private func bytes(withoutBody: Bool = false) -> [UInt8] {
    let head = """
      HTTP/1.1 \(status)\r\nContent-Type: \(kind)\r\nContent-Length: \(body.count)\r\n\(headers)Cache-Control: no-store\r\n\
      Connection: close\r\n\r\n
      """
    return Array(head.utf8) + (withoutBody ? [] : body)
  }
}
