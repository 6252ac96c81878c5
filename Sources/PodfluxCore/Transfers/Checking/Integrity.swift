/// The expected hash of a file: Subresource Integrity metadata (W3C SRI section 3.3).
///
/// `sha256-…`, `sha384-…` or `sha512-…` with the digest in base64, separated by white space. As in browsers only the
/// strongest algorithm counts, and any of its digests is accepted.
///
/// ```swift
/// let integrity = Integrity("sha256-ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=")
/// let description = Download.Description(integrity: integrity)
/// _ = try await podflux.dispatch(.downloads(.enqueue(.init(address: address, description: description))))
/// ```
public struct Integrity: Hashable, Sendable {
  /// The longest metadata, in bytes: ten SHA-512 digests.
  public static let maxBytes = 1024

  /// The strongest algorithm in the metadata.
  public let algorithm: DigestAlgorithm

  /// The distinct digests of that algorithm, at least one, in the order of their bytes.
  public let digests: [[UInt8]]

  /// Parses metadata. Nil if it is longer than `maxBytes`, contains no digest, or has a malformed token.
  ///
  /// Browsers skip unknown tokens, so that a typo disables the check; here it is an error. Options after a `?` are
  /// ignored, since none are defined. The base64 may be base64url and lack its padding.
  public init?(_ text: String) {
    guard text.utf8.count <= Self.maxBytes else { return nil }
    var tokens: [(algorithm: DigestAlgorithm, digest: [UInt8])] = []
    for token in text.utf8.split(whereSeparator: Self.isWhiteSpace) {
      guard let read = Self.read(token: token) else { return nil }
      tokens.append(read)
    }
    guard let strongest = tokens.map(\.algorithm).max() else { return nil }
    algorithm = strongest
    digests = Set(tokens.filter { $0.algorithm == strongest }.map(\.digest)).sorted { $0.lexicographicallyPrecedes($1) }
  }

  /// Whether a file's digest by `algorithm` matches.
  package func accepts(_ digest: [UInt8]) -> Bool {
    digests.contains(digest)
  }

  private static func read(token: Substring.UTF8View) -> (algorithm: DigestAlgorithm, digest: [UInt8])? {
    let parts = token.split(separator: UInt8(ascii: "?"), maxSplits: 1, omittingEmptySubsequences: false)
    guard let expression = parts.first, parts.dropFirst().joined().allSatisfy(isVisible),
      let dash = expression.firstIndex(of: UInt8(ascii: "-")),
      let algorithm = String(expression[..<dash]).flatMap(DigestAlgorithm.init(rawValue:)),
      let digest = Base64.bytes(of: expression[expression.index(after: dash)...]),
      digest.count == algorithm.digestLength
    else { return nil }
    return (algorithm, digest)
  }

  /// ASCII white space, which separates tokens in SRI (Infra section 4.6).
  private static func isWhiteSpace(_ byte: UInt8) -> Bool {
    [0x09, 0x0A, 0x0C, 0x0D, 0x20].contains(byte)
  }

  /// The grammar's VCHAR.
  private static func isVisible(_ byte: UInt8) -> Bool {
    (0x21...0x7E).contains(byte)
  }
}

extension Integrity: CustomStringConvertible {
  /// The canonical spelling, which parses to an equal value.
  public var description: String {
    digests.map { "\(algorithm.rawValue)-\(Base64.text(of: $0))" }.joined(separator: " ")
  }
}

extension Integrity: Codable {
  /// Parses metadata from a string.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    guard let integrity = Integrity(try container.decode(String.self)) else {
      throw DecodingError.dataCorruptedError(in: container, debugDescription: "no metadata of Subresource Integrity")
    }
    self = integrity
  }

  /// Encodes `description`.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }
}
