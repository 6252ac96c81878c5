import Glibc

/// Decodes a text in a charset of several bytes as its bytes come, by iconv(3). Bytes that are no character become
/// U+FFFD.
///
/// It is a value: a copy decodes on by itself. So it keeps no descriptor of iconv, which has a state, but the bytes of
/// a character that is not complete and the escape sequence that is in force: the result does not depend on the pieces.
package struct MultiByteDecoder: Sendable {
  /// A charset by its name in glibc.
  package enum Charset: String, Sendable {
    case gb18030 = "GB18030"
    case big5 = "BIG5-HKSCS"
    /// Shift_JIS as Windows extends it.
    case shiftJIS = "CP932"
    case eucJP = "EUC-JP-MS"
    case iso2022JP = "ISO-2022-JP-3"
    /// EUC-KR as Windows extends it.
    case eucKR = "UHC"

    fileprivate var hasEscapes: Bool { self == .iso2022JP }
  }

  private let charset: Charset
  /// The escape sequence in force; empty at the beginning.
  private var shift: [UInt8] = []
  /// The bytes of a character, or of an escape sequence, that is not complete.
  private var pending: [UInt8] = []

  /// More bytes than any character and escape sequence has.
  private static let longestCharacter = 8
  /// How many bytes come out at once.
  private static let pieceBytes = 16 << 10
  private static let escape: UInt8 = 0x1B
  /// Those that `ISO-2022-JP-3` knows, without the escape.
  private static let escapeSequences = ["(B", "(J", "(I", "$@", "$B", "$(O", "$(P", "$(Q"].map { Array($0.utf8) }

  /// A decoder for a charset; nil if this machine has no table of it: packages of glibc have them.
  package init?(_ charset: Charset) {
    self.charset = charset
    guard let converter = Converter(charset) else { return nil }
    converter.close()
  }

  /// The bytes that it keeps for what has not ended.
  package var retainedBytes: Int { pending.count }

  /// Whether escape sequences say what the bytes behind them are. All bytes are ASCII's then.
  package var hasEscapes: Bool { charset.hasEscapes }

  /// Appends the text of further bytes.
  ///
  /// - Parameter isEnd: Whether they are the last ones.
  package mutating func decode(_ bytes: Span<UInt8>, isEnd: Bool, into output: inout [UInt8]) {
    var input = shift + pending
    input.reserveCapacity(input.count + bytes.count)
    for index in bytes.indices { input.append(bytes[index]) }
    guard input.count > shift.count else { return }
    let end = convert(&input, isEnd: isEnd, into: &output)
    if charset.hasEscapes { shift = Self.lastEscapeSequence(in: input[..<end]) ?? [] }
    pending = Array(input[end...])
  }

  /// Converts what is complete, and returns where that ends.
  private func convert(_ input: inout [UInt8], isEnd: Bool, into output: inout [UInt8]) -> Int {
    // Without memory the text is lost, and the document goes on.
    guard let converter = Converter(charset) else { return input.count }
    defer { converter.close() }
    var position = 0
    while position < input.count {
      let start = position
      switch converter.convert(&input, from: &position, atMost: Self.pieceBytes, into: &output) {
      case .all where position > start, .full where position > start: continue
      // It cannot go on: the text is lost, as above.
      case .all, .full: position = input.count
      case .incomplete where !isEnd && input.count - position < Self.longestCharacter: return position
      case .incomplete:
        Self.appendReplacement(to: &output)
        position = input.count
      case .invalid where charset == .eucKR && input[start..<position].suffix(2) == [0xA2, 0xE8]:
        // glibc has no U+327E, and goes behind it before it says so.
        output.append(contentsOf: Array("\u{327E}".utf8))
      case .invalid:
        // What the byte behind it is decides how much is wrong.
        guard isEnd || position + 1 < input.count else { return position }
        Self.appendReplacement(to: &output)
        // As in the Encoding Standard: a byte of ASCII behind a wrong lead byte is itself.
        let isPair = input[position] >= 0x80 && position + 1 < input.count && input[position + 1] >= 0x80
        position += isPair ? 2 : 1
      }
    }
    converter.flush(into: &output)
    return position
  }

  private static func appendReplacement(to output: inout [UInt8]) {
    output.append(contentsOf: [0xEF, 0xBF, 0xBD])
  }

  private static func lastEscapeSequence(in bytes: ArraySlice<UInt8>) -> [UInt8]? {
    var end = bytes.endIndex
    while let index = bytes[..<end].lastIndex(of: escape) {
      let rest = bytes[(index + 1)...]
      if let sequence = escapeSequences.first(where: { rest.starts(with: $0) }) { return [escape] + sequence }
      end = index
    }
    return nil
  }
}

/// A descriptor of iconv(3).
private struct Converter {
  enum Step {
    case all
    /// There is no room for more, or a part was written.
    case full
    /// The input ends within a character.
    case incomplete
    /// At the position is no character.
    case invalid
  }

  private let descriptor: iconv_t

  init?(_ charset: MultiByteDecoder.Charset) {
    guard let descriptor = iconv_open("UTF-8", charset.rawValue), Int(bitPattern: descriptor) != -1 else { return nil }
    self.descriptor = descriptor
  }

  func close() {
    iconv_close(descriptor)
  }

  /// Converts from a position on, which moves behind what was converted.
  func convert(
    _ input: inout [UInt8], from position: inout Int, atMost limit: Int, into output: inout [UInt8]
  ) -> Step {
    let start = position
    let (step, used) = input.withUnsafeMutableBytes { input in
      write(atMost: limit, to: &output) { written, room in
        var next = input.baseAddress.map { $0.advanced(by: start).assumingMemoryBound(to: CChar.self) }
        var left = input.count - start
        let result = iconv(descriptor, &next, &left, &written, &room)
        let step: Step =
          switch (result == -1, errno) {
          case (false, _): .all
          case (true, EILSEQ): .invalid
          case (true, EINVAL): .incomplete
          case (true, _): .full
          }
        return (step, input.count - start - left)
      }
    }
    position += used
    return step
  }

  /// Writes what the descriptor has kept of a character that is two in Unicode.
  func flush(into output: inout [UInt8]) {
    write(atMost: 64, to: &output) { written, room in _ = iconv(descriptor, nil, nil, &written, &room) }
  }

  private func write<Result>(
    atMost limit: Int, to output: inout [UInt8],
    _ body: (_ written: inout UnsafeMutablePointer<CChar>?, _ room: inout Int) -> Result
  ) -> Result {
    withUnsafeTemporaryAllocation(byteCount: limit, alignment: 1) { piece in
      var written = piece.baseAddress?.assumingMemoryBound(to: CChar.self)
      var room = limit
      let result = body(&written, &room)
      output.append(contentsOf: piece[..<(limit - room)])
      return result
    }
  }
}
