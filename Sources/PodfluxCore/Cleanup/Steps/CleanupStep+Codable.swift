/// The coded form of a step's parts. Decoding validates everything.
extension EntryPath: Codable {
  /// Encodes the bytes as base64: they may not be UTF-8.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(Base64.text(of: bytes))
  }

  /// Decodes base64.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    self.init(
      bytes: try container.checked("a place in base64", Base64.bytes(of: try container.decode(String.self).utf8)))
  }
}

extension LibraryPath: Codable {
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }

  /// Decodes and validates the text.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let text = try container.decode(String.self)
    self = try container.checked("a path inside a library", try? LibraryPath(validating: text))
  }
}

extension DownloadID: Codable {
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }

  /// Decodes and validates the text.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    self = try container.checked("a download's id", DownloadID(container.decode(String.self)))
  }
}

extension FeedID: Codable {
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }

  /// Decodes and validates the text.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    self = try container.checked("a feed's id", FeedID(container.decode(String.self)))
  }
}

extension EpisodeID: Codable {
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }

  /// Decodes and validates the text.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    self = try container.checked("an episode's id", EpisodeID(container.decode(String.self)))
  }
}

extension SingleValueDecodingContainer {
  fileprivate func checked<Value>(_ expected: String, _ value: Value?) throws -> Value {
    guard let value else { throw DecodingError.dataCorruptedError(in: self, debugDescription: "it is not \(expected)") }
    return value
  }
}
