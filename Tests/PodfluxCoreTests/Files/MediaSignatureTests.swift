import Flux
import Foundation
import PodfluxCore
import Testing

@Suite("The signature of a file")
struct MediaSignatureTests {
  private typealias Samples = MediaSamples

  /// Names, first bytes, and their signatures.
  private static let samples: [(String, [UInt8], MediaSignature?)] = [
    ("MP3", Samples.mp3Frame + Samples.mp3Frame, .mp3),
    ("MP3, cut in the second frame's header", Samples.mp3Frame + [0xFF, 0xFB], .mp3),
    ("MP3, cut in the first frame", Array(Samples.mp3Frame.prefix(64)), .mp3),
    ("MP3, a low sampling rate", Samples.mp3LowRateFrame + Samples.mp3LowRateFrame, .mp3),
    ("MPEG audio, layer II", Samples.mp2Frame + Samples.mp2Frame, .mp3),
    ("MPEG audio, layer I", Samples.mp1Frame + Samples.mp1Frame, .mp3),
    ("a frame with something else behind it", Samples.mp3Frame + Samples.noise(100), nil),
    ("a frame with one of another rate", Samples.mp3Frame + Samples.mp3LowRateFrame, nil),
    ("a frame of a reserved version", [0xFF, 0xEB, 0x90, 0x64] + Samples.noise(90), nil),
    ("a frame of a reserved bit rate", [0xFF, 0xFB, 0xF0, 0x64] + Samples.noise(90), nil),
    ("a frame of a free bit rate", [0xFF, 0xFB, 0x00, 0x64] + Samples.noise(90), nil),
    ("a frame of a reserved rate", [0xFF, 0xFB, 0x9C, 0x64] + Samples.noise(90), nil),
    ("a frame of a reserved emphasis", [0xFF, 0xFB, 0x90, 0x66] + Samples.noise(90), nil),
    ("ID3 and MP3", Samples.id3(300) + Samples.mp3Frame + Samples.mp3Frame, .mp3),
    ("ID3, padding that is not counted, and MP3", Samples.id3(300) + [0, 0, 0] + Samples.mp3Frame, .mp3),
    (
      "ID3 with a footer, and AAC", Samples.id3(90, flags: 0x10) + [UInt8](repeating: 1, count: 10) + Samples.aacFrame,
      .aac
    ),
    ("ID3 and FLAC", Samples.id3(90) + Samples.flac, .flac),
    ("ID3 longer than the prefix", Array(Samples.id3(5000).prefix(4096)), .taggedAudio),
    ("ID3 and what is not known", Samples.id3(90) + Samples.noise(100), .taggedAudio),
    ("ID3 with a size that is none", Samples.text("ID3") + [4, 0, 0, 0, 0, 0x80, 0] + Samples.noise(90), nil),
    ("ID3, cut in its header", Samples.text("ID3") + [4, 0, 0, 0], nil),
    ("AAC", Samples.aacFrame + Samples.aacFrame, .aac),
    ("AAC, a length of nothing", [0xFF, 0xF1, 0x50, 0x80, 0, 0x1F, 0xFC] + Samples.noise(90), nil),
    ("MPEG-4 audio", Samples.isoMedia("M4A "), .m4a), ("an audio book", Samples.isoMedia("M4B "), .m4b),
    ("MPEG-4", Samples.isoMedia("isom"), .mp4), ("MPEG-4, version 2", Samples.isoMedia("mp42"), .mp4),
    ("MPEG-4 with AVC", Samples.isoMedia("avc1"), .mp4),
    ("MPEG-4, an unknown brand", Samples.isoMedia("\u{0}ab~"), .mp4),
    ("Apple's video", Samples.isoMedia("M4V "), .m4v), ("QuickTime", Samples.isoMedia("qt  "), .quickTime),
    ("HEIF", Samples.isoMedia("heic"), .heic), ("AVIF", Samples.isoMedia("avif"), .avif),
    ("MPEG-4, cut in its brand", Array(Samples.isoMedia("M4A ").prefix(11)), nil),
    ("Opus", Samples.oggPage(Samples.opusHead), .opus), ("Vorbis", Samples.oggPage(Samples.vorbisHead), .ogg),
    ("FLAC in Ogg", Samples.oggPage(Samples.oggFLACHead), .ogg),
    ("Theora", Samples.oggPage(Samples.theoraHead), .theora),
    ("Theora behind Vorbis", Samples.oggPage(Samples.vorbisHead) + Samples.oggPage(Samples.theoraHead), .theora),
    (
      "Theora in a page that begins nothing",
      Samples.oggPage(Samples.vorbisHead) + Samples.oggPage(Samples.theoraHead, flags: 0), .ogg
    ),
    ("Ogg, cut", Samples.text("OggS") + [0, 2, 0], .ogg),
    ("FLAC", Samples.flac, .flac), ("WAVE", Samples.riff("WAVE"), .wav),
    ("RF64", Samples.riff("WAVE", id: "RF64"), .wav),
    ("AVI", Samples.riff("AVI "), .avi), ("WebP", Samples.riff("WEBP"), .webp),
    ("another RIFF", Samples.riff("ACON"), nil),
    ("AIFF", Samples.aiff, .aiff), ("WebM", Samples.ebml("webm"), .webm),
    ("Matroska", Samples.ebml("matroska"), .matroska),
    ("Matroska, a long size", Samples.ebml("matroska", sizeBytes: [0x01, 0, 0, 0, 0, 0, 0]), nil),
    ("Matroska, a size of 7 bytes", Samples.ebml("matroska", sizeBytes: [0x02, 0, 0, 0, 0, 0, 0x0F]), .matroska),
    ("another EBML", Samples.ebml("other"), nil), ("EBML, cut", [0x1A, 0x45, 0xDF, 0xA3, 0x8F, 0x42], nil),
    ("a program stream", Samples.programStream, .mpegProgramStream),
    ("a transport stream", Samples.transportStream(packets: 5), .mpegTransportStream),
    ("two packets only", Array(Samples.transportStream(packets: 3).prefix(376)), nil),
    ("ASF", Samples.asf, .asf), ("PDF", Samples.pdf, .pdf), ("gzip", Samples.gzip, .gzip),
    ("ZIP", Samples.zip("a.txt", "hello"), .zip), ("an empty ZIP", [0x50, 0x4B, 5, 6] + Samples.noise(18), .zip),
    ("ZIP, cut", [0x50, 0x4B, 3, 4], .zip), ("EPUB", Samples.zip("mimetype", "application/epub+zip"), .epub),
    ("EPUB with an extra field", Samples.zip("mimetype", "application/epub+zip", extra: [1, 2, 3]), .epub),
    ("ODT", Samples.zip("mimetype", "application/vnd.oasis.opendocument.text"), .zip),
    ("JPEG", Samples.jpeg, .jpeg), ("PNG", Samples.png, .png), ("GIF", Samples.gif, .gif),
    ("HTML", Samples.text("<!DOCTYPE html><p>é"), .html),
    ("HTML behind blanks", Samples.text("\r\n\t <HtMl lang=en>"), .html),
    ("HTML behind a byte order mark", [0xEF, 0xBB, 0xBF, 0x0A] + Samples.text("<head>"), .html),
    ("HTML, Latin-1", Samples.text("<title>caf") + [0xE9], .html),
    ("HTML, a comment", Samples.text("<!-- x -->"), .html),
    ("HTML, cut", Samples.text("<html"), .html),
    ("HTML, a script", Samples.text("<script>location='/'</script>"), .html),
    ("HTML, meta", Samples.text("<meta http-equiv=refresh>"), .html), ("HTML, a body", Samples.text("<body\n>"), .html),
    ("XHTML", Samples.text("<?xml version='1.0'?>\n<!DOCTYPE html PUBLIC \"\">"), .html),
    ("RSS", Samples.text("<?xml version=\"1.0\"?><rss version=\"2.0\">"), .rss),
    ("bare RSS", Samples.text(" <rss>"), .rss),
    ("XML, Latin-1", Samples.text("<?xml version=\"1.0\"?><a>") + [0xE9], .xml),
    ("OPML", Samples.text("<OPML>"), .opml),
    ("Atom", Samples.text("<feed xmlns=\"\">"), .atom), ("SVG", Samples.text("<svg/>"), .xml),
    ("an element that only begins like one of HTML", Samples.text("<metadata>"), .text),
    ("JSON", Samples.text(" \n{\"error\":1}"), .json), ("a JSON array", Samples.text("[]"), .json),
    ("JSON's first byte, but no text", Samples.text("{") + Samples.noise(90), nil),
    ("text", Samples.text("Too many requests\r\n"), .text),
    ("text in UTF-8", Samples.text("Zu viele Änderungen 日本"), .text),
    ("text, cut in a character", Array(Samples.text("日本").dropLast()), .text),
    ("text of blanks", Samples.text("\n"), .text),
    ("text that begins with G", Samples.text("G" + String(repeating: "a", count: 400)), .text),
    ("no text: a zero", Samples.text("abc\0"), nil), ("no text: Latin-1", Samples.text("caf") + [0xE9, 0x20], nil),
    ("no text: a delete", Samples.text("abc\u{7F}"), nil), ("no text: half a character", [0xE6], nil),
    ("no text: only the rest of a character", [0x97, 0xA5], nil), ("nothing", [], nil),
    ("noise", Samples.noise(4096), nil),
  ]

