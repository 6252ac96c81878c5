/// A place in a buffer where bytes are put, one behind the other.
struct JSONPiece {
  fileprivate var next: UnsafeMutablePointer<UInt8>

  /// Puts an ASCII character.
  mutating func put(_ scalar: Unicode.Scalar) {
    next.initialize(to: UInt8(ascii: scalar))
    next += 1
  }

  private mutating func put(_ bytes: UnsafeBufferPointer<UInt8>) {
    guard let first = bytes.baseAddress else { return }
    next.initialize(from: first, count: bytes.count)
    next += bytes.count
  }

  /// Puts a key with what stands around it.
  mutating func put(key: StaticString, needsComma: Bool) {
    if needsComma { put(",") }
    put(text: UnsafeBufferPointer(start: key.utf8Start, count: key.utf8CodeUnitCount))
    put(":")
  }

  /// Puts a text that has nothing in it to be escaped, in quotes.
  mutating func put(text: UnsafeBufferPointer<UInt8>) {
    put("\"")
    put(text)
    put("\"")
  }

  /// Puts a number, of which it is known how many digits it has.
  mutating func put(_ number: UInt64, digits: Int) {
    var rest = number
    for place in (0..<digits).reversed() {
      (next + place).initialize(to: UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10))
      rest /= 10
    }
    next += digits
  }
}

extension [UInt8] {
  /// Appends so many bytes at most, in one piece: to ask for room for each byte would cost more than the byte. So would
  /// the call of a closure.
  @inline(__always)
  mutating func append(upTo limit: Int, _ write: (inout JSONPiece) -> Void) {
    append(addingCapacity: limit) { room in
      room.withUnsafeMutableBufferPointer { buffer, count in
        guard let start = buffer.baseAddress else { return }
        var piece = JSONPiece(next: start + count)
        write(&piece)
        count = piece.next - start
        precondition(count <= buffer.count, "a piece has no room for more than was asked for")
      }
    }
  }
}

extension UInt8 {
  /// Whether the byte cannot stand for itself in a text.
  var isEscapable: Bool { self < 0x20 || self == UInt8(ascii: "\"") || self == UInt8(ascii: "\\") }
}

extension UnsafeBufferPointer<UInt8> {
  /// Whether there is a byte that cannot stand for itself in a text. Eight bytes are looked at together
  /// (https://graphics.stanford.edu/~seander/bithacks.html#ZeroInWord).
  var containsEscapable: Bool {
    let words = count / 8
    let raw = UnsafeRawBufferPointer(self)
    for index in 0..<words where raw.loadUnaligned(fromByteOffset: index * 8, as: UInt64.self).hasEscapable {
      return true
    }
    return self[(words * 8)...].contains { $0.isEscapable }
  }
}

extension UInt64 {
  private static let ones: UInt64 = 0x0101_0101_0101_0101

  /// The highest bit of each byte that is below a limit is set, and perhaps of some behind it.
  private func below(_ limit: UInt64) -> UInt64 { (self &- Self.ones &* limit) & ~self }

  fileprivate var hasEscapable: Bool {
    let (quote, backslash) = (UInt64(UInt8(ascii: "\"")), UInt64(UInt8(ascii: "\\")))
    let found = below(0x20) | (self ^ Self.ones &* quote).below(1) | (self ^ Self.ones &* backslash).below(1)
    return found & (Self.ones << 7) != 0
  }
}
