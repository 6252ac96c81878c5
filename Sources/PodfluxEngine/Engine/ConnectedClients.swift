import EngineRuntime

/// The clients that are connected to an engine, and what each observes. Used on the queue of turns only.
struct ConnectedClients {
  private struct Entry {
    let client: any EngineClient
    let connection: EngineConnection
    var observation: (shown: ClientObservation, token: Observers.Token)?
  }

  private var entries: [ClientID: Entry] = [:]
  /// The clients whose requests have been answered since the last turn ended.
  private var concerned: Set<ClientID> = []
  /// The clients that observe actions.
  private var observingActionsIDs: Set<ClientID> = []

  var count: Int { entries.count }

  mutating func add(_ client: any EngineClient, over connection: EngineConnection) {
    entries[connection.id] = Entry(client: client, connection: connection)
  }

  /// Removes a client whose observation has ended.
  mutating func remove(_ id: ClientID) -> (any EngineClient)? {
    entries.removeValue(forKey: id)?.client
  }

  /// Removes all, and returns them in the order in which they were connected.
  mutating func removeAll() -> [any EngineClient] {
    defer { (entries, concerned, observingActionsIDs) = ([:], [], []) }
    return entries.sorted { $0.key < $1.key }.map(\.value.client)
  }

  /// A client; nil if it is gone, or about to be.
  func client(_ id: ClientID) -> (any EngineClient)? {
    guard let entry = entries[id], !entry.connection.isEnded else { return nil }
    return entry.client
  }

  // MARK: Turns

  /// A client is to hear of the end of this turn.
  mutating func concern(_ id: ClientID) {
    concerned.insert(id)
  }

  /// Takes those that the end of this turn concerns, in the order in which they were connected.
  mutating func takeConcerned(besides others: Set<ClientID>) -> [any EngineClient] {
    guard !concerned.isEmpty || !others.isEmpty else { return [] }
    defer { concerned.removeAll(keepingCapacity: true) }
    return concerned.union(others).sorted().compactMap { entries[$0]?.client }
  }

  // MARK: Observations

  func observationToken(of id: ClientID) -> Observers.Token? {
    entries[id]?.observation?.token
  }

  mutating func begin(_ observation: ClientObservation, _ token: Observers.Token, of id: ClientID) {
    entries[id]?.observation = (observation, token)
    if observation.includesActions { observingActionsIDs.insert(id) }
  }

  mutating func takeObservation(of id: ClientID) -> (shown: ClientObservation, token: Observers.Token)? {
    defer { entries[id]?.observation = nil }
    observingActionsIDs.remove(id)
    return entries[id]?.observation
  }

  /// The clients that observe actions, in the order in which they were connected.
  var observingActions: [any EngineClient] {
    observingActionsIDs.isEmpty ? [] : observingActionsIDs.sorted().compactMap { entries[$0]?.client }
  }
}
