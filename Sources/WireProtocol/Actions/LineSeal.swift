/// What stands before the other members of a journal's line, so that no bit of it can change unseen:
/// `{"check":"9a71bb4c-0000012f",` with the line's checksum and its length.
///
/// Both are of what stands behind the seal, up to but without the line feed. The length tells a line that a crash has
/// cut off, which may be, from one that was changed, which may not. Journals of format 1, before there were seals, have
/// lines without one: no single bit makes such a line of a sealed one.
package enum LineSeal {
  /// How a seal begins.
  package static let head = Array(#"{"check":""#.utf8)
  private static let digits = 8
  private static let tail = Array(#"","#.utf8)
  /// How long a seal is, in bytes.
  static let length = head.count + 2 * digits + 1 + tail.count
  /// A seal that is still to be made.
  static let blank = head + Array(repeating: UInt8(ascii: "0"), count: 2 * digits + 1) + tail
  /// How a line without a seal begins.
  private static let unsealed = Array(#"{"meta""#.utf8)

  /// What a journal's line is, as far as its seal says.
  package enum Verdict: Hashable, Sendable {
    /// The line is as it was written, or has no seal that could tell.
    case intact
    /// The line ends early, as after a crash.
    case cutOff
    /// The line differs from the one that was written.
    case changed
  }

  /// Looks at a line without its line feed. Cost: linear in its length.
  package static func verdict(on line: [UInt8]) -> Verdict {
    if line.starts(with: unsealed) { return .intact }
    guard line.count >= length else {
      let isBeginning =
        unsealed.starts(with: line)
        || zip(line, blank).enumerated().allSatisfy { index, pair in
          (head.count..<length - tail.count).contains(index) || pair.0 == pair.1
        }
      return isBeginning ? .cutOff : .changed
    }
    guard let seal = read(line) else { return .changed }
    let rest = line[length...]
    let isRight = LineChecksum.of(rest) == seal.checksum
    if rest.count < Int(seal.length) { return isRight ? .changed : .cutOff }
    return isRight && rest.count == Int(seal.length) ? .intact : .changed
  }

  /// The line's members, without the seal; the line itself if it has none.
  static func contents(of line: [UInt8]) -> [UInt8] {
    guard line.starts(with: head), line.count > length else { return line }
    return [UInt8(ascii: "{")] + line[length...]
  }

  /// Makes the seal of a line that begins with a blank one at a place, and reaches to the end.
  static func seal(_ bytes: inout [UInt8], from start: Int) {
    let (checksum, count) = (LineChecksum.of(bytes[(start + length)...]), bytes.count - start - length)
    let place = start + head.count
    write(checksum, to: &bytes, at: place)
    bytes[place + digits] = UInt8(ascii: "-")
    write(UInt32(count), to: &bytes, at: place + digits + 1)
  }

  private static func write(_ number: UInt32, to bytes: inout [UInt8], at place: Int) {
    for digit in 0..<digits {
      let nibble = UInt8(number >> UInt32(4 * (digits - 1 - digit)) & 0xF)
      bytes[place + digit] = nibble < 10 ? UInt8(ascii: "0") + nibble : UInt8(ascii: "a") + nibble - 10
    }
  }

  private static func read(_ line: [UInt8]) -> (checksum: UInt32, length: UInt32)? {
    let numbers = line[head.count..<length - tail.count]
    guard line.starts(with: head), line[length - tail.count..<length].elementsEqual(tail),
      numbers[head.count + digits] == UInt8(ascii: "-"),
      let checksum = number(numbers.prefix(digits)), let length = number(numbers.suffix(digits))
    else { return nil }
    return (checksum, length)
  }

  private static func number(_ text: ArraySlice<UInt8>) -> UInt32? {
    text.reduce(0 as UInt32?) { number, digit in
      switch digit {
      case UInt8(ascii: "0")...UInt8(ascii: "9"): number.map { $0 << 4 | UInt32(digit - UInt8(ascii: "0")) }
      case UInt8(ascii: "a")...UInt8(ascii: "f"): number.map { $0 << 4 | UInt32(digit - UInt8(ascii: "a") + 10) }
      default: nil
      }
    }
  }
}
