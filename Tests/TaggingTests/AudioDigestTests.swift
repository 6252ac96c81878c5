import TagReading
import Testing

@testable import Tagging

@Suite("The audio of a file")
struct AudioDigestTests {
  @Test("has a digest in each format, which each change of it changes", arguments: TagSample.allCases)
  func digests(sample: TagSample) throws {
    let bytes = try sample.bytes()
    let digest = try #require(AudioDigest.of(bytes))
    var last = bytes
    // The last bytes of an MPEG-4 file may be its index.
    let media = bytes.firstRange(of: Array("mdat".utf8))
    let place = sample == .m4a ? try #require(media).upperBound + 40 : bytes.count - 1
    last[place] ^= 1
    #expect(AudioDigest.of(last) != digest)
    #expect(AudioDigest.of(Array(bytes.dropLast(700))) != digest)
  }

  @Test("is the same with another ID3 tag in front")
  func otherTags() throws {
    let bytes = try TagSample.mp3.bytes()
    let tag = Array("ID3".utf8) + [4, 0, 0, 0, 0, 1, 2] + [UInt8](repeating: 0, count: 130)
    #expect(AudioDigest.of(tag + bytes) == AudioDigest.of(bytes))
    #expect(AudioDigest.of(tag + tag + bytes) == AudioDigest.of(bytes))
    #expect(AudioDigest.of(try TagSample.taggedMP3.bytes()) == AudioDigest.of(bytes))
  }

  @Test("is not known where a file has too many headers", arguments: [(4, true), (3, false)])
  func headers(limit: Int, isKnown: Bool) {
    // Three blocks of length 0, the last one marked, and some audio; the search for an ID3 tag reads one header, too.
    let bytes = Array("fLaC".utf8) + [0, 0, 0, 0] + [1, 0, 0, 0] + [0x81, 0, 0, 0] + Array("audio".utf8)
    let digest = AudioDigest.of(fileOfLength: Int64(bytes.count), headerLimit: limit) {
      (offset: Int64, count: Int) throws(Never) -> [UInt8] in Array(bytes.dropFirst(Int(offset)).prefix(count))
    }
    #expect((digest != nil) == isKnown)
  }

  @Test("is found or not, in any damaged file, and the search ends", arguments: TagSample.allCases)
  func damaged(sample: TagSample) throws {
    let bytes = try sample.bytes()
    for place in 0..<600 {
      var damaged = bytes
      for offset in 0..<4 where place + offset < damaged.count { damaged[place + offset] = 0xFF }
      _ = AudioDigest.of(damaged)
      _ = AudioDigest.of(Array(bytes.prefix(place)))
    }
  }

  @Test("is not looked for in other files", arguments: ["", "<html>", "RIFF....WAVE", "%PDF-1.4"])
  func others(text: String) {
    #expect(AudioDigest.of(Array(text.utf8)) == nil)
  }

  @Test("of boxes that claim to be larger than the file, or of none, is none")
  func boxes() {
    let type: [UInt8] = [0, 0, 0, 16] + Array("ftypM4A \u{0}\u{0}\u{0}\u{0}".utf8)
    #expect(AudioDigest.of(type) == nil)
    #expect(AudioDigest.of(type + [0, 0, 1, 0] + Array("mdatxx".utf8)) == nil)
    #expect(AudioDigest.of(type + [0, 0, 0, 1] + Array("mdat".utf8) + [UInt8](repeating: 0xFF, count: 8)) == nil)
    #expect(AudioDigest.of(type + [0, 0, 0, 4] + Array("mdat".utf8)) == nil)
    #expect(AudioDigest.of(type + [0, 0, 0, 0] + Array("mdatxx".utf8)) != nil)
  }
}
