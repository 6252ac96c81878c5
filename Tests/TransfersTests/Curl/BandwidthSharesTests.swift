import TestSupport
import Testing

@testable import Transfers

@Suite("Bytes that are limited")
struct BandwidthSharesTests {
  /// A transfer whose origin sends so many bytes per second, in pieces as libcurl hands them over.
  private struct Source {
    var bytesPerSecond: Double
    /// What has come and is not taken yet.
    var pending = 0.0
    var isPaused = false
    var taken: Int64 = 0
  }

  /// What a simulation saw.
  private struct Outcome {
    /// What all had taken, and each, at every step.
    var totals: [Int64] = []
    var each: [[Int64]] = []

    static let stepMilliseconds = 5
    static let window = 5000 / stepMilliseconds

    /// The least and the most of 5 s, as a part of what the rate allows.
    func extremes(bytesPerSecond: Int64) -> (least: Double, most: Double) {
      let allowed = Double(bytesPerSecond) * 5
      let windows = totals.indices.dropLast(Self.window).map { Double(totals[$0 + Self.window] - totals[$0]) / allowed }
      return (windows.min() ?? 0, windows.max() ?? 0)
    }

    /// The least that one of those who wanted all they could get took in any 5 s.
    func leastShare(of members: Range<Int>) -> Double {
      let shares = each.indices.dropLast(Self.window).flatMap { start in
        members.map { Double(each[start + Self.window][$0] - each[start][$0]) }
      }
      return shares.min() ?? 0
    }
  }

  /// Lets members take for so long; the thread is late by up to so many milliseconds.
  private func simulate(
    _ rate: Int64, sources: [Double], seconds: Int, lateBy lateness: Int, seed: UInt64
  ) async -> Outcome {
    var random = SeededRandom(seed: seed)
    let begin = SuspendingClock.now
    var shares = BandwidthShares(now: begin)
    shares.limit(bytesPerSecond: rate, now: begin)
    var members = sources.map { Source(bytesPerSecond: $0) }
    var outcome = Outcome()
    var nextLook = 0
    let step = Double(Outcome.stepMilliseconds) / 1000
    for millisecond in stride(from: 0, to: seconds * 1000, by: Outcome.stepMilliseconds) {
      let now = begin + .milliseconds(millisecond)
      for index in members.indices {
        // What is not taken stands in the way of what is to come: 16 MiB and no more are on the way.
        members[index].pending = min(Double(16 << 20), members[index].pending + members[index].bytesPerSecond * step)
      }
      if millisecond >= nextLook {
        nextLook = millisecond + Int(random.next() % UInt64(lateness + 1))
        for id in shares.refill(now: now) {
          members[Int(id)].isPaused = false
          take(&members[Int(id)], id, from: &shares)
        }
        // libcurl looks at its transfers in an order of its own, always the same.
        for index in members.indices where !members[index].isPaused {
          take(&members[index], HTTPExchange.ID(index), from: &shares)
        }
      }
      // Other tests look at the clock, and want this thread.
      if millisecond % 50 == 0 { await Task.yield() }
      outcome.totals.append(members.reduce(0) { $0 + $1.taken })
      outcome.each.append(members.map(\.taken))
    }
    return outcome
  }

  private func take(_ source: inout Source, _ id: HTTPExchange.ID, from shares: inout BandwidthShares) {
    while source.pending >= 1, !source.isPaused {
      let wanted = min(16 << 10, Int(source.pending))
      let granted = shares.take(upTo: wanted, for: id)
      source.pending -= Double(granted)
      source.taken += Int64(granted)
      source.isPaused = granted < wanted
    }
  }

  struct Case: Sendable {
    var rate: Int64
    var members: Int
  }

  private static let cases = [64 << 10, 1 << 20, 10 << 20, 100 << 20].flatMap { rate in
    [1, 8, 64].map { Case(rate: rate, members: $0) }
  }

