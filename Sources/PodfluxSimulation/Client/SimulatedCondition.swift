import Flux
import PodfluxCore

/// The simulated client's conditions: those that depend on the row only, not on cooldowns of hosts.
enum SimulatedCondition {
  /// A random one, about what the engine has now.
  static func pick(among rows: [DownloadID: Download], using random: inout SeededGenerator) -> Condition {
    let kinds: [DownloadState.Kind] = [.paused, .completed, .failed]
    switch random.below(rows.isEmpty ? 5 : 7) {
    case 5: return .ids(some(of: rows, using: &random).map(\.id))
    case 6: return .urls(some(of: rows, using: &random).map(\.address.redacted))
    case 0: return .states([random.pick(kinds)])
    case 1: return .not(.states([random.pick(kinds)]))
    case 2: return .origins([random.pick(Origin.allCases)])
    case 3: return .errorCodes([random.pick(DownloadError.Code.allCases)])
    default: return .any([.states([random.pick(kinds)]), .all([.origins([.user]), .not(.states([.completed]))])])
    }
  }

  private static func some(
    of rows: [DownloadID: Download], using random: inout SeededGenerator
  ) -> [Download] {
    let rows = rows.values.sorted { $0.id < $1.id }
    return (0..<random.within(1...3)).map { _ in random.pick(rows) }
  }

  /// Whether the row meets it.
  ///
  /// - Parameter today: The day of the engine's condition; nil for the client's own, which name no days.
  static func holds(_ condition: Condition, for row: Download, on today: LocalDay? = nil) -> Bool {
    switch condition {
    case .all(let conditions): return conditions.allSatisfy { holds($0, for: row, on: today) }
    case .any(let conditions): return conditions.contains { holds($0, for: row, on: today) }
    case .not(let condition): return !holds(condition, for: row, on: today)
    case .ids(let ids): return ids.contains(row.id)
    case .urls(let urls): return urls.contains(row.address.redacted)
    case .states(let kinds): return kinds.contains(row.state.kind)
    case .origins(let origins): return origins.contains(row.origin)
    case .errorCodes(let codes): return row.state.errorCode.map(codes.contains) ?? false
    case .newerThanDays(let days):
      guard let today else { preconditionFailure("the simulated client does not use \(condition)") }
      let moment = row.description.published?.moment ?? row.dates.added
      return moment >= today.beginning(daysBefore: Int64(days) - 1)
    case .feeds, .reasons, .podcasts, .media, .sizes, .ages, .networks, .titleContains, .published, .olderThanDays,
      .bytes:
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
