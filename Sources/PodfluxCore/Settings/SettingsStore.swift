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
    guard case .updateSettings(let patch) = action else { return nil }
    let updated = patch.applied(to: settings)
    guard updated.retryFirstSeconds <= updated.retryMaxSeconds else {
      throw Refusal(
        .invalidValue,
        "retryFirstSeconds (\(updated.retryFirstSeconds)) must not exceed retryMaxSeconds (\(updated.retryMaxSeconds))",
        path: patch.retryFirstSeconds == nil ? "payload.retryMaxSeconds" : "payload.retryFirstSeconds")
    }
    settings = updated
    try turn.tables.save(updated)
    return .done
  }
}
