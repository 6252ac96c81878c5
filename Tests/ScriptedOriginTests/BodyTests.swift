import Testing

@testable import ScriptedOrigin

@Suite("A body")
struct BodyTests {
  @Test("stamped content has each block's number at its beginning")
  func stamps() {
    let body = Body.stamped(length: 3 * 65_536 + 100, seed: 7)
    for block in 0..<4 {
      let stamp = body[(block * 65_536)..<(block * 65_536 + 8)].allBytes
      #expect(stamp == [0, 0, 0, 0, 0, 0, 0, UInt8(block)])
    }
  }

  @Test("stamped content depends on its seed, and is a prefix of longer content with the same seed")
  func seeds() {
    let short = Body.stamped(length: 100_000, seed: 1).allBytes
    #expect(short == Array(Body.stamped(length: 200_000, seed: 1).allBytes.prefix(100_000)))
    #expect(short != Body.stamped(length: 100_000, seed: 2).allBytes)
  }

  @Test("a slice has the bytes of the whole at that range", arguments: [0..<0, 0..<1, 4_090..<4_110, 69_000..<270_001])
  func slices(range: Range<Int>) {
    let body = Body.joined([
      .audio(length: 150_000, seed: 3), .text("between"), .repeating([1, 2, 3], length: 150_000),
    ])
    #expect(body.length == 300_007)
    #expect(body[range].allBytes == Array(body.allBytes[range]))
    #expect(body[range].length == range.count)
  }

  @Test("a slice of a slice counts from the slice's beginning")
  func slicesOfSlices() {
    let body = Body.stamped(length: 200_000, seed: 9)
    #expect(body[50_000..<150_000][20_000..<30_000].allBytes == body[70_000..<80_000].allBytes)
  }

  @Test("chunks add up to the whole, and none is longer than 256 KiB")
  func chunks() {
    let body = Body.repeating(Array("0123456789".utf8), length: 1_000_003)
    var total = 0
    body.forEachChunk { chunk in
      #expect(chunk.count <= 256 * 1024)
      total += chunk.count
    }
    #expect(total == 1_000_003)
  }

  @Test("audio begins like an MP3 file, at any length", arguments: [0, 5, 4_096, 4_097, 1_000_000])
  func audio(length: Int) {
    let body = Body.audio(length: length, seed: 1)
    #expect(body.length == length)
    #expect(body[0..<min(3, length)].allBytes == Array("ID3".utf8.prefix(length)))
  }

  @Test("the fixtures have the formats of their names, and can be made longer")
  func fixtures() throws {
    #expect(try Fixtures.body(Fixtures.mp3)[0..<3].allBytes == Array("ID3".utf8))
    #expect(try Fixtures.body(Fixtures.m4a)[4..<8].allBytes == Array("ftyp".utf8))
    #expect(try Fixtures.body(Fixtures.opus)[0..<4].allBytes == Array("OggS".utf8))
    let long = try Fixtures.body(Fixtures.mp3, repeatedToLength: 500_000)
    #expect(long.length == 500_000)
    #expect(long[0..<3].allBytes == Array("ID3".utf8))
  }
}
