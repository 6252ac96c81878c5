import PodfluxCore

/// Request headers that a client wants sent with a download. Their values may be secrets: no message repeats them.
extension Field {
  /// How many headers a download has at most.
  static let maximumHeaders = 64
  /// The longest value of a header, in bytes.
  static let maximumHeaderBytes = 8192
  /// The longest name of a header, in bytes.
  static let maximumHeaderNameBytes = 256

  func headers() throws(Refusal) -> [Header] {
    let members = try object().members
    guard members.count <= Self.maximumHeaders else {
      throw refusal(.limitExceeded, "\(path) has \(members.count) headers; give at most \(Self.maximumHeaders)")
    }
    let path = path
    var names: Set<String> = []
    var headers: [Header] = []
    for member in members {
      let field = Field(value: member.value, container: path, part: .key(member.key))
      try field.checkHeaderName(member.key)
      guard names.insert(member.key.lowercased()).inserted else {
        throw field.refusal(.invalidValue, "the header is there twice in other letters; give each header once")
      }
      headers.append(Header(name: member.key, value: try field.headerValue()))
    }
    return headers
  }

  private func checkHeaderName(_ name: String) throws(Refusal) {
    guard (1...Self.maximumHeaderNameBytes).contains(name.utf8.count), name.utf8.allSatisfy(Self.isTokenByte) else {
      throw refusal(
        .invalidValue,
        "a header's name must be a token of RFC 9110 (letters, digits, -) of 1 to \(Self.maximumHeaderNameBytes) bytes")
    }
    guard !Header.isReserved(name) else {
      throw refusal(
        .invalidValue, "\(name) is the engine's own or one connection's, and transfers depend on it; leave it out")
    }
  }

  private func headerValue() throws(Refusal) -> String {
    let value = try string()
    guard value.utf8.count <= Self.maximumHeaderBytes, value.utf8.allSatisfy(Self.isFieldByte) else {
      throw refusal(
        .invalidValue,
        "a header's value must have at most \(Self.maximumHeaderBytes) bytes and no control characters but tabs")
    }
    return value
  }

  /// `tchar` of RFC 9110 section 5.6.2.
  private static func isTokenByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
    }
  }

  /// What a field value may hold (RFC 9110 section 5.5).
  private static func isFieldByte(_ byte: UInt8) -> Bool {
    byte == 0x09 || (byte >= 0x20 && byte != 0x7F)
  }
}
