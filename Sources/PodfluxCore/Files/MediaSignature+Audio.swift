extension MediaSignature {
  /// The signature after an ID3 tag (ID3v2.4.0 section 3.1), if the prefix contains it.
  static func ofID3(_ prefix: MediaPrefix) -> MediaSignature? {
    guard prefix.has("ID3"), let version = prefix[3], let revision = prefix[4], version != 0xFF, revision != 0xFF,
      let flags = prefix[5]
    else { return nil }
    var length = 0
    for position in 6..<10 {
      guard let byte = prefix[position], byte < 0x80 else { return nil }
      length = length << 7 | Int(byte)
    }
    let hasFooter = flags & 0x10 != 0
    // Some writers add padding after the tag without counting it.
    var next = 10 + length + (hasFooter ? 10 : 0)
    while prefix[next] == 0 { next += 1 }
    return prefix.has("fLaC", at: next) ? .flac : ofAudioFrames(prefix, at: next) ?? .taggedAudio
  }

  /// Frames of MPEG audio or of AAC that begin at `start`.
  ///
  /// A header is only some 16 bits of evidence, so a matching one must follow the first frame if the prefix is long
  /// enough.
  static func ofAudioFrames(_ prefix: MediaPrefix, at start: Int) -> MediaSignature? {
    guard let first = AudioFrame(prefix, at: start) else { return nil }
    let next = start + first.length
    if prefix.count - next >= AudioFrame.headerLength {
      guard let second = AudioFrame(prefix, at: next), second.stream == first.stream else { return nil }
    }
    return first.stream.isAAC ? .aac : .mp3
  }
}

/// The header of an audio frame.
private struct AudioFrame {
  /// The fields that are equal in all frames of a file.
  struct Stream: Equatable {
    var isAAC: Bool
    var version: UInt8
    var layer: UInt8
    var rateIndex: UInt8
  }

  /// How many bytes a header needs.
  static let headerLength = 7

  let stream: Stream
  /// The length of the whole frame, in bytes.
  let length: Int

  init?(_ prefix: MediaPrefix, at position: Int) {
    guard let header = prefix.bigEndian(at: position, bytes: Self.headerLength) else { return nil }
    let bytes = (0..<Self.headerLength).map { UInt8(truncatingIfNeeded: header >> (8 * (Self.headerLength - 1 - $0))) }
    guard bytes[0] == 0xFF, bytes[1] & 0xE0 == 0xE0 else { return nil }
    let layer = bytes[1] >> 1 & 3
    let frame = layer == 0 ? Self.adts(bytes) : Self.mpeg(bytes, layer: layer)
    guard let frame else { return nil }
    (stream, length) = frame
  }

  /// AAC (ISO/IEC 13818-7 section 6.2.1).
  private static func adts(_ bytes: [UInt8]) -> (Stream, Int)? {
    let rateIndex = bytes[2] >> 2 & 0x0F
    let length = Int(bytes[3] & 3) << 11 | Int(bytes[4]) << 3 | Int(bytes[5] >> 5)
    guard bytes[1] & 0xF0 == 0xF0, rateIndex < 13, length > headerLength else { return nil }
    return (Stream(isAAC: true, version: bytes[1] >> 3 & 1, layer: 0, rateIndex: rateIndex), length)
  }

  /// MPEG audio (ISO/IEC 11172-3 section 2.4.2.3, 13818-3, and the unofficial version 2.5). Frames of free bit rate,
  /// which are not used in practice, have no length and are not recognized.
  private static func mpeg(_ bytes: [UInt8], layer: UInt8) -> (Stream, Int)? {
    let version = bytes[1] >> 3 & 3
    let (bitRateIndex, rateIndex) = (Int(bytes[2] >> 4), bytes[2] >> 2 & 3)
    let reservedEmphasis: UInt8 = 2
    guard version != reservedVersion, (1...14).contains(bitRateIndex), rateIndex != 3, bytes[3] & 3 != reservedEmphasis
    else { return nil }
    let isFirstVersion = version == 3
    let padding = Int(bytes[2] >> 1 & 1)
    let bitRate = 1000 * kilobits(layer: layer, isFirstVersion: isFirstVersion)[bitRateIndex - 1]
    let rate = rates[Int(rateIndex)] / (isFirstVersion ? 1 : version == 2 ? 2 : 4)
    let length =
      switch layer {
      case layerI: (12 * bitRate / rate + padding) * 4
      case layerIII where !isFirstVersion: 72 * bitRate / rate + padding
      default: 144 * bitRate / rate + padding
      }
    return (Stream(isAAC: false, version: version, layer: layer, rateIndex: rateIndex), length)
  }

  private static let reservedVersion: UInt8 = 1
  private static let layerI: UInt8 = 3
  private static let layerII: UInt8 = 2
  private static let layerIII: UInt8 = 1

  /// The sampling rates of version 1, in hertz.
  private static let rates = [44_100, 48_000, 32_000]

  /// The bit rates in kilobits per second, from index 1 on.
  private static func kilobits(layer: UInt8, isFirstVersion: Bool) -> [Int] {
    switch (layer, isFirstVersion) {
    case (layerI, true): [32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448]
    case (layerII, true): [32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384]
    case (_, true): [32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320]
    case (layerI, false): [32, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256]
    case (_, false): [8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160]
    }
  }
}
