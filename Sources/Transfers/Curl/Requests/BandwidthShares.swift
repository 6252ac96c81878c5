/// Divides a rate limit among members. It reads no clock and blocks no thread: a member that gets less than it asked
/// for waits until `refill` names it.
///
/// Credit grows with time, up to `burst`, so that no window of 5 s exceeds the rate by more than 3 %. Waiting members
/// take turns in a circle; a turn is short enough that each has one per `round`, unless it would be shorter than
/// `shortestTurn` bytes. Interrupted turns continue first. A member that has a turn and takes nothing holds up no
/// other: the credit is common to all.
struct BandwidthShares {
  typealias Member = HTTPExchange.ID

  static let refillInterval = Duration.milliseconds(20)
  /// How much unused credit accumulates, as the time in which it arrives.
  static let burst = Duration.milliseconds(150)
  /// The time in which each waiting member should have a turn.
  static let round = Duration.milliseconds(100)
  static let shortestTurn = 512
  static let longestTurn = 256 << 10

  /// 0 for no limit.
  private(set) var bytesPerSecond: Int64 = 0
  /// The bytes that may be taken now.
  private var credit = 0.0
  private var lastRefill: SuspendingClock.Instant
  /// The rest of a member's turn; 0 once it is over, until the next refill ends it.
  private var turns: [Member: Int] = [:]
  /// The members that wait in the middle of a turn, and those that wait for the next one.
  private var cutShort: [Member] = []
  private var waiting: [Member] = []

  init(now: SuspendingClock.Instant = .now) {
    lastRefill = now
  }

  var isLimited: Bool { bytesPerSecond > 0 }

  /// When to call `refill` next; nil while no member waits.
  var nextRefill: SuspendingClock.Instant? {
    cutShort.isEmpty && waiting.isEmpty ? nil : isLimited ? lastRefill + Self.refillInterval : lastRefill
  }

  /// Sets the rate from now on; 0 for no limit.
  mutating func limit(bytesPerSecond rate: Int64, now: SuspendingClock.Instant) {
    guard rate != bytesPerSecond else { return }
    // Credit from a high rate would last many seconds at a low one.
    bytesPerSecond = rate
    (credit, lastRefill) = (0, now)
    turns = [:]
  }

  /// Takes up to `wanted` bytes of credit. With fewer than wanted, the member waits.
  mutating func take(upTo wanted: Int, for member: Member) -> Int {
    guard isLimited, wanted > 0 else { return wanted }
    // A newcomer must not jump the queue, nor a member whose turn is over: others may not have begun theirs.
    let turn = turns[member] ?? (waiting.isEmpty && cutShort.isEmpty ? turnLength : 0)
    let granted = min(wanted, turn, Int(credit))
    credit -= Double(granted)
    turns[member] = turn - granted
    if granted < wanted {
      if turn > granted { cutShort.append(member) } else { waiting.append(member) }
    }
    return granted
  }

  /// Returns credit that the member could not use.
  mutating func giveBack(_ bytes: Int, of member: Member) {
    guard isLimited else { return }
    credit += Double(bytes)
    turns[member, default: 0] += bytes
  }

  /// Removes a member that has ended.
  mutating func remove(_ member: Member) {
    turns[member] = nil
    cutShort.removeAll { $0 == member }
    waiting.removeAll { $0 == member }
  }

  /// Refills the credit if it is time. Returns the members that may continue, in this order.
  mutating func refill(now: SuspendingClock.Instant) -> [Member] {
    guard isLimited else { return resumeAll() }
    let elapsed = now - lastRefill
    guard elapsed >= Self.refillInterval else { return [] }
    lastRefill = now
    credit = min(bytes(in: Self.burst), credit + bytes(in: elapsed))
    var budget = Int(credit)
    // After a late refill there is more credit than turns are long.
    let turn = max(turnLength, budget / max(1, cutShort.count + waiting.count))
    var resumed: [Member] = []
    for member in cutShort + waiting {
      guard budget > 0 else { break }
      let rest = turns[member] ?? 0
      turns[member] = rest > 0 ? rest : turn
      budget -= rest > 0 ? rest : turn
      resumed.append(member)
    }
    let resumedFromTheMiddle = min(resumed.count, cutShort.count)
    waiting.removeFirst(resumed.count - resumedFromTheMiddle)
    cutShort.removeFirst(resumedFromTheMiddle)
    return resumed
  }

  private mutating func resumeAll() -> [Member] {
    defer { (turns, cutShort, waiting) = ([:], [], []) }
    return cutShort + waiting
  }

  /// The length of a turn for the current number of waiting members.
  private var turnLength: Int {
    let share = bytes(in: Self.round) / Double(max(1, cutShort.count + waiting.count))
    return min(Self.longestTurn, max(Self.shortestTurn, Int(share)))
  }

  private func bytes(in duration: Duration) -> Double {
    Double(bytesPerSecond) * (duration / .seconds(1))
  }
}

/// The driver's one `BandwidthShares` for all its transfers. Only its thread uses it.
final class BandwidthGate {
  var shares = BandwidthShares()
}
