/// Shrinks a failing run for analysis.
package enum Shrinking {
  /// Tries fewer kinds of faults, then fewer downloads, then fewer turns, and keeps each reduction that still violates
  /// the same invariant.
  ///
  /// Cost: about thirty runs.
  package static func shrink(_ failure: Simulation.Failure) -> Simulation.Failure {
    var best = failure
    func attempt(_ change: (inout SimulationOptions) -> Void) {
      var options = best.options
      change(&options)
      guard options != best.options, case .failure(let smaller) = Simulation(options).run(),
        smaller.violation.invariant == best.violation.invariant
      else { return }
      best = smaller
    }
    if best.turns < best.options.turns { attempt { $0.turns = best.turns } }
    for (_, kind) in FaultKinds.named { attempt { $0.faults.remove(kind) } }
    for divisor in [4, 2, 3] { attempt { $0.downloads = max(1, best.options.downloads / divisor) } }
    for _ in 0..<6 { attempt { $0.turns = min(best.options.turns, best.turns) * 3 / 4 } }
    return best
  }
}
