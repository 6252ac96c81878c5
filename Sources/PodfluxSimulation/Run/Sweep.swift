import Dispatch
import Synchronization

/// Many runs on several threads, each with its own world.
package struct Sweep: Sendable {
  /// The result of a sweep.
  package struct Result: Sendable {
    package var runs = 0
    /// The turns of all runs together.
    package var turns = 0
    /// The engine starts of all runs together.
    package var starts = 0
    /// The violations, by seed.
    package var failures: [Simulation.Failure] = []
  }

  /// Every how many runs one is replayed.
  private static let replayInterval: UInt64 = 20

  private let seeds: Range<UInt64>
  private let template: SimulationOptions
  private let threads: Int
  private let failureLimit: Int

  /// A sweep over these seeds with the template's other options.
  ///
  /// - Parameters:
  ///   - threads: How many worlds run at once.
  ///   - failureLimit: Stops early after this many failing runs.
  package init(_ seeds: Range<UInt64>, like template: SimulationOptions, threads: Int, failureLimit: Int = .max) {
    self.seeds = seeds
    self.template = template
    self.threads = threads
    self.failureLimit = failureLimit
  }

  /// Runs all seeds. Calls `began` and `ended` on the worlds' threads.
  package func run(
    began: @escaping @Sendable (UInt64) -> Void = { _ in }, ended: @escaping @Sendable (Result) -> Void = { _ in }
  ) -> Result {
    let progress = Mutex((next: seeds.lowerBound, result: Result()))
    DispatchQueue.concurrentPerform(iterations: threads) { _ in
      while let seed = progress.withLock({ nextSeed(&$0) }) {
        began(seed)
        var options = template
        options.seed = seed
        let outcome = Simulation(options).run(replaying: seed % Self.replayInterval == 0)
        ended(progress.withLock { note(outcome, in: &$0.result) })
      }
    }
    var result = progress.withLock { $0.result }
    result.failures.sort { $0.options.seed < $1.options.seed }
    return result
  }

  private func nextSeed(_ progress: inout (next: UInt64, result: Result)) -> UInt64? {
    guard progress.next < seeds.upperBound, progress.result.failures.count < failureLimit else { return nil }
    defer { progress.next += 1 }
    return progress.next
  }

  private func note(_ outcome: Swift.Result<Simulation.Summary, Simulation.Failure>, in result: inout Result) -> Result
  {
    result.runs += 1
    switch outcome {
    case .success(let summary):
      result.turns += summary.turns
      result.starts += summary.starts
    case .failure(let failure):
      result.turns += failure.turns
      result.failures.append(failure)
    }
    return result
  }
}
