import Flux
import PodfluxCore

/// The network as clients see it (the article Protocol), and what of it stands in a download's way.
extension JSONWriter {
  mutating func members(of network: NetworkState) {
    let path = network.path
    member("cellularBytesThisMonth", network.usage.bytes)
    member("constrained", path.isConstrained)
    member("device", path.device)
    member("interface", path.interface.rawValue)
    member("metered", path.isMetered)
    member("source", network.source.rawValue)
    member("status", path.status.rawValue)
  }

  mutating func members(of classes: NetworkClasses) {
    member("artwork", classes.artwork.rawValue)
    member("auto", classes.auto.rawValue)
    member("feeds", classes.feeds.rawValue)
    object("podcasts") { $0.members(ofPodcasts: classes.podcasts) }
    member("user", classes.user.rawValue)
  }

  mutating func members(of patch: NetworkClasses.Patch) {
    if let artwork = patch.artwork { member("artwork", artwork.rawValue) }
    if let auto = patch.auto { member("auto", auto.rawValue) }
    if let feeds = patch.feeds { member("feeds", feeds.rawValue) }
    if !patch.podcasts.isEmpty { object("podcasts") { $0.members(ofPodcasts: patch.podcasts) } }
    if let user = patch.user { member("user", user.rawValue) }
  }

  private mutating func members(ofPodcasts policies: [String: NetworkPolicy]) {
    for (name, policy) in policies.sorted(by: { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }) {
      key(escaping: name)
      element(policy.rawValue)
    }
  }

  /// A schedule; the key before it is written already.
  mutating func value(_ schedule: [ScheduleWindow]) {
    elements(schedule) { window, windows in
      windows.object { members in
        members.array("days", window.days) { $1.element($0.rawValue) }
        members.member("from", Self.time(window.from))
        members.member("to", Self.time(window.to))
      }
    }
  }

  private static func time(_ minute: Int) -> String {
    let (hours, minutes) = minute.quotientAndRemainder(dividingBy: 60)
    return (hours < 10 ? "0" : "") + "\(hours):" + (minutes < 10 ? "0" : "") + "\(minutes)"
  }

  // MARK: Reasons

  /// What a waiting download waits for, beyond the reason's name; null where the name says it all.
  mutating func member(_ key: StaticString, _ wait: Wait?) {
    guard let wait else { return member(key, String?.none) }
    object(key) { $0.members(of: wait) }
  }

  mutating func members(of wait: Wait) {
    switch wait {
    case .until(let moment): member("until", moment)
    case .budget(let budget):
      member("budgetBytes", budget.budgetBytes)
      member("until", budget.until)
      member("usedBytes", budget.usedBytes)
    case .storage(let short, let until):
      member("shortBytes", short)
      if let until { member("until", until) }
    }
  }
}

/// What a waiting download waits for, beyond the reason's name.
enum Wait: Hashable {
  /// A moment; nil for an unknown one.
  case until(Timestamp?)
  /// The next month.
  case budget(SpentBudget)
  /// So many more free bytes; at the moment, if any, the engine looks again in any case.
  case storage(shortBytes: Int64?, until: Timestamp?)

  init?(_ obstacle: Obstacle) {
    switch obstacle {
    case .network, .policy, .auth: return nil
    case .budget(let budget): self = .budget(budget)
    case .schedule(let until): self = .until(until)
    case .storage(let short): self = .storage(shortBytes: short, until: nil)
    case .host(let until): self = .until(until)
    }
  }

  init(_ waiting: DownloadState.Waiting) {
    switch waiting {
    case .retry(let moment, _): self = .until(moment)
    case .storage(let until, let error): self = .storage(shortBytes: error.shortBytes, until: until)
    }
  }
}
