import CBrotliEncoder
import CZlib
import PodfluxCore
import Testing

@testable import Transfers

@Suite("Codings are undone while they arrive")
struct ContentDecoderTests {
  private static let file = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* $0 >> 7) }

  /// The bytes in a frame: 31 for gzip, 15 for zlib's, -15 for none.
  private static func coded(_ bytes: [UInt8], windowBits: Int32) -> [UInt8] {
    var stream = z_stream()
    var input = bytes
    var output = [UInt8](repeating: 0, count: bytes.count + 1000)
    let count = output.withUnsafeMutableBufferPointer { output in
      input.withUnsafeMutableBufferPointer { input in
        #expect(czlib_deflate_init(&stream, windowBits) == Z_OK)
        stream.next_in = input.baseAddress
        stream.avail_in = UInt32(input.count)
        stream.next_out = output.baseAddress
        stream.avail_out = UInt32(output.count)
        #expect(deflate(&stream, Z_FINISH) == Z_STREAM_END)
        deflateEnd(&stream)
        return output.count - Int(stream.avail_out)
      }
    }
    return Array(output[..<count])
  }

  private static func brotli(_ bytes: [UInt8]) -> [UInt8] {
    var count = BrotliEncoderMaxCompressedSize(bytes.count)
    var output = [UInt8](repeating: 0, count: count)
    let isDone = BrotliEncoderCompress(
      5, BROTLI_DEFAULT_WINDOW, BROTLI_MODE_GENERIC, bytes.count, bytes, &count, &output)
    #expect(isDone == BROTLI_TRUE)
    return Array(output[..<count])
  }

  /// What comes out of a body that arrives in pieces of this size, whether that is the end, and what was wrong.
  private static func decoded(
    _ bytes: [UInt8], _ coding: ContentCoding, pieces: Int = 16_384, isFeed: Bool = false
  ) -> (bytes: [UInt8], isAtEnd: Bool, code: DownloadError.Code?) {
    let decoder = isFeed ? ContentDecoder.forFeed(coding) : ContentDecoder(coding)
    var result: [UInt8] = []
    do throws(DownloadError) {
      for start in stride(from: 0, to: bytes.count, by: pieces) {
        let piece = Array(bytes[start..<min(bytes.count, start + pieces)])
        var found: DownloadError?
        piece.withUnsafeBytes { piece in
          do throws(DownloadError) {
            _ = try decoder.decode(piece) { part in
              result.append(contentsOf: part)
              return true
            }
          } catch {
            found = error
          }
        }
        if let found { throw found }
      }
    } catch {
      return (result, decoder.isAtEnd, error.code)
    }
    return (result, decoder.isAtEnd, nil)
  }

  /// The file in each coding; deflate with a frame and without.
  private static let codedFiles: [(ContentCoding, [UInt8])] = [
    (.gzip, coded(file, windowBits: 31)), (.deflate, coded(file, windowBits: 15)),
    (.deflate, coded(file, windowBits: -15)), (.brotli, brotli(file)),
  ]

  @Test("A body that goes on and brings nothing is no file", arguments: [false, true])
  func idle(isFeed: Bool) {
    let header: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3]
    let emptyBlocks = [[UInt8]](repeating: [0, 0, 0, 0xFF, 0xFF], count: 30_000).flatMap(\.self)
    var named = header
    named[3] = 8
    let bodies: [(String, ContentCoding, [UInt8])] = [
      ("empty blocks", .gzip, header + emptyBlocks),
      ("empty blocks without a frame", .deflate, emptyBlocks),
      ("a name without an end", .gzip, named + [UInt8](repeating: 0x61, count: 200_000)),
      (
        "empty members", .gzip,
        [[UInt8]](repeating: Self.coded([], windowBits: 31), count: 10_000).flatMap(\.self)
      ),
    ]
    for (name, coding, bytes) in bodies {
      let found = Self.decoded(bytes, coding, isFeed: isFeed)
      #expect(found.bytes.isEmpty && found.code == .notMedia, "\(name): \(found)")
    }
  }

  @Test("gzip, both kinds of deflate, and brotli, in pieces of any size", arguments: [1, 7, 16_384, 1 << 20])
  func whole(pieces: Int) {
    for (coding, bytes) in Self.codedFiles {
      let found = Self.decoded(bytes, coding, pieces: pieces)
      #expect(found.bytes == Self.file && found.isAtEnd && found.code == nil, "\(coding), \(bytes.count) bytes")
    }
  }

  @Test("Several members of gzip are one file", arguments: [1, 100_000])
  func members(pieces: Int) {
    let half = Self.file.count / 2
    let coded =
      Self.coded(Array(Self.file[..<half]), windowBits: 31) + Self.coded(Array(Self.file[half...]), windowBits: 31)
    let found = Self.decoded(coded, .gzip, pieces: pieces)
    #expect(found.bytes == Self.file && found.isAtEnd && found.code == nil)
  }

  @Test("A cut is no end, wherever it is", arguments: [ContentCoding.gzip, .brotli])
  func cut(coding: ContentCoding) {
    let coded = coding == .gzip ? Self.coded(Self.file, windowBits: 31) : Self.brotli(Self.file)
    for length in [1, 2, 10, coded.count / 2, coded.count - 8, coded.count - 1] {
      let found = Self.decoded(Array(coded[..<length]), coding)
      #expect(!found.isAtEnd && found.code == nil, "\(length) of \(coded.count)")
      #expect(Self.file.starts(with: found.bytes))
    }
  }

  @Test("Bytes behind the end are told", arguments: [1, 16_384, 1 << 20])
  func trailing(pieces: Int) {
    for (coding, bytes) in Self.codedFiles {
      #expect(Self.decoded(bytes + [0], coding, pieces: pieces).code == .lengthMismatch, "\(coding)")
    }
  }

  @Test("Bytes behind a feed are skipped", arguments: [1, 16_384, 1 << 20])
  func padding(pieces: Int) {
    for (coding, bytes) in Self.codedFiles {
      for rest in [[0], Array("\r\n".utf8), [UInt8](repeating: 0, count: 100_000)] {
        let found = Self.decoded(bytes + rest, coding, pieces: pieces, isFeed: true)
        #expect(found.bytes == Self.file && found.isAtEnd && found.code == nil, "\(coding), \(rest.count) bytes")
      }
    }
  }

  @Test("Damage is told: by what cannot be decoded, or by the checksum at the end")
  func damage() {
    var coded = Self.coded(Self.file, windowBits: 31)
    coded[coded.count - 6] ^= 1
    #expect(Self.decoded(coded, .gzip).code == .notMedia)
    for coding in [ContentCoding.gzip, .brotli] {
      #expect(Self.decoded(Array("ID3 is no coding".utf8), coding).code == .notMedia, "\(coding)")
    }
    #expect(Self.decoded([], .gzip).isAtEnd == false)
  }

  @Test("What grows beyond measure is given up", arguments: [ContentCoding.gzip, .brotli])
  func bomb(coding: ContentCoding) {
    let file = [UInt8](repeating: 0, count: 50 << 20)
    let found = Self.decoded(coding == .gzip ? Self.coded(file, windowBits: 31) : Self.brotli(file), coding)
    #expect(found.code == .tooLarge)
    #expect(Int64(found.bytes.count) <= ContentDecoder.freeBytes + 50_000 * ContentDecoder.maximumRatio)
  }

  @Test("What is wrong with a feed is said of the feed, and of a file of the file", arguments: [false, true])
  func subject(isFeed: Bool) {
    let coded = Self.coded([UInt8](repeating: 0, count: 4 << 20), windowBits: 31)
    let decoder = isFeed ? ContentDecoder.forFeed(.gzip) : ContentDecoder(.gzip)
    coded.withUnsafeBytes { bytes in
      let error = #expect(throws: DownloadError.self) { try decoder.decode(bytes) { _ in true } }
      let subject = isFeed ? "the feed is more than 200" : "the file is more than 20"
      #expect(error?.message == "\(subject) times as long as its gzip")
    }
  }
}
