import Foundation

/// Random numbers determined by a seed (SplitMix64, Steele, Lea and Flood 2014).
package struct SeededRandom: RandomNumberGenerator, Sendable {
  private var state: UInt64

  package init(seed: UInt64) {
    state = seed
  }

  /// The seed in the environment variable PODFLUX_SEED, or that of the commit.
  ///
  /// - Throws: `TestedCommit.Unknown` if neither the environment names a seed nor git the commit.
  package static func seed() throws -> UInt64 {
    try ProcessInfo.processInfo.environment["PODFLUX_SEED"].flatMap(UInt64.init) ?? TestedCommit.current().number
  }

  package mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
