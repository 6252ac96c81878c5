/// One character in UTF-8, as The Unicode Standard's table 3-7 limits it: no overlong form, no surrogate.
enum UTF8Sequence {
  enum Verdict: Equatable {
    case complete(Int)
    /// A valid beginning, to which bytes are missing.
    case incomplete
    case invalid
  }

  /// Judges the bytes from an index, of which `available` are there.
  static func length(at index: Int, in bytes: Span<UInt8>, available: Int) -> Verdict {
    let lead = bytes[index]
    let (length, second): (Int, ClosedRange<UInt8>)
    switch lead {
    case 0x00...0x7F: return .complete(1)
    case 0xC2...0xDF: (length, second) = (2, 0x80...0xBF)
    case 0xE0: (length, second) = (3, 0xA0...0xBF)
    case 0xED: (length, second) = (3, 0x80...0x9F)
    case 0xE1...0xEF: (length, second) = (3, 0x80...0xBF)
    case 0xF0: (length, second) = (4, 0x90...0xBF)
    case 0xF1...0xF3: (length, second) = (4, 0x80...0xBF)
    case 0xF4: (length, second) = (4, 0x80...0x8F)
    default: return .invalid
    }
    for offset in 1..<length {
      guard offset < available else { return .incomplete }
      guard (offset == 1 ? second : 0x80...0xBF).contains(bytes[index + offset]) else { return .invalid }
    }
    return .complete(length)
  }
}

extension [UInt8] {
  /// Appends a part of a span.
  mutating func append(_ bytes: Span<UInt8>, _ range: Range<Int>) {
    guard !range.isEmpty else { return }
    bytes.extracting(range).withUnsafeBufferPointer { append(contentsOf: $0) }
  }

  /// Appends a character; U+FFFD for what is none, such as a surrogate.
  mutating func append(scalar code: UInt32) {
    let scalar = Unicode.Scalar(code) ?? "\u{FFFD}"
    if scalar.isASCII { append(UInt8(code)) } else { append(contentsOf: Character(scalar).utf8) }
  }
}

extension String {
  /// The text of a part of a span.
  init(_ bytes: Span<UInt8>, _ range: Range<Int>) {
    self = bytes.extracting(range).withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) }
  }

  /// A name in lower case.
  init(inLowerCase bytes: Span<UInt8>) {
    guard bytes.endOfASCII(from: 0) == bytes.count else {
      self = String(bytes, 0..<bytes.count).lowercased()
      return
    }
    self.init(unsafeUninitializedCapacity: bytes.count) { output in
      for index in bytes.indices { output[index] = bytes[index].inLowerCase }
      return bytes.count
    }
  }
}
