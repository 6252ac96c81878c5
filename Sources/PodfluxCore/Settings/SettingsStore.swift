import Flux

/// The settings. Others read `settings`; only `updateSettings` changes them.
public struct SettingsStore: Sendable {
  /// What is set now.
  public private(set) var settings: Settings

  /// Makes the store with what its table holds.
  public init(settings: Settings) {
    self.settings = settings
  }

  mutating func handle(_ action: Action, in turn: inout PodfluxTurn) throws -> Reply? {
    if case .recovered = action { turn.perform(.limit(settings.limits)) }
    guard case .updateSettings(let patch) = action else { return nil }
    let updated = try patch.checked(on: settings)
    guard updated.network.podcasts.count <= NetworkClasses.maximumPodcasts else {
      throw Refusal(
        .limitExceeded,
        "something is said of \(NetworkClasses.maximumPodcasts) podcasts at most; set some of them to inherit first",
        path: "payload.network.podcasts")
    }
    for name in patch.network?.podcasts.keys.sorted() ?? [] {
      let policy = updated.network.policy(ofPodcast: name)
      guard policy != settings.network.policy(ofPodcast: name) else { continue }
      try turn.tables.downloads.setNetwork(policy, ofPodcast: name)
    }
    if updated.limits != settings.limits { turn.perform(.limit(updated.limits)) }
    settings = updated
    try turn.tables.save(updated)
    return .done
  }
}

extension Settings {
  /// What all transfers together keep to.
  public var limits: TransferLimits {
    TransferLimits(bytesPerSecond: bytesPerSecond, reserveFreeBytes: reserveFreeBytes)
  }
}
