import Flux

/// Random draws with readable names.
extension SeededGenerator {
  /// A number in `0..<bound`.
  mutating func below(_ bound: Int) -> Int {
    Int(truncatingIfNeeded: ((next() >> 32) &* UInt64(truncatingIfNeeded: bound)) >> 32)
  }

  /// A number in the range.
  mutating func within(_ range: ClosedRange<Int>) -> Int {
    range.lowerBound + below(range.upperBound - range.lowerBound + 1)
  }

  /// True once in this many draws, on average.
  mutating func once(in draws: Int) -> Bool {
    below(draws) == 0
  }

  /// One element at random; the array must not be empty.
  mutating func pick<Element>(_ elements: [Element]) -> Element {
    elements[below(elements.count)]
  }

  /// Milliseconds: mostly few, sometimes many, so that timers of all lengths matter.
  mutating func delay() -> Int64 {
    switch below(16) {
    case 0...7: Int64(within(0...5))
    case 8...12: Int64(within(5...120))
    case 13...14: Int64(within(100...900))
    default: Int64(within(900...4000))
    }
  }
}

/// A hash of its input in order (FNV-1a, RFC 9923, by words).
struct StableHash {
  private(set) var value: UInt64 = 0xCBF2_9CE4_8422_2325

  mutating func mix(_ word: UInt64) {
    value = (value ^ word) &* 0x0000_0100_0000_01B3
    value ^= value >> 29
  }

  mutating func mix(_ number: Int64) {
    mix(UInt64(bitPattern: number))
  }

  mutating func mix(_ text: String) {
    for byte in text.utf8 { mix(UInt64(byte)) }
    mix(UInt64(text.utf8.count))
  }

  /// Hashes bytes, eight at a time.
  mutating func mix(_ bytes: UnsafeRawBufferPointer) {
    var offset = 0
    while offset + 8 <= bytes.count {
      mix(bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
      offset += 8
    }
    while offset < bytes.count {
      mix(UInt64(bytes[offset]))
      offset += 1
    }
    mix(UInt64(bytes.count))
  }
}

extension Range<Int> {
  /// A range of a file as an index into memory.
  init(bytes: Range<Int64>) {
    self = Int(bytes.lowerBound)..<Int(bytes.upperBound)
  }
}
