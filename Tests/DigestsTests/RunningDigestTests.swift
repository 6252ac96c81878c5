import Digests
import Flux
import PodfluxCore
import Testing

@Suite("A running digest")
struct RunningDigestTests {
  /// The examples of FIPS 180-4 that NIST publishes, with the empty message and a million times "a".
  static let vectors: [(DigestAlgorithm, String, Int, String)] = [
    (.sha256, "", 0, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
    (.sha256, "abc", 1, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
    (.sha256, "a", 1_000_000, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"),
    (
      .sha384, "", 0,
      "38b060a751ac96384cd9327eb1b1e36a21fdb71114be07434c0cc7bf63f6e1da274edebfe76f65fbd51ad2f14898b95b"
    ),
    (
      .sha384, "abc", 1,
      "cb00753f45a35e8bb5a03d699ac65007272c32ab0eded1631a8b605a43ff5bed8086072ba1e7cc2358baeca134c825a7"
    ),
    (
      .sha384, "a", 1_000_000,
      "9d0e1809716474cb086e834e310a4a1ced149e9c00f248527972cec5704c2a5b07b8b3dc38ecc4ebae97ddd87f3d8985"
    ),
    (
      .sha512, "", 0,
      "cf83e1357eefb8bdf1542850d66d8007d620e4050b5715dc83f4a921d36ce9ce"
        + "47d0d13c5d85f2b0ff8318d2877eec2f63b931bd47417a81a538327af927da3e"
    ),
    (
      .sha512, "abc", 1,
      "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a"
        + "2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f"
    ),
    (
      .sha512, "a", 1_000_000,
      "e718483d0ce769644e2e42c7bc15b4638e1f98b13b2044285632a803afa973eb"
        + "de0ff244877ea60a4cb0432ce577c31beb009c5c2c49aa2e4eadb217ad8cc09b"
    ),
  ]

  @Test("matches NIST's examples", arguments: vectors)
  func agreesWithNIST(algorithm: DigestAlgorithm, text: String, repeats: Int, expected: String) {
    var digest = RunningDigest(algorithm)
    let bytes = (0..<repeats).flatMap { _ in Array(text.utf8) }
    bytes.withUnsafeBytes { digest.update($0) }
    #expect(digest.count == Int64(bytes.count))
    #expect(digest.digest().hexadecimal == expected)
    #expect(digest.digest().count == algorithm.digestLength)
  }

  @Test("continues from its state at any position", arguments: DigestAlgorithm.allCases, [1, 2, 3, 4] as [UInt64])
  func goesOn(algorithm: DigestAlgorithm, seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    for _ in 0..<100 {
      let bytes = (0..<Int.random(in: 0...1500, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
      var whole = RunningDigest(algorithm)
      bytes.withUnsafeBytes { whole.update($0) }

      var pieces = RunningDigest(algorithm)
      var rest = bytes[...]
      while !rest.isEmpty {
        let piece = rest.prefix(Int.random(in: 0...300, using: &random))
        piece.withUnsafeBytes { pieces.update($0) }
        rest.removeFirst(piece.count)
        let restored = try #require(RunningDigest(state: pieces.state), "seed \(seed)")
        #expect(restored.count == pieces.count && restored.state == pieces.state && restored.algorithm == algorithm)
        #expect(restored.digest() == pieces.digest())
        pieces = restored
      }
      #expect(pieces.digest() == whole.digest(), "seed \(seed)")
      #expect(pieces.state == whole.state, "seed \(seed)")
    }
  }

  @Test("has a state independent of the library that computed it")
  func stateIsFixed() {
    var digest = RunningDigest(.sha256)
    Array("abc".utf8).withUnsafeBytes { digest.update($0) }
    // Version, algorithm, count; the initial words of FIPS 180-4 section 5.3.3; the buffered bytes.
    let words: [UInt32] = [
      0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a, 0x510e_527f, 0x9b05_688c, 0x1f83_d9ab, 0x5be0_cd19,
    ]
    let bytes =
      [1, 1, 0, 0, 0, 0, 0, 0, 0, 3]
      + words.flatMap { word in (0..<4).map { UInt8(truncatingIfNeeded: word >> (24 - 8 * $0)) } } + Array("abc".utf8)
    #expect(digest.state == Base64.text(of: bytes))
  }

  @Test("counts bytes beyond 4 GiB across a state")
  func countsFar() throws {
    // According to the state 2^33 bytes were hashed: the length in the padding needs more than 32 bits.
    let far = try #require(RunningDigest(state: state(algorithm: 1, count: 1 << 33, words: 32, buffered: 0)))
    #expect(far.count == 1 << 33)
    let near = try #require(RunningDigest(state: state(algorithm: 1, count: 1 << 6, words: 32, buffered: 0)))
    #expect(far.digest() != near.digest())
    let limit = state(algorithm: 3, count: UInt64(RunningDigest.maxCount), words: 64, buffered: 0)
    #expect(RunningDigest(state: limit)?.state == limit)
  }

  @Test("is a value: copies are independent")
  func isAValue() {
    var first = RunningDigest(.sha512)
    let second = first
    Array("abc".utf8).withUnsafeBytes { first.update($0) }
    #expect(second.count == 0 && second.digest() != first.digest())
  }

  @Test("ignores empty input")
  func takesNothing() {
    var digest = RunningDigest(.sha384)
    digest.update(UnsafeRawBufferPointer(start: nil, count: 0))
    #expect(digest.count == 0 && digest.digest() == RunningDigest(.sha384).digest())
  }

  @Test("refuses a state that it cannot have made")
  func refusesStates() throws {
    #expect(RunningDigest(state: state(algorithm: 2, count: 128 + 5, words: 64, buffered: 5)) != nil)
    for text in [
      "", "=", "AQE", "not base64 at all", "é",
      String(repeating: "A", count: 1 << 20),
      state(version: 0, algorithm: 1, count: 64, words: 32, buffered: 0),
      state(version: 2, algorithm: 1, count: 64, words: 32, buffered: 0),
      state(algorithm: 0, count: 64, words: 32, buffered: 0), state(algorithm: 4, count: 64, words: 32, buffered: 0),
      state(algorithm: 1, count: 64, words: 31, buffered: 0), state(algorithm: 3, count: 128, words: 32, buffered: 0),
      state(algorithm: 1, count: 64, words: 32, buffered: 1), state(algorithm: 1, count: 65, words: 32, buffered: 0),
      state(algorithm: 1, count: 65, words: 32, buffered: 65), state(algorithm: 2, count: 64, words: 64, buffered: 0),
      // Other words than the initial ones, although no block was full.
      state(algorithm: 1, count: 0, words: 32, buffered: 0), state(algorithm: 1, count: 3, words: 32, buffered: 3),
      state(algorithm: 1, count: UInt64(RunningDigest.maxCount) + 64, words: 32, buffered: 0),
      state(algorithm: 1, count: 1 << 63, words: 32, buffered: 0),
      state(algorithm: 1, count: .max, words: 32, buffered: 63),
    ] {
      #expect(RunningDigest(state: text) == nil, "\(text.prefix(80))")
    }
    let unpadded = RunningDigest(.sha512).state.filter { $0 != "=" }
    #expect(unpadded != RunningDigest(.sha512).state && RunningDigest(state: unpadded) == nil)
  }

  @Test("does not crash on a damaged state", arguments: [1, 2, 3] as [UInt64])
  func survivesDamage(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var digest = RunningDigest(.sha384)
    Array("some bytes".utf8).withUnsafeBytes { digest.update($0) }
    for _ in 0..<5000 {
      var bytes = Array(digest.state.utf8)
      for _ in 0...Int.random(in: 0...2, using: &random) {
        bytes[Int.random(in: bytes.indices, using: &random)] = UInt8.random(in: 0x2B...0x7A, using: &random)
      }
      let text = String(decoding: bytes.dropLast(Int.random(in: 0...8, using: &random)), as: UTF8.self)
      guard var restored = RunningDigest(state: text) else { continue }
      #expect(restored.state == text, "seed \(seed)")
      bytes.withUnsafeBytes { restored.update($0) }
      #expect(restored.digest().count == restored.algorithm.digestLength)
    }
  }

  /// A state in the documented format, after bytes that are all 7.
  private func state(version: UInt8 = 1, algorithm: UInt8, count: UInt64, words: Int, buffered: Int) -> String {
    let number = (0..<8).map { UInt8(truncatingIfNeeded: count >> (56 - 8 * $0)) }
    return Base64.text(of: [version, algorithm] + number + [UInt8](repeating: 7, count: words + buffered))
  }
}
