import Flux
import PodfluxCore
import Testing

@Suite("Whether a body is media")
struct MediaCheckTests {
  private typealias Samples = MediaSamples

  /// A body, whether it is complete, its declared type, the requested extension, and the reason for its refusal: nil if
  /// it may be media.
  struct Row: Sendable, CustomTestStringConvertible {
    var name: String
    var bytes: [UInt8]
    var isComplete = false
    var mediaType: String?
    var wanted: String?
    var refusedAs: String?

    init(
      _ name: String, _ bytes: [UInt8], isComplete: Bool = false, _ mediaType: String?, wanted: String? = "mp3",
      refusedAs: String? = nil
    ) {
      (self.name, self.bytes, self.isComplete, self.mediaType) = (name, bytes, isComplete, mediaType)
      (self.wanted, self.refusedAs) = (wanted, refusedAs)
    }

    var testDescription: String { name }
  }

  private static let page = Samples.text(
    "<!doctype html><html><head><title>Sign in</title></head><body>…</body></html>")
  private static let longText = Samples.text(String(repeating: "Service unavailable. ", count: 40))
  private static let json = Samples.text(#"{"error":"rate limit exceeded","message":"try again in a minute, please"}"#)
  private static let xml = Samples.text(
    "<?xml version=\"1.0\"?><Error><Code>AccessDenied</Code><Message>Access Denied</Message></Error>")
  private static let mp3 = Samples.mp3Frame + Samples.mp3Frame
  private static let octets = "application/octet-stream"

  static let rows: [Row] = [
    // A page is never the requested media.
    Row("a portal's page", page, "audio/mpeg", refusedAs: "a web page"),
    Row("a page, announced as one", page, "text/html; charset=utf-8", refusedAs: "a web page"),
    Row("a page, announced as bytes", page, octets, refusedAs: "a web page"),
    Row("a page, announced as nothing", page, nil, refusedAs: "a web page"),
    Row("a page, wanted", page, nil, wanted: "html", refusedAs: "a web page"),
    Row("a page instead of the transcript", page, "text/vtt", wanted: "vtt", refusedAs: "a web page"),
    Row("the first bytes of a page", Array(page.prefix(20)), "audio/mpeg", refusedAs: "a web page"),
    Row(
      "XHTML instead of the feed", Samples.text("<?xml version='1.0'?><html>"), nil, wanted: "xml",
      refusedAs: "a web page"),
    // Text is media only if requested.
    Row("an error in JSON", json, "audio/mpeg", refusedAs: "JSON"),
    Row("an error in JSON, announced", json, "application/json", refusedAs: "JSON"),
    Row("an error in JSON, announced as bytes", json, octets, refusedAs: "JSON"),
    Row("chapters", json, "application/json", wanted: "json"),
    Row("chapters, announced as text", json, "text/plain", wanted: "JSON"),
    Row("chapters, announced as audio", json, "audio/mpeg", wanted: "json", refusedAs: "JSON"),
    Row("an error in XML", xml, "application/xml", refusedAs: "an XML document"),
    Row("an error in XML, no extension wanted", xml, nil, wanted: nil, refusedAs: "an XML document"),
    Row("timed text", xml, "application/ttml+xml", wanted: "xml"),
    Row("an error in text", longText, "text/plain", refusedAs: "plain text"),
    Row("an error in text, announced as audio", longText, "audio/mpeg", refusedAs: "plain text"),
    Row("a short text, so far", Samples.text("Slow down"), "audio/mpeg"),
    Row("a short text, all of it", Samples.text("Slow down"), isComplete: true, "audio/mpeg", refusedAs: "plain text"),
    Row("a transcript", longText, "text/vtt", wanted: "vtt"), Row("subtitles", longText, nil, wanted: "srt"),
    Row("a short transcript", Samples.text("WEBVTT"), isComplete: true, nil, wanted: "vtt"),
    Row("notes", longText, "text/markdown", wanted: "md"), Row("lyrics", longText, octets, wanted: "lrc"),
    Row("a table", longText, "text/csv", wanted: "csv"),
    // A body declared as audio or video must not be something else.
    Row("the cover", Samples.jpeg, "audio/mpeg", refusedAs: "a JPEG image"),
    Row("the cover as PNG", Samples.png, "video/mp4", refusedAs: "a PNG image"),
    Row("the cover as WebP", Samples.riff("WEBP"), "audio/x-m4a", refusedAs: "a WebP image"),
    Row("a tracking pixel", Samples.gif, "AUDIO/MPEG;x=y", refusedAs: "a GIF image"),
    Row("a document", Samples.pdf, "audio/mpeg", refusedAs: "a PDF document"),
    Row("an archive", Samples.zip("a", "b"), "audio/mpeg", refusedAs: "a ZIP archive"),
    Row("an encoded file", Samples.gzip, "audio/mpeg", refusedAs: "a gzip archive"),
    Row("a book", Samples.zip("mimetype", "application/epub+zip"), "audio/mp4", refusedAs: "an EPUB book"),
    Row("the first bytes of the cover", Array(Samples.jpeg.prefix(12)), "audio/mpeg"),
    Row("a small cover", Array(Samples.jpeg.prefix(12)), isComplete: true, "audio/mpeg", refusedAs: "a JPEG image"),
    // Other types, and none, promise nothing.
    Row("a cover that is one", Samples.jpeg, "image/jpeg", wanted: "jpg"), Row("a cover of no type", Samples.jpeg, nil),
    Row("a document that is one", Samples.pdf, "application/pdf", wanted: "pdf"),
    Row("a document of bytes", Samples.pdf, octets),
    Row("an archive of bytes", Samples.zip("a", "b"), "binary/octet-stream"),
    Row("a book of an unknown type", Samples.zip("mimetype", "application/epub+zip"), "x/y"),
    Row("nonsense for a type", Samples.pdf, "\u{0};;/"),
    // Audio and video are media, with any declared type.
    Row("MP3", mp3, "audio/mpeg"), Row("MP3, announced as Ogg", mp3, "audio/ogg"),
    Row("MP3, announced as text", mp3, "text/plain"),
    Row("MP3, announced as nothing", mp3, nil), Row("MP3, announced as an image", mp3, "image/jpeg"),
    Row("video, announced as audio", Samples.isoMedia("isom"), "audio/mpeg"),
    Row("MP3 with a long tag", Array(Samples.id3(9000).prefix(4096)), "audio/mpeg"),
    Row("a very short MP3", Array(mp3.prefix(60)), isComplete: true, "audio/mpeg"),
    // An unknown format may be media, unless it is tiny.
    Row("noise", Samples.noise(4096), "audio/mpeg"), Row("noise, complete", Samples.noise(4096), isComplete: true, nil),
    Row("a little noise, so far", Samples.noise(100), "audio/mpeg"), Row("nothing so far", [], "audio/mpeg"),
    Row(
      "nothing at all", [], isComplete: true, "audio/mpeg", refusedAs: "a tiny body of 0 bytes that is no known media"),
    Row(
      "tiny", Samples.noise(511), isComplete: true, octets, refusedAs: "a tiny body of 511 bytes that is no known media"
    ),
    Row("just not tiny", Samples.noise(512), isComplete: true, octets),
  ]

  @Test("is judged by its bytes, its declared type and the requested extension", arguments: rows)
  func judges(row: Row) {
    let fault = row.bytes.withUnsafeBytes { prefix in
      MediaCheck.fault(
        prefix: prefix, length: row.isComplete ? Int64(row.bytes.count) : nil, isComplete: row.isComplete,
        mediaType: row.mediaType, wantedExtension: row.wanted)
    }
    let announced = row.mediaType.map { "announced as \($0)" } ?? "announced without a type"
    let expected = row.refusedAs.map {
      DownloadError(.notMedia, "the server sent \($0), \(announced), instead of media")
    }
    #expect(fault == expected)
  }

  @Test("is not refused as tiny if only its prefix is short")
  func lengthCounts() {
    func fault(length: Int64?) -> DownloadError? {
      MediaCheck.fault(
        prefix: MediaSamples.noise(100), length: length, isComplete: true, mediaType: nil, wantedExtension: nil)
    }
    #expect(fault(length: MediaCheck.smallestUnrecognized) == nil)
    #expect(fault(length: MediaCheck.smallestUnrecognized - 1) != nil)
    #expect(fault(length: nil)?.message.contains("100 bytes") == true)
  }

  @Test(
    "is refused if declared as a page, unless its bytes are audio or video",
    arguments: ["text/html", "Text/HTML; charset=utf-8", " application/xhtml+xml ", "text/html,text/html"])
  func declaredPages(mediaType: String) throws {
    #expect(MediaCheck.isAnnouncedAsPage(mediaType))
    func fault(_ prefix: [UInt8]) -> DownloadError? {
      MediaCheck.fault(
        prefix: prefix, length: nil, isComplete: false, mediaType: mediaType, wantedExtension: "mp3")
    }
    let unknown = try #require(fault([UInt8](repeating: 7, count: MediaCheck.shortestJudged)))
    #expect(unknown.code == .notMedia && unknown.message.contains(mediaType))
    #expect(try #require(fault(Self.page)).code == .notMedia)
    let picture: [UInt8] = [0xFF, 0xD8, 0xFF, 0xE0] + Array(repeating: 0, count: 100)
    #expect(try #require(fault(picture)).code == .notMedia)
    #expect(fault(Array("ID3".utf8) + [4, 0, 0, 0, 0, 0, 10] + Array(repeating: 0, count: 100)) == nil)
  }

  @Test(
    "is not declared as a page otherwise",
    arguments: [
      nil, "", "audio/mpeg", "text/plain", "text/vtt", "application/json", "application/xml", "application/rss+xml",
      "application/ld+json", "text/htmlx", "image/jpeg", "application/octet-stream",
    ])
  func otherTypes(mediaType: String?) {
    #expect(!MediaCheck.isAnnouncedAsPage(mediaType))
  }

  @Test("repeats only a readable part of a type")
  func showsTypes() throws {
    let hostile = "text/html;\r\n\u{1B}[31m\u{202E}" + String(repeating: "x", count: 5000)
    let bytes = [UInt8](repeating: 7, count: MediaCheck.shortestJudged)
    let head = try #require(
      MediaCheck.fault(prefix: bytes, length: nil, isComplete: false, mediaType: hostile, wantedExtension: nil)
    ).message
    let body = try #require(
      MediaCheck.fault(prefix: Self.page, length: nil, isComplete: false, mediaType: hostile, wantedExtension: nil)
    ).message
    for message in [head, body] {
      #expect(message.utf8.count < 200 && message.utf8.allSatisfy { (0x20...0x7E).contains($0) }, "\(message)")
    }
  }

  @Test("takes the requested extension from the client's path, else from the URL")
  func wanted() throws {
    let path = try LibraryPath(validating: "Show/Notes.TXT")
    #expect(MediaCheck.wantedExtension(path: path, url: "https://h/e.mp3") == "txt")
    #expect(MediaCheck.wantedExtension(path: nil, url: "https://h/a.b/e.VTT?x=y.mp3") == "vtt")
    #expect(MediaCheck.wantedExtension(path: try LibraryPath(validating: "Notes"), url: "https://h/e.vtt") == nil)
    #expect(MediaCheck.wantedExtension(path: nil, url: "https://h/") == nil)
  }

  @Test("is judged without a trap for any bytes", arguments: [1, 2, 3] as [UInt64])
  func noise(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    for row in Self.rows {
      for _ in 0..<30 {
        var bytes = Array(row.bytes.prefix(Int.random(in: 0...max(row.bytes.count, 1), using: &random)))
        for _ in 0..<(bytes.isEmpty ? 0 : 3) {
          bytes[Int.random(in: bytes.indices, using: &random)] = UInt8.random(in: 0...255, using: &random)
        }
        let fault = MediaCheck.fault(
          prefix: bytes, length: Bool.random(using: &random) ? .random(in: .min ... .max, using: &random) : nil,
          isComplete: Bool.random(using: &random), mediaType: row.mediaType, wantedExtension: row.wanted)
        #expect(fault == nil || fault?.code == .notMedia, "seed \(seed)")
      }
    }
  }

  @Test(
    "An edited file is still media if it is known audio or video, or fits its name",
    arguments: [
      ("ID3\u{4}\u{0}\u{0}\u{0}\u{0}\u{1}\u{0}", "a.mp3", .media),
      ("ID3\u{4}\u{0}\u{0}\u{0}\u{0}\u{1}\u{0}", "a", .media), ("", "a.mp3", .other), ("", "a.txt", .other),
      ("<!DOCTYPE html><html>", "a.mp3", .other), ("<!DOCTYPE html><html>", "a.txt", .other),
      ("notes", "a.txt", .media), ("notes", "a.mp3", .other), ("\u{1}\u{2}\u{3}", "a.mp3", .unrecognized),
      ("\u{1}\u{2}\u{3}", "a.bin", .media), ("%PDF-1.7", "a.pdf", .media), ("%PDF-1.7", "a.mp3", .other),
    ] as [(String, String, MediaCheck.Likeness)])
  func stillMedia(prefix: String, name: String, likeness: MediaCheck.Likeness) {
    #expect(MediaCheck.likeness(prefix: Array(prefix.utf8), name: name) == likeness)
  }
}
