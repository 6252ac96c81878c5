import CZlib
import Flux
import Foundation
import PodfluxCore
import TestSupport
import TagReading
import Testing

@testable import Tagging

@Suite("The tagger")
struct TaggerTests {
  static let tags = EpisodeTags(
    title: "Über Öl, Übermut – and 日本", podcast: "Funkhaus Süd",
    published: PublicationDate(Timestamp(milliseconds: 1_767_310_200_000), offsetSeconds: 0), number: "12", season: 3,
    isEpisode: true)

  @Test(
    "writes title, album, date, track, disc, genre and cover in each format, and no byte of the audio",
    arguments: TagSample.allCases)
  func writes(sample: TagSample) throws {
    let file = try TaggedFile(try sample.bytes())
    let (audio, cover) = (file.audio, try TagSample.bytes(of: "cover.jpg"))
    #expect(try file.tag(Self.tags, cover: cover) == .tagged)
    #expect(audio != nil && file.audio == audio)
    let read = try #require(sample.tags(at: file.path))
    #expect(read.title == Self.tags.title)
    #expect(read.album == "Funkhaus Süd")
    #expect(read.date == "2026-01-01")
    #expect(read.track == 12)
    #expect(read.pictures == 1)
    if sample == .taggedMP3 {
      // What the file has said of these stays: the picture, too.
      #expect(read.disc == 9 && read.genre == "Speech")
      #expect(read.firstPictureLength == (try TagSample.bytes(of: "cover.png").count))
    } else {
      #expect(read.disc == 3 && read.genre == "Podcast")
      #expect(read.firstPictureLength == cover.count)
    }
    #expect(read.id3Version == ([.mp3, .taggedMP3].contains(sample) ? 4 : 0))
  }

  @Test("replaces tags of its own, and writes nothing that is not known", arguments: TagSample.allCases)
  func writesAgain(sample: TagSample) throws {
    let file = try TaggedFile(try sample.bytes())
    let before = try #require(sample.tags(at: file.path))
    #expect(try file.tag(EpisodeTags(title: "One", podcast: nil)) == .tagged)
    #expect(try file.tag(EpisodeTags(title: "Two", podcast: nil)) == .tagged)
    let read = try #require(sample.tags(at: file.path))
    #expect(read.title == "Two")
    #expect((read.album, read.date, read.genre) == (before.album, before.date, before.genre))
    #expect((read.track, read.disc, read.pictures) == (before.track, before.disc, before.pictures))
  }

  static let chapters = [
    Chapter(start: 0, end: 400, title: "Anfang: Ü"), Chapter(start: 400, end: 700, title: "Mitte"),
    Chapter(start: 700, end: nil, title: "日本"),
  ]

  @Test(
    "writes chapters where the format takes them, no byte of the audio, and leaves those that a file has",
    arguments: TagSample.allCases)
  func writesChapters(sample: TagSample) throws {
    let file = try TaggedFile(try sample.bytes())
    let audio = file.audio
    for chapters in [Self.chapters, [Chapter(start: 5, end: nil, title: "New")]] {
      #expect(try file.tag(Self.tags, chapters: chapters) == .tagged)
      let read = try #require(sample.tags(at: file.path))
      #expect(read.title == Self.tags.title)
      switch sample {
      case .mp3, .taggedMP3:
        #expect(read.chapters.prefix(2) == ["0-400 Anfang: Ü", "400-700 Mitte"])
        // The last one ends where the file does.
        let last = try #require(read.chapters.last?.split(separator: " ").first?.split(separator: "-").last)
        #expect(read.chapters.count == 3 && Int(last) ?? 0 > 700, "\(read.chapters)")
      case .vorbis, .opus, .flac:
        #expect(read.chapters == ["00:00:00.000 Anfang: Ü", "00:00:00.400 Mitte", "00:00:00.700 日本"])
      case .m4a: #expect(read.chapters.isEmpty)
      }
      #expect(audio != nil && file.audio == audio)
    }
  }

  @Test("takes as many chapters as there may be, with the longest titles", arguments: [TagSample.mp3, .opus])
  func manyChapters(sample: TagSample) throws {
    let title = String(repeating: "\u{1F399}", count: Chapter.titleBytes / 4)
    let chapters = (0..<Chapter.limit).map { Chapter(start: Int64($0) * 1000, end: nil, title: title) }
    let file = try TaggedFile(try sample.bytes())
    #expect(try file.tag(Self.tags, chapters: chapters) == .tagged)
    // The reader's room is less than that.
    #expect(try #require(sample.tags(at: file.path)).chapters.count > 10)
    #expect(file.audio == AudioDigest.of(try sample.bytes()))
  }

  @Test("takes a PNG for a cover, and nothing that is no picture or is too long")
  func covers() throws {
    let png = try TagSample.bytes(of: "cover.png")
    let file = try TaggedFile(try TagSample.m4a.bytes())
    for none in [Array("<html>".utf8), [], png + [UInt8](repeating: 0, count: Int(TaggingLimits.coverBytes))] {
      #expect(try file.tag(Self.tags, cover: none) == .tagged)
      #expect(try #require(TagSample.m4a.tags(at: file.path)).pictures == 0)
    }
    #expect(try file.tag(Self.tags, cover: png) == .tagged)
    #expect(try #require(TagSample.m4a.tags(at: file.path)).firstPictureLength == png.count)
  }

