/// Divides the bytes that may come in a second among those who want them. It asks no clock and stops nobody: whoever is
/// granted less than wanted waits until `refill` names it.
///
/// What may be taken grows with time, up to `burst`, so that no window of 5 s has more than 3 % too much. Those who wait
/// take turns, in a circle; a turn is so short that each has one in `round`, unless that would be fewer than
/// `shortestTurn` bytes. A turn that was cut short is gone on with first. Who has a turn and nothing to take holds up
/// nobody: what may be taken is common to all.
struct BandwidthShares {
  typealias Member = HTTPExchange.ID

  /// How often bytes are given out.
  static let refillInterval = Duration.milliseconds(20)
  /// How much may be saved up while nobody wants it, as the time in which it comes.
  static let burst = Duration.milliseconds(150)
  /// In what time each of those who wait is to have a turn.
  static let round = Duration.milliseconds(100)
  static let shortestTurn = 512
  static let longestTurn = 256 << 10

  /// 0 for no limit.
  private(set) var bytesPerSecond: Int64 = 0
  /// What may be taken now, in bytes.
  private var credit = 0.0
  private var lastRefill: SuspendingClock.Instant
  /// What is left of a member's turn; 0 once it is over, which the next refill ends.
  private var turns: [Member: Int] = [:]
  /// Who waits in the middle of a turn, and who for the next one.
  private var cutShort: [Member] = []
  private var waiting: [Member] = []

  init(now: SuspendingClock.Instant = .now) {
    lastRefill = now
  }

  var isLimited: Bool { bytesPerSecond > 0 }

  /// When `refill` is to be called next; nil while nobody waits.
  var nextRefill: SuspendingClock.Instant? {
    cutShort.isEmpty && waiting.isEmpty ? nil : isLimited ? lastRefill + Self.refillInterval : lastRefill
  }

  /// From now on this rate counts; 0 for no limit.
  mutating func limit(bytesPerSecond rate: Int64, now: SuspendingClock.Instant) {
    guard rate != bytesPerSecond else { return }
    // What was saved up at a high rate would be many seconds of a low one.
    bytesPerSecond = rate
    (credit, lastRefill) = (0, now)
    turns = [:]
  }

  /// How many of these bytes may be taken now. With fewer than asked for, the member waits.
  mutating func take(upTo wanted: Int, for member: Member) -> Int {
    guard isLimited, wanted > 0 else { return wanted }
    // A newcomer does not jump the queue. Nor does who had a turn: others that were named may not have begun theirs.
    let turn = turns[member] ?? (waiting.isEmpty && cutShort.isEmpty ? turnLength : 0)
    let granted = min(wanted, turn, Int(credit))
    credit -= Double(granted)
    turns[member] = turn - granted
    if granted < wanted {
      if turn > granted { cutShort.append(member) } else { waiting.append(member) }
    }
    return granted
  }

  /// So many granted bytes could not be taken after all.
  mutating func giveBack(_ bytes: Int, of member: Member) {
    guard isLimited else { return }
    credit += Double(bytes)
    turns[member, default: 0] += bytes
  }

  /// The member has ended.
  mutating func remove(_ member: Member) {
    turns[member] = nil
    cutShort.removeAll { $0 == member }
    waiting.removeAll { $0 == member }
  }

  /// Lets what may be taken grow, if it is time: who is to go on, in this order.
  mutating func refill(now: SuspendingClock.Instant) -> [Member] {
    guard isLimited else { return resumeAll() }
    let elapsed = now - lastRefill
    guard elapsed >= Self.refillInterval else { return [] }
    lastRefill = now
    credit = min(bytes(in: Self.burst), credit + bytes(in: elapsed))
    var budget = Int(credit)
    // After a late refill there is more to give out than turns are long.
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

  /// How long a turn is, given how many wait.
  private var turnLength: Int {
    let share = bytes(in: Self.round) / Double(max(1, cutShort.count + waiting.count))
    return min(Self.longestTurn, max(Self.shortestTurn, Int(share)))
  }

  private func bytes(in duration: Duration) -> Double {
    Double(bytesPerSecond) * (duration / .seconds(1))
  }
}

/// The driver's one division of bytes, for all its transfers. Confined to its thread.
final class BandwidthGate {
  var shares = BandwidthShares()
}
