/// Builds a `ResponseHead` from the header lines of one request, as an HTTP library delivers them: line by line,
/// interim responses first, trailers last.
package struct ResponseHeadParser: Sendable {
  /// The limit of header bytes for one request, interim responses and trailers included.
  package static let maxBytes = 64 * 1024

  /// The limit of fields in one head.
  package static let maxFields = 512

  /// The result of a line.
  package enum Progress: Sendable, Equatable {
    /// The parser needs more lines, or skipped this one.
    case incomplete
    /// This line, an empty one, ends the head of the final response.
    case complete(ResponseHead)
  }

  private enum Position {
    case statusLine
    case fields(status: Int, version: HTTPVersion)
    case trailers
  }

  private let effectiveURL: String
  private let redirects: Int
  private let permanentURL: String?
  private let lacksSession: Bool
  private var position = Position.statusLine
  private var fields: [HTTPField] = []
  private var bytes = 0

  /// A parser for the answer of `effectiveURL` after `redirects`; all three go into the head unchanged.
  package init(effectiveURL: String, redirects: Int, permanentURL: String? = nil, lacksSession: Bool = false) {
    self.effectiveURL = effectiveURL
    self.redirects = redirects
    self.permanentURL = permanentURL
    self.lacksSession = lacksSession
  }

  /// Parses one line, with or without its line end.
  package mutating func consume(line: [UInt8]) throws(ResponseHeadError) -> Progress {
    bytes += line.count
    guard bytes <= Self.maxBytes else { throw .tooManyBytes }
    let line = line[...].trimmingLineEnd()

    switch position {
    case .trailers:
      return .incomplete
    case .statusLine:
      let (status, version) = try Self.readStatusLine(line)
      position = .fields(status: status, version: version)
      return .incomplete
    case .fields(let status, let version):
      guard line.isEmpty else {
        try readField(line)
        return .incomplete
      }
      return try endHead(status: status, version: version)
    }
  }

  private mutating func endHead(status: Int, version: HTTPVersion) throws(ResponseHeadError) -> Progress {
    defer { fields = [] }
    guard status >= 200 else {
      position = .statusLine
      return .incomplete
    }
    position = .trailers
    let head = ResponseHead(
      status: status, httpVersion: version, effectiveURL: effectiveURL, redirects: redirects,
      permanentURL: permanentURL, lacksSession: lacksSession, fields: fields)
    guard !head.hasBoundlessContentLength else { throw .boundlessContentLength }
    guard !head.hasUnusableContentLength else { throw .unusableContentLength }
    return .complete(head)
  }

  private mutating func readField(_ line: ArraySlice<UInt8>) throws(ResponseHeadError) {
    if isBlank(line[line.startIndex]) { return try unfold(line) }
    guard let colon = line.firstIndex(of: UInt8(ascii: ":")), colon > line.startIndex else { throw .malformedField }
    guard fields.count < Self.maxFields else { throw .tooManyFields }
    let value = trimmingBlanks(line[(colon + 1)...])
    fields.append(HTTPField(name: text(line[..<colon]), value: text(value)))
  }

  /// A line that begins with a blank continues the previous value (`obs-fold`, RFC 9112 section 5.2).
  private mutating func unfold(_ line: ArraySlice<UInt8>) throws(ResponseHeadError) {
    guard let last = fields.popLast() else { throw .malformedField }
    fields.append(HTTPField(name: last.name, value: last.value + " " + text(trimmingBlanks(line))))
  }

  /// `HTTP/1.1 206 Partial Content`; the phrase and the blank before it may be missing.
  private static func readStatusLine(_ line: ArraySlice<UInt8>) throws(ResponseHeadError) -> (Int, HTTPVersion) {
    let words = line.split(separator: UInt8(ascii: " "), maxSplits: 2)
    guard words.count >= 2, words[1].count == 3, let status = decimalNumber(words[1]), status >= 100 else {
      throw .malformedStatusLine
    }
    guard let version = HTTPVersion(statusLineWord: String(decoding: words[0], as: UTF8.self)) else {
      throw .malformedStatusLine
    }
    return (Int(status), version)
  }
}

/// Why header lines form no head.
package enum ResponseHeadError: Error, Sendable, Hashable {
  /// More than `ResponseHeadParser.maxBytes`.
  case tooManyBytes
  /// More than `ResponseHeadParser.maxFields`.
  case tooManyFields
  /// The first line is not `HTTP/x.y NNN`.
  case malformedStatusLine
  /// A line without a name and a colon.
  case malformedField
  /// `Content-Length` is not a number, or has several values.
  case unusableContentLength
  /// `Content-Length` is beyond any file's length.
  case boundlessContentLength

  /// Whether a limit was exceeded: the next response will hardly be smaller.
  package var isExcess: Bool {
    switch self {
    case .tooManyBytes, .tooManyFields, .boundlessContentLength: true
    case .malformedStatusLine, .malformedField, .unusableContentLength: false
    }
  }
}

extension ResponseHeadError: CustomStringConvertible {
  /// The fault, as the second part of a sentence about the head.
  package var description: String {
    switch self {
    case .tooManyBytes: "it has more than \(ResponseHeadParser.maxBytes) bytes"
    case .tooManyFields: "it has more than \(ResponseHeadParser.maxFields) fields"
    case .malformedStatusLine: "its first line is no status line of HTTP"
    case .malformedField: "one of its lines has no name and colon"
    case .unusableContentLength: "its Content-Length is no number, or has several values"
    case .boundlessContentLength: "its Content-Length is larger than any file"
    }
  }
}

extension HTTPVersion {
  fileprivate init?(statusLineWord word: String) {
    switch word {
    case "HTTP/1.1": self = .http1_1
    case "HTTP/2", "HTTP/2.0": self = .http2
    case "HTTP/3", "HTTP/3.0": self = .http3
    default:
      guard word.hasPrefix("HTTP/1.") || word.hasPrefix("HTTP/0.") else { return nil }
      self = .http1_0
    }
  }
}

/// A field value's bytes without surrounding blanks and tabs.
func trimmingBlanks<Bytes: BidirectionalCollection>(_ bytes: Bytes) -> Bytes.SubSequence where Bytes.Element == UInt8 {
  let start = bytes.firstIndex { !isBlank($0) } ?? bytes.endIndex
  let end = bytes.lastIndex { !isBlank($0) }.map(bytes.index(after:)) ?? start
  return bytes[start..<end]
}

private func isBlank(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }

/// Field values are bytes: mostly ASCII, file names often raw UTF-8; the old standard says Latin-1.
private func text(_ bytes: ArraySlice<UInt8>) -> String {
  if let characters = try? UTF8Span(validating: bytes.span) { return String(copying: characters) }
  return String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
}

extension ArraySlice<UInt8> {
  fileprivate func trimmingLineEnd() -> ArraySlice<UInt8> {
    var end = endIndex
    if end > startIndex, self[end - 1] == UInt8(ascii: "\n") { end -= 1 }
    if end > startIndex, self[end - 1] == UInt8(ascii: "\r") { end -= 1 }
    return self[..<end]
  }
}