  @Test("is found in its first bytes")
  func recognises() {
    for (name, bytes, expected) in Self.samples {
      #expect(MediaSignature(bytes) == expected, "\(name)")
    }
    #expect(Set(Self.samples.compactMap(\.2)) == Set(MediaSignature.allCases), "each has a sample")
  }

  @Test("is the same for any length of the prefix")
  func looksAtTheBeginning() {
    for (name, bytes, expected) in Self.samples where expected.map({ $0.kind != .page }) ?? false {
      let whole = bytes + MediaSamples.noise(2 * MediaSignature.length)
      #expect(MediaSignature(whole) == MediaSignature(whole.prefix(MediaSignature.length)), "\(name)")
    }
    let page = MediaSamples.text(String(repeating: "a", count: MediaSignature.length))
    #expect(MediaSignature(page + [0]) == .text, "beyond the length nothing counts")
  }

  @Test(
    "matches the files in Fixtures",
    arguments: [("tone.mp3", MediaSignature.mp3), ("tone.m4a", .m4a), ("tone.opus", .opus)])
  func fixtures(name: String, expected: MediaSignature) throws {
    let folder = SourceFile.sources().deletingLastPathComponent().appendingPathComponent("Fixtures/audio")
    let bytes = try Data(contentsOf: folder.appendingPathComponent(name))
    #expect(MediaSignature(bytes) == expected)
    #expect(MediaSignature(bytes.prefix(MediaCheck.shortestJudged))?.kind == .audio)
  }

