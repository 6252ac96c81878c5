import PodfluxCore
import Testing

@testable import EngineRuntime

@Suite("The coding of a feed's body")
struct FeedBodyDecoderTests {
  /// Marks what comes through with the coding's name.
  private final class Marker: BodyDecoder {
    let coding: ContentCoding
    let isAtEnd = false

    init(_ coding: ContentCoding) { self.coding = coding }

    func decode(
      _ bytes: UnsafeRawBufferPointer, _ take: (UnsafeRawBufferPointer) -> Bool
    ) throws(DownloadError) -> Bool {
      for byte in bytes {
        let text = "\(coding.rawValue)\(byte) "
        guard Array(text.utf8).withUnsafeBytes(take) else { return false }
      }
      return true
    }
  }

  private func text(_ bytes: [UInt8], declared: ContentCoding? = nil, pieces: Int) throws -> String {
    let decoder = FeedBodyDecoder(declared) { Marker($0) }
    var output: [UInt8] = []
    for start in stride(from: 0, to: bytes.count, by: pieces) {
      let piece = Array(bytes[start..<min(bytes.count, start + pieces)])
      let goesOn = try piece.withUnsafeBytes { piece throws(DownloadError) in
        try decoder.decode(piece) {
          output += $0
          return true
        }
      }
      #expect(goesOn)
    }
    return String(decoding: output, as: UTF8.self)
  }

  @Test("Without a declared one a body that begins as gzip does is one, in any pieces", arguments: [1, 2, 3, 9])
  func beginnings(pieces: Int) throws {
    #expect(try text([0x1F, 0x8B, 8], pieces: pieces) == "gzip31 gzip139 gzip8 ")
    #expect(try text(Array("<rss>".utf8), pieces: pieces) == "<rss>")
    #expect(try text([0x1F, 0x41, 0x42], pieces: pieces) == "\u{1F}AB")
    #expect(try text([0x41, 0x1F, 0x42], pieces: pieces) == "A\u{1F}B")
    #expect(try text([0x1F, 0x8B], declared: .brotli, pieces: pieces) == "brotli31 brotli139 ")
    #expect(try text([], pieces: pieces).isEmpty)
  }

  @Test("What wants no more ends it, also between the two first bytes")
  func ending() throws {
    let decoder = FeedBodyDecoder(nil) { Marker($0) }
    let waits = try [0x1F as UInt8].withUnsafeBytes { byte throws(DownloadError) in
      try decoder.decode(byte) { _ in false }
    }
    let goesOn = try [0x41 as UInt8].withUnsafeBytes { byte throws(DownloadError) in
      try decoder.decode(byte) { _ in false }
    }
    #expect(waits && !goesOn && decoder.isAtEnd)
  }
}
