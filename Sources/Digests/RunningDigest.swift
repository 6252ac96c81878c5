import CCrypto
import PodfluxCore

/// An incremental hash whose state can be saved and continued by another process.
///
/// A value type: copies are independent. It exists because libcrypto's present interface cannot export the
/// state of a hash, and a resumed download must not read hashed bytes again. libcrypto's older one does the hashing.
package struct RunningDigest: Sendable {
  /// The limit of SHA-256's length field (FIPS 180-4 section 5.1.1), in bytes: an exbibyte, beyond any file.
  package static let maxCount: Int64 = 1 << 60

  package let algorithm: DigestAlgorithm

  /// How many bytes have been hashed.
  package private(set) var count: Int64 = 0

  private var context: Context

  /// An empty hash.
  package init(_ algorithm: DigestAlgorithm) {
    self.algorithm = algorithm
    context = Context(algorithm)
  }

  /// Hashes further bytes. Cost: that of `openssl speed`, plus a copy of a few hundred bytes for each call.
  package mutating func update(_ bytes: UnsafeRawBufferPointer) {
    guard let start = bytes.baseAddress, !bytes.isEmpty else { return }
    count += Int64(bytes.count)
    precondition(count <= Self.maxCount, "more bytes than SHA-256 can count")
    context.update(start, count: bytes.count)
  }

  /// The digest of all bytes so far. More bytes may follow.
  package func digest() -> [UInt8] {
    context.digest(length: algorithm.digestLength)
  }

  /// The state for `init(state:)`: base64 of at most 268 characters, independent of the library that computed it.
  ///
  /// It contains the version (1), the algorithm (1, 2, 3 for SHA-256, SHA-384, SHA-512), the count in 8 bytes, the 8
  /// chaining words, all big-endian, and the bytes of the incomplete block: up to 127 bytes of the file in plain text.
  package var state: String {
    var bytes = [Self.stateVersion, algorithm.number]
    bytes.append(bigEndian: UInt64(count), bytes: MemoryLayout<UInt64>.size)
    let (words, block) = context.read(buffered: Int(count) % algorithm.blockLength)
    for word in words { bytes.append(bigEndian: word, bytes: algorithm.wordLength) }
    return Base64.text(of: bytes + block)
  }

  /// Continues from a state; nil if `state` cannot have produced it. The input may be untrusted.
  ///
  /// A forged state can only give a wrong digest.
  package init?(state: String) {
    guard state.utf8.count <= Self.maxStateLength, let bytes = Base64.bytes(of: state.utf8),
      // Accepts only the canonical spelling: with padding, in the standard alphabet.
      Base64.text(of: bytes) == state
    else { return nil }
    var reader = StateReader(rest: bytes[...])
    guard reader.number(bytes: 1) == UInt64(Self.stateVersion),
      let number = reader.number(bytes: 1),
      let algorithm = DigestAlgorithm.allCases.first(where: { UInt64($0.number) == number }),
      let count = reader.number(bytes: MemoryLayout<UInt64>.size), count <= UInt64(Self.maxCount)
    else { return nil }

    var words: [UInt64] = []
    for _ in 0..<Context.wordCount {
      guard let word = reader.number(bytes: algorithm.wordLength) else { return nil }
      words.append(word)
    }
    let buffered = Array(reader.rest)
    guard buffered.count == Int(count) % algorithm.blockLength else { return nil }

    self.init(algorithm)
    let hashed = count - UInt64(buffered.count)
    // Before the first full block every hash has its initial words.
    guard hashed > 0 || words == context.read(buffered: 0).words else { return nil }
    context.restore(words: words, bits: hashed * 8)
    self.count = Int64(hashed)
    buffered.withUnsafeBytes { update($0) }
  }

  private static let stateVersion: UInt8 = 1

  /// Base64 of 2 bytes, the count, 8 words of 8 bytes and 127 bytes of a block.
  private static let maxStateLength = 268
}

extension DigestAlgorithm {
  /// Its number in a saved state.
  fileprivate var number: UInt8 {
    switch self {
    case .sha256: 1
    case .sha384: 2
    case .sha512: 3
    }
  }

  /// The block length in bytes.
  fileprivate var blockLength: Int { self == .sha256 ? 64 : 128 }

  /// The length of a chaining word in bytes.
  fileprivate var wordLength: Int { self == .sha256 ? 4 : 8 }
}

/// Reads big-endian numbers from the front.
private struct StateReader {
  var rest: ArraySlice<UInt8>

  mutating func number(bytes: Int) -> UInt64? {
    guard rest.count >= bytes else { return nil }
    defer { rest.removeFirst(bytes) }
    return rest.prefix(bytes).reduce(0) { $0 << 8 | UInt64($1) }
  }
}

extension [UInt8] {
  fileprivate mutating func append(bigEndian number: UInt64, bytes: Int) {
    for index in (0..<bytes).reversed() { append(UInt8(truncatingIfNeeded: number >> (8 * index))) }
  }
}

extension RunningDigest {
  /// The SHA-256 of complete data, in hexadecimal digits.
  package static func sha256(of bytes: [UInt8]) -> String {
    var digest = RunningDigest(.sha256)
    bytes.withUnsafeBytes { digest.update($0) }
    return digest.digest().hexadecimal
  }
}
