import Flux
import PodfluxCore

/// Dates in the form that RFC 822 and its successors ask for, and that most feeds write:
/// `Tue, 03 Feb 2015 10:00:00 +0100`, with or without the name of the day, with `GMT` instead of the offset. They are
/// read in a tenth of the time that `FeedDate` needs to find out what is what.
enum PlainDate {
  /// The date; nil for any other text, and for a date that does not exist.
  static func parse(_ text: Span<UInt8>) -> PublicationDate? {
    text.withUnsafeBufferPointer { bytes in
      var reader = Reader(bytes: bytes)
      return reader.date()
    }
  }

  private struct Reader {
    let bytes: UnsafeBufferPointer<UInt8>
    private var index = 0

    init(bytes: UnsafeBufferPointer<UInt8>) {
      self.bytes = bytes
    }

    mutating func date() -> PublicationDate? {
      if bytes.count > 5, bytes[3] == UInt8(ascii: ",") {
        guard letters() != nil, skip(","), skip(" ") else { return nil }
      }
      guard let day = number(ofDigits: 1...2), skip(" "), let name = letters(), let month = Self.month(name),
        skip(" "), let year = number(ofDigits: 4...4), skip(" "), let time = time(), skip(" "),
        let offset = offset(), index == bytes.count, (FeedDate.earliestYear...9998).contains(year),
        (1...CivilDate.days(inMonth: month, ofYear: year)).contains(day)
      else { return nil }
      let days = CivilDate(year: year, month: month, day: day).daysSince1970
      return PublicationDate(
        Timestamp(milliseconds: days * 86_400_000 + (time - offset) * 1000), offsetSeconds: offset)
    }

    /// Seconds since midnight.
    private mutating func time() -> Int64? {
      guard let hour = number(ofDigits: 2...2), skip(":"), let minute = number(ofDigits: 2...2), skip(":"),
        let second = number(ofDigits: 2...2), hour <= 23, minute <= 59, second <= 59
      else { return nil }
      return hour * 3600 + minute * 60 + second
    }

    /// Seconds east of Greenwich.
    private mutating func offset() -> Int64? {
      guard index < bytes.count else { return nil }
      let isWest = bytes[index] == UInt8(ascii: "-")
      guard isWest || bytes[index] == UInt8(ascii: "+") else { return letters() == Self.greenwich ? 0 : nil }
      index += 1
      guard let number = number(ofDigits: 4...4), number / 100 <= 23, number % 100 <= 59 else { return nil }
      let seconds = number / 100 * 3600 + number % 100 * 60
      return isWest ? -seconds : seconds
    }

    private mutating func skip(_ character: Unicode.Scalar) -> Bool {
      guard index < bytes.count, bytes[index] == UInt8(ascii: character) else { return false }
      index += 1
      return true
    }

    private mutating func number(ofDigits count: ClosedRange<Int>) -> Int64? {
      var (value, digits): (Int64, Int) = (0, 0)
      while index < bytes.count, digits < count.upperBound, bytes[index] &- UInt8(ascii: "0") <= 9 {
        value = value * 10 + Int64(bytes[index] &- UInt8(ascii: "0"))
        index += 1
        digits += 1
      }
      return digits >= count.lowerBound ? value : nil
    }

    /// Three letters of ASCII in lower case, as one number.
    private mutating func letters() -> UInt32? {
      guard bytes.count - index >= 3 else { return nil }
      var word: UInt32 = 0
      for _ in 0..<3 {
        let byte = bytes[index] | 0x20
        guard (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) else { return nil }
        word = word << 8 | UInt32(byte)
        index += 1
      }
      return word
    }

    private static func word(_ text: StaticString) -> UInt32 {
      text.withUTF8Buffer { $0.reduce(0) { $0 << 8 | UInt32($1) } }
    }

    private static let greenwich = word("gmt")

    private static let months: [UInt32] = [
      "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
    ].map { (name: StaticString) in word(name) }

    private static func month(_ name: UInt32) -> Int64? {
      months.firstIndex(of: name).map { Int64($0 + 1) }
    }
  }
}
