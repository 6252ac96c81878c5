import Texts

/// Turns the bytes of a document into UTF-8, piece by piece, with a right declaration, a wrong one or none.
///
/// A byte order mark decides; else the XML declaration; else the charset of the response; else it is UTF-8. Of UTF-8,
/// ASCII, ISO 8859-1 and windows-1252 it does not matter which is declared: a valid sequence of UTF-8 is one, and any
/// other byte is a character of windows-1252. A text in windows-1252 that is by chance valid UTF-8 does not occur
/// outside of puzzles. A declared UTF-16 or UTF-32 without its zeros is read as UTF-8, and so is any unknown charset:
/// names of elements and addresses are ASCII in all that are in use.
struct CharacterDecoder: Sendable {
  /// The label of the charset that is declared or shows at the document's beginning; nil before the first bytes.
  private(set) var charset: String?
  /// Whether a charset was declared that this decoder does not know.
  private(set) var isUnknownCharset = false

  private var mode: Mode
  /// The bytes of a character, or of the declaration, that are not complete yet.
  private var pending: [UInt8] = []

  private enum Mode: Sendable {
    /// Waits for the declaration.
    case undecided(responseCharset: String?)
    case utf8
    case utf16(isBigEndian: Bool, highSurrogate: UInt32?)
    case utf32(isBigEndian: Bool)
    /// Waits for the first bytes beyond ASCII: a page in UTF-8 may be labelled with an older charset.
    case doubtful(OlderCharset)
    case older(OlderCharset)
  }

  fileprivate enum OlderCharset: Sendable {
    case singleByte(SingleByteCharset)
    case multiByte(MultiByteDecoder)
  }

  /// The bytes that it keeps for what has not ended.
  var retainedBytes: Int {
    guard case .older(.multiByte(let decoder)) = mode else { return pending.count }
    return pending.count + decoder.retainedBytes
  }

  init(responseCharset: String?) {
    mode = .undecided(responseCharset: responseCharset)
  }

  /// Appends the text of further bytes.
  mutating func decode(_ bytes: Span<UInt8>, into output: inout [UInt8]) {
    if case .undecided(let responseCharset) = mode {
      for index in bytes.indices { pending.append(bytes[index]) }
      decide(responseCharset: responseCharset, isEnd: false, output: &output)
    } else {
      convert(bytes, isEnd: false, into: &output)
    }
  }

  /// Appends the text of what was kept back: the document has ended.
  mutating func finish(into output: inout [UInt8]) {
    if case .undecided(let responseCharset) = mode {
      decide(responseCharset: responseCharset, isEnd: true, output: &output)
    }
    let none: [UInt8] = []
    convert(none.span, isEnd: true, into: &output)
  }

  // MARK: The charset

  private mutating func decide(responseCharset: String?, isEnd: Bool, output: inout [UInt8]) {
    guard let (label, skipped) = declaredCharset(responseCharset: responseCharset, isEnd: isEnd) else { return }
    let head = pending
    pending = []
    mode = mode(label: label)
    convert(head.span.extracting(skipped..<head.count), isEnd: false, into: &output)
  }

  /// The charset's label, and the length of the byte order mark; nil if more bytes are needed.
  private func declaredCharset(responseCharset: String?, isEnd: Bool) -> (label: String, skipped: Int)? {
    guard pending.count >= 4 || isEnd else { return nil }
    if pending.starts(with: [0xEF, 0xBB, 0xBF]) { return ("utf-8", 3) }
    if pending.starts(with: [0xFF, 0xFE, 0, 0]) { return ("utf-32le", 4) }
    if pending.starts(with: [0, 0, 0xFE, 0xFF]) { return ("utf-32be", 4) }
    if pending.starts(with: [0x3C, 0, 0, 0]) { return ("utf-32le", 0) }
    if pending.starts(with: [0, 0, 0, 0x3C]) { return ("utf-32be", 0) }
    if pending.starts(with: [0xFF, 0xFE]) { return ("utf-16le", 2) }
    if pending.starts(with: [0xFE, 0xFF]) { return ("utf-16be", 2) }
    if pending.starts(with: [0x3C, 0]) { return ("utf-16le", 0) }
    if pending.starts(with: [0, 0x3C]) { return ("utf-16be", 0) }
    // No more than this counts, however much has come: the result may not depend on the pieces.
    let head = pending.prefix(FeedLimits.maximumDeclarationBytes)
    let start = head.firstIndex { !Self.isBlank($0) }
    if head.count < FeedLimits.maximumDeclarationBytes, !isEnd {
      guard let start, head.count - start >= 5 else { return nil }
      if head[start...].starts(with: "<?xml".utf8), !head[start...].contains(UInt8(ascii: ">")) { return nil }
    }
    var label = responseCharset?.lowercased() ?? "utf-8"
    if let start, head[start...].starts(with: "<?xml".utf8) {
      let declaration = head[start...].prefix { $0 != UInt8(ascii: ">") }
      label = Self.encoding(inDeclaration: declaration) ?? label
    }
    // Bytes that can be read as ASCII are no UTF-16 and no UTF-32, even if they claim so.
    return (label.hasPrefix("utf-16") || label.hasPrefix("ucs-2") || label.hasPrefix("utf-32") ? "utf-8" : label, 0)
  }

