/// A number of bytes for people: in powers of 1000, with about three digits, such as "31.4 MB".
package struct ByteCount: Sendable, Hashable, CustomStringConvertible {
  private let bytes: Int64

  /// Negative numbers count as 0.
  package init(_ bytes: Int64) {
    self.bytes = max(0, bytes)
  }

  /// "1 byte", "512 bytes", "31.4 MB", "314 MB".
  package var description: String {
    guard bytes != 1 else { return "1 byte" }
    let unit = Self.unit(of: bytes)
    return Self.amount(bytes, in: unit) + " " + Self.units[unit]
  }

  /// The part that is there of a whole, such as "18.0/31.2 MB". What is less than one gigabyte of a larger whole has
  /// its own unit: "18.0 MB/1.2 GB". Without a whole: the number alone.
  package func of(_ whole: ByteCount?) -> String {
    guard let whole else { return description }
    let unit = Self.unit(of: whole.bytes)
    let own = max(Self.megabytes, Self.unit(of: bytes))
    guard own < unit else { return Self.amount(bytes, in: unit) + "/" + whole.description }
    return Self.amount(bytes, in: own) + " " + Self.units[own] + "/" + whole.description
  }

  /// So many bytes in each second, such as "2.1 MB/s", at least in kilobytes.
  package var perSecond: String {
    let unit = max(1, Self.unit(of: bytes))
    return Self.amount(bytes, in: unit) + " " + Self.units[unit] + "/s"
  }

  private static let units = ["bytes", "kB", "MB", "GB", "TB", "PB", "EB"]
  /// The number of their unit.
  private static let megabytes = 2

  /// The number of the unit in which a number has one to three digits before the point, after rounding.
  private static func unit(of bytes: Int64) -> Int {
    var (amount, unit) = (Double(bytes), 0)
    while amount >= 999.5, unit < units.count - 1 { (amount, unit) = (amount / 1000, unit + 1) }
    return unit
  }

  /// The number with one decimal below 100; without decimals for bytes and larger numbers.
  private static func amount(_ bytes: Int64, in unit: Int) -> String {
    let amount = (0..<unit).reduce(Double(bytes)) { amount, _ in amount / 1000 }
    guard unit > 0, amount < 99.95 else { return String(Int64(amount.rounded())) }
    return String((amount * 10).rounded() / 10)
  }
}
