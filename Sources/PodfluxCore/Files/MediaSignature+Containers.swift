extension MediaSignature {
  /// Formats with a magic number.
  static func byMagic(_ prefix: MediaPrefix) -> MediaSignature? {
    magic.first { prefix.has($0.bytes) }?.signature
  }

  private static let magic: [(bytes: [UInt8], signature: MediaSignature)] = [
    (Array("fLaC".utf8), .flac),
    (Array("%PDF-".utf8), .pdf),
    ([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A], .png),
    ([0xFF, 0xD8, 0xFF], .jpeg),
    (Array("GIF87a".utf8), .gif),
    (Array("GIF89a".utf8), .gif),
    // ID1, ID2, and deflate, the only method (RFC 1952 section 2.3.1).
    ([0x1F, 0x8B, 0x08], .gzip),
    // A pack header, or the sequence header of an MPEG video stream.
    ([0x00, 0x00, 0x01, 0xBA], .mpegProgramStream),
    ([0x00, 0x00, 0x01, 0xB3], .mpegProgramStream),
    // The GUID of ASF's header object, 75B22630-668E-11CF-A6D9-00AA0062CE6C.
    (
      [0x30, 0x26, 0xB2, 0x75, 0x8E, 0x66, 0xCF, 0x11, 0xA6, 0xD9, 0x00, 0xAA, 0x00, 0x62, 0xCE, 0x6C],
      .asf
    ),
  ]

  /// ISO base media (ISO/IEC 14496-12 section 4.3): a file type box with its major brand.
  static func ofISOMedia(_ prefix: MediaPrefix) -> MediaSignature? {
    guard prefix.has("ftyp", at: 4), prefix.count >= 12 else { return nil }
    return byBrand[String(decoding: prefix.bytes[8..<12], as: UTF8.self)] ?? .mp4
  }

  private static let byBrand: [String: MediaSignature] = [
    "M4A ": .m4a, "M4P ": .m4a, "M4B ": .m4b, "M4V ": .m4v, "M4VH": .m4v, "M4VP": .m4v, "qt  ": .quickTime,
    "heic": .heic, "heix": .heic, "hevc": .heic, "mif1": .heic, "msf1": .heic, "avif": .avif, "avis": .avif,
  ]

  /// IFF and RIFF: chunks in a form whose type is in its ninth to twelfth byte.
  static func ofChunks(_ prefix: MediaPrefix) -> MediaSignature? {
    if prefix.has("FORM") {
      return prefix.has("AIFF", at: 8) || prefix.has("AIFC", at: 8) ? .aiff : nil
    }
    if prefix.has("WAVE", at: 8) { return prefix.has("RIFF") || prefix.has("RF64") ? .wav : nil }
    guard prefix.has("RIFF") else { return nil }
    if prefix.has("AVI ", at: 8) { return .avi }
    return prefix.has("WEBP", at: 8) ? .webp : nil
  }

  /// ZIP; an EPUB has its type in its first entry, stored and not encrypted (EPUB OCF 3.3 section 4.3.2).
  static func ofZIP(_ prefix: MediaPrefix) -> MediaSignature? {
    guard prefix.has([0x50, 0x4B, 0x03, 0x04]) else {
      // An archive without entries consists only of its end record.
      return prefix.has([0x50, 0x4B, 0x05, 0x06]) ? .zip : nil
    }
    guard let low = prefix[28], let high = prefix[29] else { return .zip }
    let extraLength = Int(high) << 8 | Int(low)
    let name = "mimetype"
    let isBook =
      prefix.has([UInt8(name.utf8.count), 0], at: 26) && prefix.has(name, at: 30)
      && prefix.has("application/epub+zip", at: 30 + name.utf8.count + extraLength)
    return isBook ? .epub : .zip
  }

  /// Ogg (RFC 3533 section 6): the first pages start each of its streams and name their codecs.
  static func ofOgg(_ prefix: MediaPrefix) -> MediaSignature? {
    // The next byte is the version, 0.
    let capture = Array("OggS".utf8) + [0]
    let beginsStream: UInt8 = 0x02
    guard prefix.has(capture) else { return nil }
    var found = MediaSignature.ogg
    var start = 0
    while prefix.has(capture, at: start) {
      guard let flags = prefix[start + 5], flags & beginsStream != 0, let segments = prefix[start + 26] else { break }
      let payload = start + 27 + Int(segments)
      // A file with video counts as video.
      if prefix.has([0x80] + Array("theora".utf8), at: payload) { return .theora }
      if prefix.has("OpusHead", at: payload) { found = .opus }
      let lengths = prefix.bytes[min(start + 27, prefix.count)..<min(payload, prefix.count)]
      start = payload + lengths.reduce(0) { $0 + Int($1) }
    }
    return found
  }

  /// An MPEG transport stream (ISO/IEC 13818-1 section 2.4.3): packets of 188 bytes that begin with 0x47.
  ///
  /// At least three and all visible ones must match: text may contain a G at such a position.
  static func ofTransportStream(_ prefix: MediaPrefix) -> MediaSignature? {
    let starts = stride(from: 0, to: prefix.count, by: 188)
    return prefix.count > 2 * 188 && starts.allSatisfy { prefix[$0] == 0x47 } ? .mpegTransportStream : nil
  }
}

extension MediaSignature {
  /// Matroska and WebM (RFC 9559): an EBML header (RFC 8794 section 11.2) with a DocType.
  static func ofEBML(_ prefix: MediaPrefix) -> MediaSignature? {
    let magic: [UInt8] = [0x1A, 0x45, 0xDF, 0xA3]
    guard prefix.has(magic), let header = number(prefix, at: magic.count, keepingMarker: false) else { return nil }
    var position = magic.count + header.length
    let end = min(position + header.value, prefix.count)
    while position < end, let id = number(prefix, at: position, keepingMarker: true),
      let size = number(prefix, at: position + id.length, keepingMarker: false)
    {
      let content = position + id.length + size.length
      if id.value == docType { return byDocType(prefix, at: content, count: size.value) }
      position = content + size.value
    }
    return nil
  }

  private static let docType = 0x4282

  private static func byDocType(_ prefix: MediaPrefix, at position: Int, count: Int) -> MediaSignature? {
    guard position <= prefix.count, count <= prefix.count - position else { return nil }
    // A string may be padded with zeros.
    let name = prefix.bytes[position..<(position + count)].prefix { $0 != 0 }
    if name.elementsEqual("webm".utf8) { return .webm }
    return name.elementsEqual("matroska".utf8) ? .matroska : nil
  }

  /// A number of 1 to 7 bytes whose leading zero bits give the number of bytes that follow (RFC 8794 section 4). Those
  /// of 8 bytes do not occur in a header.
  private static func number(
    _ prefix: MediaPrefix, at position: Int, keepingMarker: Bool
  ) -> (value: Int, length: Int)? {
    guard let first = prefix[position] else { return nil }
    let length = first.leadingZeroBitCount + 1
    guard length <= 7, let value = prefix.bigEndian(at: position, bytes: length) else { return nil }
    return (keepingMarker ? value : value & (1 << (7 * length) - 1), length)
  }
}
