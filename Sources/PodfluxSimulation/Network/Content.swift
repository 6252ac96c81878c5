/// One version of a file on an origin: real bytes, cheap to make at any offset.
///
/// The bytes of phase `p` at offset `o` are those of one fixed series at `o + p`, whose period is prime. Two versions
/// of an origin differ in phase, so they differ at every offset: a splice is always detected. An advertisement at the
/// beginning is a smaller phase. A version may have a window of another phase: an advertisement in the middle that was
/// replaced by one of the same length, which only a validator shows.
struct Content: Hashable {
  static let period = 251
  static let longest = 300_000

  var phase: Int
  var length: Int
  var window: Range<Int> = 0..<0
  var windowPhase = 0

  private static let series: [UInt8] = (0..<(longest + 2 * period)).map { UInt8(($0 % period) * 89 % period) }

  /// All of its bytes.
  var all: [UInt8] {
    var bytes: [UInt8] = []
    append(0..<length, to: &bytes)
    return bytes
  }

  /// Appends the bytes of a range to a buffer.
  func append(_ range: Range<Int>, to buffer: inout [UInt8]) {
    for (part, phase) in parts(of: range) {
      let start = (part.lowerBound + phase) % Self.period
      buffer.append(contentsOf: Self.series[start..<(start + part.count)])
    }
  }

  /// Whether the bytes are this version's, from an offset on.
  func matches(_ bytes: UnsafeRawBufferPointer, from offset: Int = 0) -> Bool {
    guard offset + bytes.count <= length else { return false }
    return parts(of: offset..<(offset + bytes.count)).allSatisfy { part, phase in
      let start = (part.lowerBound + phase) % Self.period
      let theirs = UnsafeRawBufferPointer(rebasing: bytes[(part.lowerBound - offset)..<(part.upperBound - offset)])
      return Self.series.withUnsafeBytes { series in
        theirs.elementsEqual(UnsafeRawBufferPointer(rebasing: series[start..<(start + part.count)]))
      }
    }
  }

  private func parts(of range: Range<Int>) -> [(Range<Int>, Int)] {
    let inner = range.clamped(to: window)
    guard !inner.isEmpty else { return range.isEmpty ? [] : [(range, phase)] }
    return [
      (range.lowerBound..<inner.lowerBound, phase), (inner, windowPhase), (inner.upperBound..<range.upperBound, phase),
    ]
    .filter { !$0.0.isEmpty }
  }
}