  private mutating func mode(label: String) -> Mode {
    charset = label
    switch label {
    case "utf-8", "utf8", "us-ascii", "ascii", "iso-8859-1", "iso8859-1", "latin1", "latin-1", "windows-1252",
      "cp1252":
      return .utf8
    case "utf-16le": return .utf16(isBigEndian: false, highSurrogate: nil)
    case "utf-16be": return .utf16(isBigEndian: true, highSurrogate: nil)
    case "utf-32le": return .utf32(isBigEndian: false)
    case "utf-32be": return .utf32(isBigEndian: true)
    default:
      if let charset = SingleByteCharset(label: label) { return .doubtful(.singleByte(charset)) }
      if let decoder = MultiByteDecoder.Charset(label: label).flatMap(MultiByteDecoder.init) {
        return .doubtful(.multiByte(decoder))
      }
      isUnknownCharset = true
      return .utf8
    }
  }

  private static func encoding(inDeclaration bytes: ArraySlice<UInt8>) -> String? {
    let text = String(decoding: bytes, as: UTF8.self).lowercased()
    guard let name = text.firstRange(of: "encoding") else { return nil }
    let rest = text[name.upperBound...].drop { $0.isWhitespace || $0 == "=" }
    guard let quote = rest.first, quote == "\"" || quote == "'" else { return nil }
    let label = rest.dropFirst().prefix { $0 != quote }
    let trimmed = label.drop { $0.isWhitespace }.prefix { !$0.isWhitespace }
    return trimmed.isEmpty ? nil : String(trimmed)
  }

  private static func isBlank(_ byte: UInt8) -> Bool {
    byte == 0x20 || (0x09...0x0D).contains(byte)
  }

  // MARK: The text

  private mutating func convert(_ bytes: Span<UInt8>, isEnd: Bool, into output: inout [UInt8]) {
    switch mode {
    case .undecided: break
    case .utf8: convertUTF8(bytes, isEnd: isEnd, into: &output)
    case .utf16(let isBigEndian, let surrogate):
      convertUTF16(bytes, isBigEndian: isBigEndian, surrogate: surrogate, isEnd: isEnd, into: &output)
    case .utf32(let isBigEndian): convertUTF32(bytes, isBigEndian: isBigEndian, isEnd: isEnd, into: &output)
    case .doubtful(let charset): convertDoubtful(bytes, charset: charset, isEnd: isEnd, into: &output)
    case .older(.multiByte(var decoder)):
      decoder.decode(bytes, isEnd: isEnd, into: &output)
      mode = .older(.multiByte(decoder))
    case .older(.singleByte(let charset)):
      for index in bytes.indices {
        let byte = bytes[index]
        if byte < 0x80 { output.append(byte) } else { charset.append(byte, to: &output) }
      }
    }
  }

  private mutating func convertUTF8(_ bytes: Span<UInt8>, isEnd: Bool, into output: inout [UInt8]) {
    var index = 0
    // A character that an earlier piece has begun.
    while !pending.isEmpty, index < bytes.count {
      pending.append(bytes[index])
      index += 1
      writePending(isEnd: false, into: &output)
    }
    while index < bytes.count {
      let start = index
      index = bytes.endOfASCII(from: start)
      output.append(bytes, start..<index)
      guard index < bytes.count else { break }
      let available = min(4, bytes.count - index)
      switch UTF8Sequence.length(at: index, in: bytes, available: available) {
      case .complete(let length):
        output.append(bytes, index..<index + length)
        index += length
      case .invalid:
        SingleByteCharset.western.append(bytes[index], to: &output)
        index += 1
      case .incomplete:
        for rest in index..<bytes.count { pending.append(bytes[rest]) }
        index = bytes.count
      }
    }
    if isEnd { writePending(isEnd: true, into: &output) }
  }

  /// Writes the characters of the bytes that were kept back, as far as they are decided.
  private mutating func writePending(isEnd: Bool, into output: inout [UInt8]) {
    while let first = pending.first {
      if first < 0x80 {
        output.append(first)
        pending.removeFirst()
        continue
      }
      switch UTF8Sequence.length(at: 0, in: pending.span, available: pending.count) {
      case .complete(let length):
        output.append(contentsOf: pending.prefix(length))
        pending.removeFirst(length)
      case .incomplete where !isEnd: return
      case .incomplete, .invalid:
        SingleByteCharset.western.append(first, to: &output)
        pending.removeFirst()
      }
    }
  }

