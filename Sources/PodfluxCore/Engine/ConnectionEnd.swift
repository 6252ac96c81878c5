/// Why a client's connection to an engine has ended.
package enum ConnectionEnd: Hashable, Sendable {
  /// The engine has ended.
  case engineStopped(StopReason)
  /// The client's connection has ended, and the engine goes on.
  case closed

  /// Every end.
  package static let all: [ConnectionEnd] = StopReason.allCases.map(ConnectionEnd.engineStopped) + [.closed]

  /// Its name in the protocol.
  package var name: String {
    switch self {
    case .engineStopped(let reason): reason.rawValue
    case .closed: "closed"
    }
  }
}
