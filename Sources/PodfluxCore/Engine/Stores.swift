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

  /// The network.
  public private(set) var network: NetworkStore
  /// Cleaning up.
  public private(set) var cleanup: CleanupStore
  /// The filters.
  public private(set) var filters: FiltersStore
  /// What is looked after each day.
  public private(set) var upkeep: UpkeepStore

  /// When the first of the downloads that wait is looked at again; nil if none waits for a moment.
  public private(set) var awaited: Timestamp?
  /// The moment at which the stores have asked to be woken.
  private var wakeAt: Timestamp?

  /// Makes the stores with what their tables hold.
  public init(
    settings: SettingsStore, downloads: DownloadsStore, network: NetworkStore = .init(),
    cleanup: CleanupStore = .init(), filters: FiltersStore = .init(), upkeep: UpkeepStore = .init()
  ) {
    self.settings = settings
    self.downloads = downloads
    self.network = network
    self.cleanup = cleanup
    self.filters = filters
    self.upkeep = upkeep
  }

  /// Hands the action to each store. A store may read those before it.
  public mutating func handle(_ action: Action, in turn: inout PodfluxTurn) throws -> Reply? {
    switch action {
    case .updateSettings, .filters, .network: try downloads.refuseUnlessOpen()
    case .timeCame: wakeAt = nil
    default: break
    }
    let settingsReply = try settings.handle(action, in: &turn)
    let networkReply = try network.handle(action, in: &turn)
    if let bytes = downloads.fetchedOverCellular(action) { try network.count(bytes, in: turn) }
    let downloadsReply = try downloads.handle(action, settings: settings.settings, cleanup: cleanup, in: &turn)
    // A step of a cleanup is its store's, and changes downloads by theirs.
    let cleanupReply = try cleanup.handle(action, settings: settings.settings, downloads: &downloads, in: &turn)
    let filtersReply = try filters.handle(action, in: &turn)
    try upkeep.handle(action, downloads: &downloads, in: &turn)
    return settingsReply ?? networkReply ?? downloadsReply ?? cleanupReply ?? filtersReply
  }

  /// Fills free slots and hands out what is owed.
  public mutating func endBatch(in turn: inout PodfluxTurn) throws {
    try cleanup.endBatch(settings: settings.settings, downloads: downloads, in: &turn)
    try upkeep.endBatch(
      settings: settings.settings, downloads: &downloads, isCleaning: !cleanup.isIdle, in: &turn)
    network.endBatch(in: &turn)
    try downloads.endBatch(
      settings: settings.settings, network: network, isCleaning: !cleanup.isIdle, in: &turn)
    try filters.endBatch(localTime: network.state.localTime, in: &turn)
    try askForWaking(in: &turn)
  }

  private mutating func askForWaking(in turn: inout PodfluxTurn) throws {
    guard downloads.isScheduling else { return }
    awaited = try downloads.wakeAt(in: turn)
    let next = [awaited, filters.wakeAt, upkeep.wakeAt(isCleaning: !cleanup.isIdle)].compactMap { $0 }.min()
    guard next != wakeAt else { return }
    wakeAt = next
    turn.perform(.wake(at: next))
  }
}
