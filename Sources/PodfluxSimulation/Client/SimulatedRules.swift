import Flux
import PodfluxCore

/// Random rules, small enough to meet their limits.
enum SimulatedRules {
  static func draw(using random: inout SeededGenerator) -> FeedRules {
    var rules = FeedRules()
    if !random.once(in: 6) {
      rules.autoDownload = .init(
        since: random.once(in: 4) ? .all : .subscribe, newest: random.once(in: 3) ? nil : random.below(4),
        order: random.once(in: 3) ? .oldest : .newest)
      if random.once(in: 6) { rules.autoDownload?.condition = .not(.titleContains(["1"])) }
    }
    if random.once(in: 2) {
      rules.keep = .init(
        newest: random.once(in: 3) ? nil : random.within(1...3), days: random.once(in: 4) ? random.within(1...3) : nil,
        bytes: random.once(in: 4) ? Int64(random.within(1...100_000)) : nil)
    }
    return rules
  }
}
