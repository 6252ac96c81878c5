/// The value of a run of ASCII digits: nil for an empty run, for any other character (a sign, a blank) and beyond
/// `Int64`.
///
/// `Int64(_: String)` accepts signs, which no number in an HTTP field may have.
func decimalNumber(_ digits: some Sequence<UInt8>) -> Int64? {
  var value: Int64?
  for digit in digits {
    guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit) else { return nil }
    let (shifted, overflowed) = (value ?? 0).multipliedReportingOverflow(by: 10)
    let (sum, carried) = shifted.addingReportingOverflow(Int64(digit - UInt8(ascii: "0")))
    guard !overflowed, !carried else { return nil }
    value = sum
  }
  return value
}
