/// The value of a run of ASCII digits: nil for an empty run, for any other character (a sign, a blank) and beyond 2⁵³
/// (`Settings.Limits.volume`). No file is longer.
///
/// `Int64(_: String)` accepts signs, which no number in an HTTP field may have.
func decimalNumber(_ digits: some Sequence<UInt8>) -> Int64? {
  var value: Int64?
  for digit in digits {
    guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit) else { return nil }
    let sum = (value ?? 0) * 10 + Int64(digit - UInt8(ascii: "0"))
    guard sum <= Settings.Limits.volume.upperBound else { return nil }
    value = sum
  }
  return value
}
