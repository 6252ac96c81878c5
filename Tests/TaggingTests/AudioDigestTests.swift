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

  @Test("is never the whole file's where its audio is damaged or cut off", arguments: TagSample.allCases)
  func damaged(sample: TagSample) throws {
    let bytes = try sample.bytes()
    let whole = try #require(AudioDigest.of(bytes))
    let audio = try #require(sample.audio(in: bytes))
    let places = Set(0..<600).union(audio.flatMap { [$0.lowerBound, $0.upperBound - 1] }).sorted()
    for place in places where place < bytes.count {
      var damaged = bytes
      for offset in place..<min(place + 4, bytes.count) { damaged[offset] = 0xFF }
      let isOtherAudio = audio.contains { damaged[$0] != bytes[$0] }
      if isOtherAudio { #expect(AudioDigest.of(damaged) != whole, "damaged at \(place)") }
      // All samples have audio up to their end, or a part of the file's index that a cut breaks.
      #expect(AudioDigest.of(Array(bytes.prefix(place))) != whole, "cut at \(place)")
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

extension TagSample {
  /// Bytes of an undamaged sample that belong to its audio, found without `AudioDigest`; all of them but in Ogg, where
  /// they are the first page's and those from the third page on.
  fileprivate func audio(in bytes: [UInt8]) -> [Range<Int>]? {
    func number(_ place: Int, _ count: Int, bits: Int) -> Int {
      bytes[place..<place + count].reduce(0) { $0 << bits | Int($1) }
    }
    switch self {
    case .mp3, .taggedMP3:
      let hasTag = bytes.starts(with: Array("ID3".utf8))
      return [(hasTag ? 10 + number(6, 4, bits: 7) : 0)..<bytes.count]
    case .m4a:
      guard let type = bytes.firstRange(of: Array("mdat".utf8)) else { return nil }
      return [type.upperBound..<type.lowerBound - 4 + number(type.lowerBound - 4, 4, bits: 8)]
    case .flac:
      var place = 4
      while bytes[place] & 0x80 == 0 { place += 4 + number(place + 1, 3, bits: 8) }
      return [place + 4 + number(place + 1, 3, bits: 8)..<bytes.count]
    case .vorbis, .opus:
      var (place, pages) = (0, [] as [Range<Int>])
      while place < bytes.count {
        let segments = Int(bytes[place + 26])
        let start = place + 27 + segments
        place = start + bytes[place + 27..<start].reduce(0) { $0 + Int($1) }
        pages.append(start..<place)
      }
      return pages.enumerated().filter { $0.offset != 1 && !$0.element.isEmpty }.map(\.element)
    }
  }
}
