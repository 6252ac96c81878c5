import Flux

/// A turn of Podflux's dispatcher.
public typealias PodfluxTurn = Turn<any Tables, Effect>

/// All stores, in the order in which they handle an action. The dispatcher owns them.
public struct Stores: Store {
  /// What Podflux's stores handle.
  public typealias Action = PodfluxCore.Action
  /// What Podflux's stores ask services to do.
  public typealias Effect = PodfluxCore.Effect
  /// The tables behind Podflux's stores.
  public typealias Tables = any PodfluxCore.Tables
  /// What Podflux's clients read.
  public typealias Reply = PodfluxCore.Reply
  /// Why a client's intent is not carried out.
  public typealias Refusal = PodfluxCore.Refusal

  /// The settings.
  public private(set) var settings: SettingsStore
  /// The downloads.
  public private(set) var downloads: DownloadsStore

  /// Makes the stores with what their tables hold.
  public init(settings: SettingsStore, downloads: DownloadsStore) {
    self.settings = settings
    self.downloads = downloads
  }

  /// Hands the action to each store. A store may read those before it.
  public mutating func handle(_ action: Action, in turn: inout PodfluxTurn) throws -> Reply? {
    if case .updateSettings = action { try downloads.refuseUnlessOpen() }
    let settingsReply = try settings.handle(action, in: &turn)
    let downloadsReply = try downloads.handle(action, settings: settings.settings, in: &turn)
    return settingsReply ?? downloadsReply
  }

  /// Fills free slots and hands out what is owed.
  public mutating func settle(in turn: inout PodfluxTurn) throws {
    try downloads.settle(settings: settings.settings, in: &turn)
  }
}
