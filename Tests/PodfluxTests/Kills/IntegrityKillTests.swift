import Foundation
import Synchronization
import Testing
import TestScheduling
import TestSupport

@Suite("Kills with integrity", .systemTestAlone)
struct IntegrityKillTests {
  private static let lanes = 4
  private static let killsPerLibrary = 5
  /// The most that a kill may cost a running transfer: the overlap, and the bytes that had not been written.
  private static let overlap = 64 << 10
  private static let largestWrite = 1 << 20
  private static let writeSeconds = 0.25
  /// Allows for further bytes: the origin counts those in the kernel, a write waits for the sync before it, and the
  /// machine runs other work. The average has no such allowance.
  private static let slackSeconds = 0.5

  @Test("After SIGKILLs in the middle of transfers every file matches its hash, and little is fetched again")
  func kills() throws {
    let seed = try SeededRandom.seed()
    let count = ProcessInfo.processInfo.environment["PODFLUX_INTEGRITY_KILLS"].flatMap(Int.init) ?? 15
    let libraries = (count + Self.killsPerLibrary - 1) / Self.killsPerLibrary
    let next = Mutex(0)
    let refetches = Mutex<[IntegrityLives.Refetch]>([])
    let problems = Mutex<[String]>([])
    onThreads(min(Self.lanes, libraries)) {
      while let number = next.withLock({ $0.nextNumber(below: libraries) }) {
        do {
          let kills = min(Self.killsPerLibrary, count - number * Self.killsPerLibrary)
          var lives = try IntegrityLives(number: number, killCount: kills, seed: seed)
          let cost = try lives.run()
          refetches.withLock { $0 += cost }
          problems.withLock { $0 += lives.problems }
        } catch {
          problems.withLock { $0.append("library \(number): \(error)") }
        }
      }
    }
    #expect(problems.withLock { $0 } == [], "PODFLUX_SEED=\(seed) repeats it")
    check(refetches.withLock { $0 }, kills: count, seed: seed)
  }

  private func check(_ refetches: [IntegrityLives.Refetch], kills: Int, seed: UInt64) {
    #expect(!refetches.isEmpty)
    var figures: [String] = []
    for (rate, refetches) in Dictionary(grouping: refetches, by: \.bytesPerSecond).sorted(by: { $0.key < $1.key }) {
      let bytes = refetches.map(\.bytes)
      let (average, most) = (bytes.reduce(0, +) / bytes.count, bytes.max() ?? 0)
      let limit = Self.overlap + min(Self.largestWrite, Int(Double(rate) * Self.writeSeconds))
      let excuse = Int(Double(rate) * Self.slackSeconds)
      #expect(average <= limit && most <= limit + excuse, "at \(rate) B/s; PODFLUX_SEED=\(seed) repeats it")
      figures.append(
        "at \(rate) B/s \(average) on average, \(most) at most, \(bytes.count { $0 > limit }) of \(bytes.count) above \(limit)"
      )
    }
    print("\(kills) kills with integrity, seed \(seed), bytes fetched again: " + figures.joined(separator: "; "))
  }
}