  @Test("leaves formats without tags, and damaged files, and says why")
  func others() throws {
    for bytes in [Array("<html></html>".utf8), Array("RIFF\u{0}\u{0}\u{0}\u{0}WAVEfmt ".utf8), []] {
      let file = try TaggedFile(bytes)
      #expect(try file.tag(Self.tags) == .failed("the file's format is none whose tags are written"))
      #expect(file.bytes == bytes)
    }
    let cut = try TaggedFile(Array(try TagSample.m4a.bytes().prefix(60)))
    guard case .failed = try cut.tag(Self.tags) else { return #expect(Bool(false), "half an index has no tags") }
  }

  @Test("ends for each damaged file, within its limits", arguments: TagSample.allCases)
  func damaged(sample: TagSample) throws {
    let bytes = try sample.bytes()
    var random = SeededRandom(seed: 21)
    for _ in 0..<6 {
      var damaged = bytes
      for _ in 0..<20 {
        damaged[Int(random.next() % UInt64(min(400, damaged.count)))] = UInt8(truncatingIfNeeded: random.next())
      }
      #expect(try TaggedFile(damaged).tag(Self.tags) != .stopped)
    }
  }

  @Test("is killed when it takes too long, and when it is to stop")
  func limits() throws {
    let file = try TaggedFile(try TagSample.mp3.bytes())
    let sleeper = Tagger.Program(path: "/bin/sleep", arguments: ["100"])
    #expect(try file.tag(Self.tags, program: sleeper, seconds: 0) == .failed("tagging it took too long"))
    #expect(try file.tag(Self.tags, program: sleeper, while: { false }) == .stopped)
    #expect(file.bytes == (try TagSample.mp3.bytes()))
  }

  @Test("has no room for a tag that unpacks to more than its memory, and ends")
  func bomb() throws {
    let file = try TaggedFile(try Self.bomb(ofBytes: 600 << 20) + TagSample.mp3.bytes())
    #expect(file.bytes.count < 1 << 20)
    guard case .failed = try file.tag(Self.tags) else { return #expect(Bool(false), "it has all that memory") }
  }

  /// An ID3v2.4 tag with one compressed frame of zeros (ID3v2.4.0 structure, section 4.1.2).
  private static func bomb(ofBytes count: Int) throws -> [UInt8] {
    var stream = z_stream()
    try #require(czlib_deflate_init(&stream, 15) == Z_OK)
    defer { deflateEnd(&stream) }
    var zeros = [UInt8](repeating: 0, count: 1 << 20)
    var packed: [UInt8] = []
    var room = [UInt8](repeating: 0, count: 1 << 20)
    for piece in 0..<count >> 20 {
      zeros.withUnsafeMutableBufferPointer { input in
        room.withUnsafeMutableBufferPointer { output in
          (stream.next_in, stream.avail_in) = (input.baseAddress, UInt32(input.count))
          (stream.next_out, stream.avail_out) = (output.baseAddress, UInt32(output.count))
          _ = deflate(&stream, piece == count >> 20 - 1 ? Z_FINISH : Z_NO_FLUSH)
          packed += output.prefix(output.count - Int(stream.avail_out))
        }
      }
    }
    // Compressed, with its unpacked length.
    let frame = Array("TXXX".utf8) + synchsafe(packed.count + 4) + [0, 0x09] + synchsafe(count % (1 << 28)) + packed
    return Array("ID3".utf8) + [4, 0, 0] + synchsafe(frame.count) + frame
  }

  private static func synchsafe(_ number: Int) -> [UInt8] {
    [21, 14, 7, 0].map { UInt8(number >> $0 & 0x7F) }
  }

  @Test("says so when it dies, when its program is missing, and when that is another one")
  func deaths() throws {
    let file = try TaggedFile(try TagSample.mp3.bytes())
    let killed = Tagger.Program(path: "/bin/sh", arguments: ["-c", "kill -SEGV $$"])
    #expect(try file.tag(Self.tags, program: killed) == .failed("the tagger died of it (signal 11)"))
    let missing = Tagger.Program(path: "/nonexistent", arguments: [])
    #expect(
      try file.tag(Self.tags, program: missing) == .failed("the tagger cannot be started: No such file or directory"))
    let other = Tagger.Program(path: "/bin/sh", arguments: ["-c", "exit 3"])
    #expect(try file.tag(Self.tags, program: other) == .failed("the tagger ended with status 3"))
  }

  @Test("gets no file, and no variable of its engine")
  func isolated() throws {
    let file = try TaggedFile(try TagSample.mp3.bytes())
    let script = "ls /proc/self/fd | wc -l >&3; env | grep -v -e PWD -e SHLVL -e '^_=' -e LD_LIBRARY_PATH >&3; exit 0"
    #expect(try file.tag(Self.tags, program: .init(path: "/bin/sh", arguments: ["-c", script])) == .tagged)
    // 0 to 4, and the folder that ls reads.
    #expect(String(decoding: file.bytes.prefix(2), as: UTF8.self) == "6\n")
    #expect(file.bytes[2] == (try TagSample.mp3.bytes()[2]))
  }
}
