/// What a store reads of others that has requests made: the podcasts and the sidecars.
package struct RequestContext: Sendable {
  /// The engine's lifecycle: whether it works, suspends or stops.
  var lifecycle: LifecycleStore
  var settings: Settings
  var network: NetworkStore
  /// The obstacles for requests, by host, session and network.
  var obstacles: Obstacles
  var sessions: SessionsView

  /// Copies what this context has of the stores.
  init(_ stores: borrowing Stores) {
    lifecycle = stores.lifecycle
    settings = stores.settings.settings
    network = stores.network
    obstacles = stores.downloads.obstacles
    sessions = stores.sessions.view
  }
}

/// A request that has not ended, or several of one host: how it goes over the network.
struct LiveRequest: Hashable, Sendable {
  /// Host and port.
  let host: String
  /// Whether reaching the host needs a path.
  let needsPath: Bool
  /// Whether its bytes come over cellular.
  let isOverCellular: Bool
  /// The number of the network path that its connections take.
  let pathNumber: Int
  /// The session that it goes with.
  let session: SessionGrant?

  /// A request that is made now.
  init(to host: String, with session: SessionGrant?, reading context: RequestContext) {
    self.host = host
    self.session = session
    needsPath = context.obstacles.needsPath(host)
    isOverCellular = context.network.state.path.interface == .cellular
    pathNumber = context.network.pathNumber
  }

  /// Whether its connections were made over another path than the present one, and it needs one.
  func hasLostPath(reading context: RequestContext) -> Bool {
    needsPath && pathNumber != context.network.pathNumber
  }
}