  @Test("come within 5 % of the rate in any 5 s, and no transfer has less than half its share", arguments: cases)
  func rates(_ wanted: Case) async {
    let outcome = await simulate(
      wanted.rate, sources: Array(repeating: 1e9, count: wanted.members), seconds: 9, lateBy: 30,
      seed: UInt64(wanted.rate) + UInt64(wanted.members))
    let (least, most) = outcome.extremes(bytesPerSecond: wanted.rate)
    #expect(least > 0.95 && most < 1.05, "\(least) to \(most)")
    let fair = Double(wanted.rate) * 5 / Double(wanted.members)
    #expect(outcome.leastShare(of: 0..<wanted.members) > fair / 2)
  }

  @Test("go to those who want them: slow origins have all they send, and the others share the rest", arguments: 1...4)
  func slowOrigins(seed: UInt64) async {
    let slow = Array(repeating: 10_000.0, count: 6)
    let outcome = await simulate(
      1 << 20, sources: slow + [1e9, 1e9, 1e9], seconds: 9, lateBy: 25, seed: seed)
    let (least, most) = outcome.extremes(bytesPerSecond: 1 << 20)
    #expect(least > 0.95 && most < 1.05, "\(least) to \(most)")
    #expect(outcome.leastShare(of: 0..<6) > 10_000 * 5 * 0.9)
    #expect(outcome.leastShare(of: 6..<9) > (Double(1 << 20) - 60_000) * 5 / 3 * 0.8)
  }

  @Test("are not fewer because the thread is late now and then")
  func late() async {
    let outcome = await simulate(1 << 20, sources: [1e9, 1e9], seconds: 9, lateBy: 140, seed: 7)
    #expect(outcome.extremes(bytesPerSecond: 1 << 20).least > 0.95)
  }

  @Test("are not saved up for longer than the burst")
  func idle() {
    let begin = SuspendingClock.now
    var shares = BandwidthShares(now: begin)
    shares.limit(bytesPerSecond: 1000, now: begin)
    #expect(shares.refill(now: begin + .seconds(60)).isEmpty)
    #expect(shares.take(upTo: 500, for: 1) == 150)
  }

  @Test("go on at once where the limit is lifted, and with what the new rate brings where it changes")
  func changed() {
    let begin = SuspendingClock.now
    var shares = BandwidthShares(now: begin)
    shares.limit(bytesPerSecond: 1000, now: begin)
    #expect(shares.take(upTo: 10, for: 1) == 0)
    #expect(shares.take(upTo: 10, for: 2) == 0)
    shares.limit(bytesPerSecond: 1_000_000, now: begin)
    #expect(shares.refill(now: begin + .milliseconds(10)).isEmpty, "it is not time yet")
    #expect(shares.refill(now: begin + .milliseconds(20)) == [1], "the other one's turn comes when there is more")
    #expect(shares.take(upTo: 30_000, for: 1) == 20_000)
    shares.limit(bytesPerSecond: 0, now: begin)
    #expect(shares.nextRefill == begin, "a transfer waits, and need not")
    #expect(shares.refill(now: begin) == [1, 2])
    #expect(shares.nextRefill == nil)
    #expect(shares.take(upTo: 1 << 30, for: 2) == 1 << 30)
  }

  @Test("do not go to a transfer that has ended, and what was given back is there again")
  func ended() {
    let begin = SuspendingClock.now
    var shares = BandwidthShares(now: begin)
    shares.limit(bytesPerSecond: 10_000, now: begin)
    _ = shares.take(upTo: 10, for: 1)
    _ = shares.take(upTo: 10, for: 2)
    shares.remove(1)
    #expect(shares.refill(now: begin + .milliseconds(20)) == [2])
    #expect(shares.take(upTo: 200, for: 2) == 200)
    shares.giveBack(200, of: 2)
    #expect(shares.take(upTo: 200, for: 2) == 200)
  }
}
