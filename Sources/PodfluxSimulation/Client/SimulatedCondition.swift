import Flux
import PodfluxCore

/// The simulated client's conditions: those that depend on the row only, not on cooldowns of hosts.
enum SimulatedCondition {
  /// A random one.
  static func pick(using random: inout SeededGenerator) -> Condition {
    let kinds: [DownloadState.Kind] = [.paused, .completed, .failed]
    switch random.below(5) {
    case 0: return .states([random.pick(kinds)])
    case 1: return .not(.states([random.pick(kinds)]))
    case 2: return .origins([random.pick(Origin.allCases)])
    case 3: return .errorCodes([random.pick(DownloadError.Code.allCases)])
    default: return .any([.states([random.pick(kinds)]), .all([.origins([.user]), .not(.states([.completed]))])])
    }
  }

  /// Whether the row meets it.
  static func holds(_ condition: Condition, for row: Download) -> Bool {
    switch condition {
    case .all(let conditions): conditions.allSatisfy { holds($0, for: row) }
    case .any(let conditions): conditions.contains { holds($0, for: row) }
    case .not(let condition): !holds(condition, for: row)
    case .states(let kinds): kinds.contains(row.state.kind)
    case .origins(let origins): origins.contains(row.origin)
    case .errorCodes(let codes): row.state.errorCode.map(codes.contains) ?? false
    case .reasons, .podcasts, .media, .sizes, .ages, .networks, .titleContains, .published, .newerThanDays,
      .olderThanDays, .bytes:
      preconditionFailure("the simulated client does not use \(condition)")
    }
  }
}

extension DownloadState {
  fileprivate var errorCode: DownloadError.Code? {
    switch self {
    case .failed(let error): error.code
    case .waiting(let waiting): waiting.error.code
    case .queued, .running, .paused, .completed: nil
    }
  }
}
