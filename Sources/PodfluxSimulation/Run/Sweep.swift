import Dispatch
import Synchronization

/// Many runs, on several threads, each with a world of its own.
public struct Sweep: Sendable {
  /// What a sweep came to.
  public struct Result: Sendable {
    /// How many runs there were.
    public var runs = 0
    /// Turns, all runs together.
    public var turns = 0
    /// Starts of the engine, all runs together.
    public var starts = 0
    /// The runs that failed, by seed.
    public var failures: [Simulation.Failure] = []
  }

  /// Each so many runs one is replayed.
  private static let replayInterval: UInt64 = 20

  private let seeds: Range<UInt64>
  private let template: SimulationOptions
  private let threads: Int
  private let failureLimit: Int

  /// Makes a sweep over these seeds; everything but the seed is the template's.
  ///
  /// - Parameters:
  ///   - threads: How many worlds turn at once.
  ///   - failureLimit: It ends early when so many runs have failed.
  public init(_ seeds: Range<UInt64>, like template: SimulationOptions, threads: Int, failureLimit: Int = .max) {
    self.seeds = seeds
    self.template = template
    self.threads = threads
    self.failureLimit = failureLimit
  }

  /// Runs them all. `began` and `ended` are called on the worlds' threads.
  public func run(
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
