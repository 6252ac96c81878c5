/// What steps are made of, as they are written down. Everything is checked when it is read back.
extension EntryPath: Codable {
  /// Writes the bytes in base64: they need not be UTF-8.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(Base64.text(of: bytes))
  }

  /// Reads what `encode` has written.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    self.init(
      bytes: try container.checked("a place in base64", Base64.bytes(of: try container.decode(String.self).utf8)))
  }
}

extension LibraryPath: Codable {
  /// Writes the text.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }

  /// Reads and checks the text.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let text = try container.decode(String.self)
    self = try container.checked("a path inside a library", try? LibraryPath(validating: text))
  }
}

extension DownloadID: Codable {
  /// Writes the text.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }

  /// Reads and checks the text.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    self = try container.checked("a download's id", DownloadID(container.decode(String.self)))
  }
}

extension SingleValueDecodingContainer {
  fileprivate func checked<Value>(_ expected: String, _ value: Value?) throws -> Value {
    guard let value else { throw DecodingError.dataCorruptedError(in: self, debugDescription: "it is not \(expected)") }
    return value
  }
}