  @Test("has a kind and an extension that a name may have")
  func extensions() {
    for signature in MediaSignature.allCases {
      #expect(FileExtension.of(name: "x." + signature.fileExtension) == signature.fileExtension)
    }
    #expect(Set(MediaSignature.allCases.map(\.kind)) == Set(MediaSignature.Kind.allCases))
  }

  @Test("reads nothing beyond the prefix: noise", arguments: [1, 2, 3] as [UInt64])
  func noise(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var recognised = 0
    for _ in 0..<2000 {
      let bytes = (0..<Int.random(in: 0...300, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
      if bytes.count > 64, MediaSignature(bytes) != nil { recognised += 1 }
    }
    #expect(recognised <= 2, "seed \(seed): noise looks like \(recognised) files")
  }

  @Test("reads nothing beyond the prefix: damage and truncation", arguments: [1, 2, 3] as [UInt64])
  func damage(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    for (_, bytes, _) in Self.samples where !bytes.isEmpty {
      for _ in 0..<50 {
        var damaged = Array(bytes.prefix(Int.random(in: 1...bytes.count, using: &random)))
        for _ in 0...Int.random(in: 0...3, using: &random) {
          let position = Int.random(in: 0..<min(damaged.count, 64), using: &random)
          damaged[position] =
            [0, 1, 0x7F, 0x80, 0xFF, UInt8.random(in: 0...255, using: &random)]
            .randomElement(using: &random) ?? 0
        }
        let whole = MediaSignature(damaged)
        damaged.withUnsafeBytes { #expect(MediaSignature($0) == whole, "seed \(seed)") }
      }
    }
  }
}
