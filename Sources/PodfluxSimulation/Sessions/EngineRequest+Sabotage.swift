import EngineRuntime
import PodfluxCore

extension EngineRequest.Content {
  /// What a sabotaged engine makes of a request whose secret it has kept: the secret stays in the address too.
  ///
  /// - Parameter given: The request as the client gave it.
  func restoringAddress(of given: EngineRequest.Content) -> EngineRequest.Content {
    switch (self, given) {
    case (.intent(.downloads(.update(let id, var update))), .intent(.downloads(.update(_, let given)))):
      update.address = given.address
      return .intent(.downloads(.update(id, update)))
    case (.intent(.podcasts(.update(let id, var update))), .intent(.podcasts(.update(_, let given)))):
      update.address = given.address
      return .intent(.podcasts(.update(id, update)))
    default: return self
    }
  }
}