  private mutating func convertUTF16(
    _ bytes: Span<UInt8>, isBigEndian: Bool, surrogate: UInt32?, isEnd: Bool, into output: inout [UInt8]
  ) {
    var surrogate = surrogate
    let replacement: [UInt8] = [0xEF, 0xBF, 0xBD]
    for index in bytes.indices {
      pending.append(bytes[index])
      guard pending.count == 2 else { continue }
      let unit = UInt32(pending[isBigEndian ? 0 : 1]) << 8 | UInt32(pending[isBigEndian ? 1 : 0])
      pending.removeAll(keepingCapacity: true)
      if let high = surrogate {
        surrogate = nil
        if (0xDC00...0xDFFF).contains(unit) {
          output.append(scalar: 0x10000 + ((high - 0xD800) << 10) + (unit - 0xDC00))
          continue
        }
        output.append(contentsOf: replacement)
      }
      if (0xD800...0xDBFF).contains(unit) { surrogate = unit } else { output.append(scalar: unit) }
    }
    if isEnd, surrogate != nil || !pending.isEmpty {
      output.append(contentsOf: replacement)
      (surrogate, pending) = (nil, [])
    }
    mode = .utf16(isBigEndian: isBigEndian, highSurrogate: surrogate)
  }

  private mutating func convertUTF32(
    _ bytes: Span<UInt8>, isBigEndian: Bool, isEnd: Bool, into output: inout [UInt8]
  ) {
    for index in bytes.indices {
      pending.append(bytes[index])
      guard pending.count == 4 else { continue }
      let code = pending.reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
      output.append(scalar: isBigEndian ? code : code.byteSwapped)
      pending.removeAll(keepingCapacity: true)
    }
    guard isEnd, !pending.isEmpty else { return }
    output.append(scalar: 0xFFFD)
    pending = []
  }

  private mutating func convertDoubtful(
    _ bytes: Span<UInt8>, charset: OlderCharset, isEnd: Bool, into output: inout [UInt8]
  ) {
    var index = 0
    while index < bytes.count {
      let byte = bytes[index]
      if byte >= 0x80 {
        pending.append(byte)
        index += 1
        guard pending.count == charset.longestRun else { continue }
      } else if pending.isEmpty {
        guard !charset.isShown(by: byte) else {
          mode = .older(charset)
          return convert(bytes.extracting(index..<bytes.count), isEnd: isEnd, into: &output)
        }
        output.append(byte)
        index += 1
        continue
      }
      writeDoubtfulRun(charset, into: &output)
      guard case .doubtful = mode else {
        return convert(bytes.extracting(index..<bytes.count), isEnd: isEnd, into: &output)
      }
    }
    guard isEnd else { return }
    writeDoubtfulRun(charset, into: &output)
    if case .doubtful = mode { return }
    convert(bytes.extracting(index..<index), isEnd: true, into: &output)
  }

  /// Writes the run that was gathered. A valid run that is too short to decide is read as UTF-8.
  private mutating func writeDoubtfulRun(_ charset: OlderCharset, into output: inout [UInt8]) {
    var (index, isUTF8) = (0, true)
    while isUTF8, index < pending.count {
      switch UTF8Sequence.length(at: index, in: pending.span, available: pending.count - index) {
      case .complete(let length) where length >= charset.shortestSequence: index += length
      case .incomplete where index >= charset.decisiveBytes: index = pending.count
      case .complete, .incomplete, .invalid: isUTF8 = false
      }
    }
    let run = pending
    pending = []
    if !isUTF8 {
      mode = .older(charset)
    } else if run.count >= charset.decisiveBytes {
      mode = .utf8
    } else {
      return output.append(contentsOf: run)
    }
    convert(run.span, isEnd: false, into: &output)
  }
}

extension CharacterDecoder.OlderCharset {
  /// The valid bytes of a run beyond ASCII that show UTF-8. In a charset of single bytes they would be two capitals
  /// that are each followed by a rare sign; in one of several bytes two sequences of three bytes are rarer still.
  fileprivate var decisiveBytes: Int {
    switch self {
    case .singleByte: 4
    case .multiByte: 6
    }
  }

  /// The longest run that is gathered: a decisive one, and a character that is not complete.
  fileprivate var longestRun: Int { decisiveBytes + 3 }

  /// The shortest sequence that counts for UTF-8: one of two bytes is a character in most charsets of two bytes, and
  /// texts that are wrongly labelled with those have longer ones.
  fileprivate var shortestSequence: Int {
    switch self {
    case .singleByte: 2
    case .multiByte: 3
    }
  }

  /// Whether a byte of ASCII shows that the charset is this one.
  fileprivate func isShown(by byte: UInt8) -> Bool {
    guard case .multiByte(let decoder) = self else { return false }
    return byte == 0x1B && decoder.hasEscapes
  }
}
