/// A hash of the SHA-2 family (FIPS 180-4) that Subresource Integrity defines. Stronger ones compare as greater.
///
/// Use: `download.description.integrity?.algorithm`.
public enum DigestAlgorithm: String, CaseIterable, Comparable, Sendable, Codable {
  case sha256
  case sha384
  case sha512

  /// The length of a digest in bytes.
  public var digestLength: Int {
    switch self {
    case .sha256: 32
    case .sha384: 48
    case .sha512: 64
    }
  }

  /// Orders by strength.
  public static func < (left: Self, right: Self) -> Bool {
    left.digestLength < right.digestLength
  }
}
