import NIOCore

/// Doles out bytes so that they never come faster than a rate, in slices: short ones for fast rates, longer ones for
/// slow rates, so that hundreds of slow responses cost little.
///
/// | bytes per second | slice | bytes in it |
/// |---|---|---|
/// | 2,000,000 | 25 ms | 50,000 |
/// | 100,000 | 41 → 50 ms | 5,000 |
/// | 20,480 | 200 ms | 4,096 |
/// | 1,000 | 250 ms | 250 |
struct Pacer {
  private static let smallestSliceBytes = 4096
  private static let finest = TimeAmount.milliseconds(25)
  private static let coarsest = TimeAmount.milliseconds(250)

  private let bytesPerSecond: Int
  private let slice: TimeAmount
  private var earned = 0.0
  private var updated: NIODeadline
  /// No bytes may be sent before this time.
  private(set) var nextTick: NIODeadline

  init(bytesPerSecond: Int, start: NIODeadline) {
    let nanoseconds = Self.smallestSliceBytes * 1_000_000_000 / bytesPerSecond
    self.bytesPerSecond = bytesPerSecond
    self.slice = min(max(.nanoseconds(Int64(nanoseconds)), Self.finest), Self.coarsest)
    self.updated = start
    self.nextTick = Self.aligned(start + slice)
  }

  /// The bytes that may be sent now.
  mutating func allowance(at now: NIODeadline) -> Int {
    if now >= nextTick {
      let seconds = Double((now - updated).nanoseconds) / 1e9
      // A client that has not read for a while gets no burst afterwards.
      let most = 2 * Double(bytesPerSecond) * Double((slice + Self.finest).nanoseconds) / 1e9
      earned = min(earned + seconds * Double(bytesPerSecond), most)
      updated = now
      nextTick = Self.aligned(now + slice)
    }
    return Int(earned)
  }

  mutating func spend(_ byteCount: Int) {
    earned -= Double(byteCount)
  }

  /// Rounded up to a grid, so that the slices of many responses become due together and wake the loop once.
  private static func aligned(_ deadline: NIODeadline) -> NIODeadline {
    let grid = UInt64(finest.nanoseconds)
    return .uptimeNanoseconds((deadline.uptimeNanoseconds + grid - 1) / grid * grid)
  }
}
