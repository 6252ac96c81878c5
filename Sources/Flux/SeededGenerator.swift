/// A small, fast random number generator, determined by its seed (SplitMix64).
///
/// Source: Steele, Lea, Flood, "Fast Splittable Pseudorandom Number Generators", OOPSLA 2014. Not for secrets.
///
/// ```swift
/// var generator = SeededGenerator(seed: 7)
/// print(Int.random(in: 1...6, using: &generator))
/// ```
public struct SeededGenerator: RandomNumberGenerator, Sendable {
  private var state: UInt64

  /// A generator; the same seed gives the same draws.
  public init(seed: UInt64) {
    state = seed
  }

  /// A generator for one index of a series, independent of the neighbouring ones.
  public init(seed: UInt64, index: Int64) {
    var mixer = SeededGenerator(seed: seed ^ UInt64(bitPattern: index) &* 0x9E37_79B9_7F4A_7C15)
    state = mixer.next()
  }

  public mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
