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
      // What is no name may be a secret: the refusal does not repeat it.
      guard (1...Self.maximumHeaderNameBytes).contains(member.key.utf8.count), member.key.isHTTPToken else {
        throw refusal(
          .invalidValue,
          """
          a header's name must be a token of RFC 9110 (letters, digits, -) of 1 to \(Self.maximumHeaderNameBytes) bytes; \
          give the value as the member's
          """)
      }
      let field = Field(value: member.value, container: path, part: .key(member.key))
      try field.checkIsOwn(member.key)
      guard names.insert(member.key.lowercased()).inserted else {
        throw field.refusal(.invalidValue, "the header is there twice in other letters; give each header once")
      }
      headers.append(Header(name: member.key, value: try field.headerValue()))
    }
    return headers
  }

  private func checkIsOwn(_ name: String) throws(Refusal) {
    guard !Header.isReserved(name) else {
      throw refusal(
        .invalidValue, "\(name) is the engine's own or one connection's, and transfers depend on it; leave it out")
    }
  }

  private func headerValue() throws(Refusal) -> String {
    let value = try string()
    guard value.utf8.count <= Self.maximumHeaderBytes, value.isFieldText else {
      throw refusal(
        .invalidValue,
        "a header's value must have at most \(Self.maximumHeaderBytes) bytes and no control characters but tabs")
    }
    return value
  }
}
