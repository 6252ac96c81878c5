import Flux

/// Events by which the settings inform other stores.
package enum SettingsEvent: Sendable {
  /// The settings have changed; these are the former ones.
  case changed(from: Settings)
}

/// The settings. Only `updateSettings` changes them.
package struct SettingsStore: DomainStore {
  /// The settings as they are now.
  package private(set) var settings: Settings

  /// Makes the store with what its table holds.
  package init(settings: Settings) {
    self.settings = settings
  }

  /// Changes the settings, and passes the limits of all transfers on when they change and at a start.
  package mutating func handle(_ action: Action, in turn: inout StoreTurn<Self>, reading _: Void) throws -> Reply? {
    if case .recovered = action { turn.perform(.limit(settings.limits)) }
    guard case .intent(.updateSettings(let patch)) = action else { return nil }
    let updated = try patch.checked(on: settings)
    if updated.limits != settings.limits { turn.perform(.limit(updated.limits)) }
    turn.tell(.settings(.changed(from: settings)))
    settings = updated
    try turn.tables.save(updated)
    return .done
  }
}

/// The port of the settings' table. Saving belongs to the turn's transaction.
package protocol SettingsTables {
  /// Writes the settings.
  func save(_ settings: Settings) throws
}

extension SettingsTables where Self: ForwardingTables {
  /// To the tables behind, unchanged.
  package func save(_ settings: Settings) throws { try inner.save(settings) }
}

extension Settings {
  /// What all transfers together keep to.
  package var limits: TransferLimits {
    TransferLimits(bytesPerSecond: bytesPerSecond, reserveFreeBytes: reserveFreeBytes)
  }
}
