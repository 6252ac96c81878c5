import CCrypto
import PodfluxCore

/// A hash of bytes as they arrive, whose state can be written down and taken up by another process.
///
/// A value: copies go their own ways. It exists because swift-crypto cannot write down the state of a hash, and a resumed
/// download must not read again what was hashed. The work is libcrypto's.
public struct RunningDigest: Sendable {
  /// The most bytes whose length in bits SHA-256 can count (FIPS 180-4 section 5.1.1): an exbibyte, beyond any file.
  public static let maxCount: Int64 = 1 << 60

  /// The hash that is computed.
  public let algorithm: DigestAlgorithm

  /// How many bytes were hashed so far.
  public private(set) var count: Int64 = 0

  private var context: Context

  /// The hash of nothing so far.
  public init(_ algorithm: DigestAlgorithm) {
    self.algorithm = algorithm
    context = Context(algorithm)
  }

  /// Hashes these bytes behind all before. Cost: that of `openssl speed`; a few hundred bytes are copied for each call.
  public mutating func update(_ bytes: UnsafeRawBufferPointer) {
    guard let start = bytes.baseAddress, !bytes.isEmpty else { return }
    count += Int64(bytes.count)
    precondition(count <= Self.maxCount, "more bytes than SHA-256 can count")
    context.update(start, count: bytes.count)
  }

  /// The digest of all bytes so far. More bytes may follow.
  public func digest() -> [UInt8] {
    context.digest(length: algorithm.digestLength)
  }

  /// What `init(state:)` goes on from: base64 of at most 268 characters, the same whatever library computed it.
  ///
  /// It holds the version (1), the algorithm (1, 2, 3 for SHA-256, SHA-384, SHA-512), the count in 8 bytes, the 8 chaining
  /// words, all big-endian, and the bytes of the block that is not full yet. Up to 127 bytes of the file are legible in
  /// it.
  public var state: String {
    var bytes = [Self.stateVersion, algorithm.number]
    bytes.append(bigEndian: UInt64(count), bytes: MemoryLayout<UInt64>.size)
    let (words, block) = context.read(buffered: Int(count) % algorithm.blockLength)
    for word in words { bytes.append(bigEndian: word, bytes: algorithm.wordLength) }
    return Base64.text(of: bytes + block)
  }

  /// Goes on from a state, which may come from anybody; nil if `state` cannot have made it.
  ///
  /// A state that was made up can only give a wrong digest.
  public init?(state: String) {
    guard state.utf8.count <= Self.maxStateLength, let bytes = Base64.bytes(of: state.utf8),
      // Only one spelling: neither without padding nor in the other alphabet.
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
    // Before the first full block every hash has the words it begins with.
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
  /// Its number in a written state.
  fileprivate var number: UInt8 {
    switch self {
    case .sha256: 1
    case .sha384: 2
    case .sha512: 3
    }
  }

  /// How many bytes are hashed at a time.
  fileprivate var blockLength: Int { self == .sha256 ? 64 : 128 }

  /// How many bytes a chaining word has.
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
  /// The SHA-256 of bytes that are all there, in hexadecimal digits.
  public static func sha256(of bytes: [UInt8]) -> String {
    var digest = RunningDigest(.sha256)
    bytes.withUnsafeBytes { digest.update($0) }
    return digest.digest().hexadecimal
  }
}
