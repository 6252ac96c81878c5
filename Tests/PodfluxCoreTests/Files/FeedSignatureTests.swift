import Flux
import PodfluxCore
import Testing

@Suite("The signature of a feed")
struct FeedSignatureTests {
  @Test("is its root element, after any prolog")
  func root() {
    for (name, bytes, expected) in FeedSamples.feeds + FeedSamples.others {
      #expect(MediaSignature(bytes) == expected, "\(name)")
    }
  }

  @Test("has its own kind, and is never the requested media", arguments: ["mp3", "xml", "rss", "opml", nil])
  func refused(wanted: String?) throws {
    for (name, bytes, signature) in FeedSamples.feeds {
      #expect(signature?.kind == .feed, "\(name)")
      let fault = try #require(
        MediaCheck.fault(
          prefix: bytes, length: nil, isComplete: true, mediaType: "audio/mpeg", wantedExtension: wanted), "\(name)")
      #expect(fault.code == .notMedia && fault.outlook == .lasting && !fault.isTransient, "\(name)")
      #expect(fault.message.contains("not an episode: enqueue the addresses of episodes"), "\(name)")
    }
  }

  @Test(
    "is named by its root element",
    arguments: [
      (
        "<rss>",
        "the body is a podcast's feed (RSS), not an episode: enqueue the addresses of episodes; "
          + "it has them as <enclosure url=\"…\">"
      ),
      (
        "<feed>",
        "the body is a podcast's feed (Atom), not an episode: enqueue the addresses of episodes; "
          + "it has them as <link rel=\"enclosure\" href=\"…\">"
      ),
      (
        "<opml>",
        "the body is a list of podcasts (OPML), not an episode: enqueue the addresses of episodes; "
          + "they stand in the feeds whose addresses it has as xmlUrl=\"…\""
      ),
    ])
  func message(body: String, expected: String) throws {
    let fault = MediaCheck.fault(
      prefix: FeedSamples.text(body), length: nil, isComplete: false, mediaType: nil, wantedExtension: nil)
    #expect(fault?.message == expected)
  }

  @Test("waits for more bytes: in pieces of any size, a feed is never taken for a page")
  func pieces() {
    for (name, bytes, _) in FeedSamples.feeds {
      // One more character shows that the name ends.
      let whole = bytes + (bytes[0] == 0 ? [0, 0x20] : bytes[1] == 0 || bytes[0] == 0xFF ? [0x20, 0] : [0x20])
      let verdicts = (0...whole.count).map { count in
        MediaCheck.fault(
          prefix: whole.prefix(count), length: nil, isComplete: false, mediaType: nil, wantedExtension: "mp3")
      }
      let first = verdicts.first { $0 != nil } ?? nil
      #expect(first?.outlook == .lasting, "\(name): \(first?.message ?? "nothing")")
    }
  }

  @Test("does not delay other files: a page after a comment, and one whose comment never ends")
  func pages() {
    func fault(_ text: String, isComplete: Bool = false) -> DownloadError? {
      MediaCheck.fault(
        prefix: FeedSamples.text(text).prefix(MediaSignature.length), length: nil, isComplete: isComplete,
        mediaType: nil, wantedExtension: "mp3")
    }
    #expect(fault("<!-- log in -->") == nil)
    #expect(fault("<!-- log in -->", isComplete: true).map(\.outlook) == .some(nil))
    #expect(fault("<!-- log in --><html>").map(\.outlook) == .some(nil))
    let endless = fault("<!--" + String(repeating: "-", count: MediaSignature.length))
    #expect(endless?.message.contains("a web page") == true)
    #expect(fault("<!--" + String(repeating: "x", count: 1000)) == nil)
  }

  @Test("is computed without a trap for any damage or truncation", arguments: [1, 2, 3] as [UInt64])
  func damage(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    for (_, bytes, _) in FeedSamples.feeds + FeedSamples.others {
      for _ in 0..<100 {
        var damaged = Array(bytes.prefix(Int.random(in: 1...bytes.count, using: &random)))
        let position = Int.random(in: damaged.indices, using: &random)
        damaged[position] = Array("<>!?-[]\0\u{FF}".utf8).randomElement(using: &random) ?? 0
        let fault = MediaCheck.fault(
          prefix: damaged, length: nil, isComplete: Bool.random(using: &random), mediaType: nil, wantedExtension: nil)
        #expect(fault == nil || fault?.code == .notMedia, "seed \(seed)")
      }
    }
  }
}
