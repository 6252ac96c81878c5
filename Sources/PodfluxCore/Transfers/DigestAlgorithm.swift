/// A hash of the SHA-2 family (FIPS 180-4): those that Subresource Integrity knows. Stronger ones compare as greater.
public enum DigestAlgorithm: String, CaseIterable, Comparable, Sendable, Codable {
  case sha256
  case sha384
  case sha512

  /// How many bytes a digest has.
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
