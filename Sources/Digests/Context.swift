import CCrypto
import PodfluxCore

/// A libcrypto hash context: with 32-bit words for SHA-256, with 64-bit words for SHA-384 and SHA-512.
enum Context: Sendable {
  case short(SHA256_CTX)
  case long(SHA512_CTX)

  /// The number of chaining words in every hash of the family.
  static let wordCount = 8

  /// The longest block, in bytes.
  private static let maxBlockLength = 128

  /// A context that has hashed nothing.
  init(_ algorithm: DigestAlgorithm) {
    switch algorithm {
    case .sha256:
      var context = SHA256_CTX()
      ccrypto_sha256_begin(&context)
      self = .short(context)
    case .sha384:
      var context = SHA512_CTX()
      ccrypto_sha384_begin(&context)
      self = .long(context)
    case .sha512:
      var context = SHA512_CTX()
      ccrypto_sha512_begin(&context)
      self = .long(context)
    }
  }

  mutating func update(_ bytes: UnsafeRawPointer, count: Int) {
    switch self {
    case .short(var context):
      ccrypto_short_update(&context, bytes, count)
      self = .short(context)
    case .long(var context):
      ccrypto_long_update(&context, bytes, count)
      self = .long(context)
    }
  }

  /// The digest so far; the context stays unchanged.
  func digest(length: Int) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: Self.maxDigestLength) { digest, count in
      switch self {
      case .short(var context): ccrypto_short_digest(&context, digest.baseAddress)
      case .long(var context): ccrypto_long_digest(&context, digest.baseAddress)
      }
      count = length
    }
  }

  private static let maxDigestLength = 64

  /// The chaining words, and the bytes of the incomplete block.
  func read(buffered: Int) -> (words: [UInt64], block: [UInt8]) {
    var words = [UInt64](repeating: 0, count: Self.wordCount)
    var block = [UInt8](repeating: 0, count: Self.maxBlockLength)
    switch self {
    case .short(var context): ccrypto_short_read(&context, &words, &block, buffered)
    case .long(var context): ccrypto_long_read(&context, &words, &block, buffered)
    }
    return (words, Array(block.prefix(buffered)))
  }

  /// Restores a fresh context to the state after this many bits, which are a whole number of blocks.
  mutating func restore(words: [UInt64], bits: UInt64) {
    precondition(words.count == Self.wordCount, "a hash has eight chaining words")
    switch self {
    case .short(var context):
      ccrypto_short_restore(&context, words, bits)
      self = .short(context)
    case .long(var context):
      ccrypto_long_restore(&context, words, bits)
      self = .long(context)
    }
  }
}
