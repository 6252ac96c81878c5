import Foundation
import Synchronization
import Testing
import TestScheduling
import TestSupport

@Suite("Kills", .systemTest)
struct KillTests {
  /// How many rounds run concurrently: their transfers are slow on purpose and cost little.
  private static let lanes = 32
  /// The most bytes that the origin may serve for each byte of the files.
  private static let allowedRatio = 1.15

  @Test("After SIGKILL at a random moment every acknowledged download completes, and little is fetched twice")
  func rounds() throws {
    let seed = try SeededRandom.seed()
    let count = ProcessInfo.processInfo.environment["PODFLUX_KILL_ROUNDS"].flatMap(Int.init) ?? 48
    let next = Mutex(0)
    let cost = Mutex(KillRound.Cost())
    let problems = Mutex<[String]>([])
    onThreads(Self.lanes) {
      while let number = next.withLock({ $0.nextNumber(below: count) }) {
        do {
          var round = try KillRound(number: number, seed: seed)
          let spent = try round.run()
          cost.withLock { $0.add(spent) }
          problems.withLock { $0 += round.problems }
        } catch {
          problems.withLock { $0.append("round \(number): \(error)") }
        }
      }
    }
    let total = cost.withLock { $0 }
    let ratio = Double(total.servedBytes) / Double(max(1, total.neededBytes))
    print("\(count) kills, seed \(seed): served \(total.servedBytes) of \(total.neededBytes) bytes, ratio \(ratio)")
    #expect(problems.withLock { $0 } == [], "PODFLUX_SEED=\(seed) repeats it")
    #expect(ratio <= Self.allowedRatio, "PODFLUX_SEED=\(seed) repeats it")
  }
}
