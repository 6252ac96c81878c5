import EngineRuntime
import PodfluxCore

/// Connects and disconnects clients.
extension EngineCore {
  func connect(_ client: any EngineClient, over connection: EngineConnection) {
    client.connected(over: connection, revision: loop.position.revision)
    if let end {
      client.disconnected(.engineStopped(end.reason), revision: end.revision)
    } else {
      clients.add(client, over: connection)
    }
  }

  /// A client has ended its connection. It has heard of the engine's end if that came first.
  func disconnect(_ id: ClientID) {
    endObservation(of: id)
    clients.remove(id)?.disconnected(.closed, revision: loop.position.revision)
  }
}
