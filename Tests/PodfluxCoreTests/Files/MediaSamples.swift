/// The first bytes of files of every kind, built according to their formats.
enum MediaSamples {
  /// An MPEG audio frame of version 1, layer III, 128 kbit/s, 44,100 Hz: 417 bytes.
  static let mp3Frame = frame([0xFF, 0xFB, 0x90, 0x64], length: 417)
  /// Version 2, layer III, 64 kbit/s, 24,000 Hz: 192 bytes.
  static let mp3LowRateFrame = frame([0xFF, 0xF3, 0x84, 0xC4], length: 192)
  /// Version 1, layer II, 192 kbit/s, 48,000 Hz: 576 bytes.
  static let mp2Frame = frame([0xFF, 0xFD, 0xA4, 0x04], length: 576)
  /// Version 1, layer I, 384 kbit/s, 44,100 Hz, with padding: 420 bytes.
  static let mp1Frame = frame([0xFF, 0xFF, 0xC2, 0x04], length: 420)
  /// AAC-LC in ADTS, 44,100 Hz, stereo, 371 bytes.
  static let aacFrame = frame([0xFF, 0xF1, 0x50, 0x80, 0x2E, 0x7F, 0xFC], length: 371)

  static func frame(_ header: [UInt8], length: Int) -> [UInt8] {
    header + [UInt8](repeating: 0x55, count: length - header.count)
  }

  /// An ID3v2.4 tag with this many bytes of frames, all zero.
  static func id3(_ length: Int, flags: UInt8 = 0) -> [UInt8] {
    let size: [UInt8] = [21, 14, 7, 0].map { (shift: Int) in UInt8(length >> shift & 0x7F) }
    let head: [UInt8] = Array("ID3".utf8) + [4, 0, flags] + size
    return head + [UInt8](repeating: 0, count: length)
  }

  static func isoMedia(_ brand: String) -> [UInt8] {
    [0, 0, 0, 0x18] + Array("ftyp\(brand)".utf8) + [0, 0, 2, 0] + Array("isommp42".utf8) + noise(200)
  }

  /// The first page of a stream.
  static func oggPage(_ payload: [UInt8], flags: UInt8 = 2) -> [UInt8] {
    Array("OggS".utf8) + [0, flags] + [UInt8](repeating: 0, count: 20) + [1, UInt8(payload.count)] + payload
  }

  static let opusHead = Array("OpusHead".utf8) + [1, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0]
  static let vorbisHead = [1] + Array("vorbis".utf8) + [UInt8](repeating: 0, count: 23)
  static let theoraHead = [0x80] + Array("theora".utf8) + [UInt8](repeating: 0, count: 35)
  static let oggFLACHead = [0x7F] + Array("FLAC".utf8) + [UInt8](repeating: 0, count: 46)

  static func riff(_ form: String, id: String = "RIFF") -> [UInt8] {
    Array(id.utf8) + [0x24, 0, 0, 0] + Array(form.utf8) + noise(200)
  }

  /// An EBML header: its version, then its DocType.
  static func ebml(_ type: String, sizeBytes: [UInt8]? = nil) -> [UInt8] {
    let children: [UInt8] = [0x42, 0x86, 0x81, 1, 0x42, 0x82, 0x80 | UInt8(type.utf8.count)] + Array(type.utf8)
    return [0x1A, 0x45, 0xDF, 0xA3] + (sizeBytes ?? [0x80 | UInt8(children.count)]) + children + noise(100)
  }

  static func transportStream(packets: Int) -> [UInt8] {
    (0..<packets).flatMap { _ in [0x47, 0x40, 0, 0x10] + [UInt8](repeating: 0xFF, count: 184) }
  }

  /// An archive whose first entry has this name and content, uncompressed.
  static func zip(_ name: String, _ content: String, extra: [UInt8] = []) -> [UInt8] {
    [0x50, 0x4B, 3, 4, 10, 0, 0, 0] + [UInt8](repeating: 0, count: 18) + [UInt8(name.utf8.count), 0]
      + [UInt8(extra.count), 0] + Array(name.utf8) + extra + Array(content.utf8) + noise(100)
  }

  static let asf: [UInt8] =
    [0x30, 0x26, 0xB2, 0x75, 0x8E, 0x66, 0xCF, 0x11, 0xA6, 0xD9, 0x00, 0xAA, 0x00, 0x62, 0xCE, 0x6C] + noise(100)
  static let jpeg = [0xFF, 0xD8, 0xFF, 0xE0, 0, 0x10] + Array("JFIF".utf8) + noise(100)
  static let png: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A] + noise(100)
  static let gif = text("GIF89a") + noise(100)
  static let gzip: [UInt8] = [0x1F, 0x8B, 8, 0] + noise(100)
  static let pdf = text("%PDF-1.7\n%") + noise(100)
  static let flac = text("fLaC") + [0, 0, 0, 0x22] + noise(100)
  static let programStream: [UInt8] = [0, 0, 1, 0xBA, 0x44] + noise(100)
  static let aiff = text("FORM") + [0, 0, 1, 0] + text("AIFF") + noise(100)

  static func text(_ text: String) -> [UInt8] { Array(text.utf8) }

  /// Bytes of no format that are not text.
  static func noise(_ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 37) | 0x80 }
  }
}
