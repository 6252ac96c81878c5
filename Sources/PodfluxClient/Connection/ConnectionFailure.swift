/// Why a connection to an engine cannot be used any more.
package enum ConnectionFailure: Error, Hashable, CustomStringConvertible {
  /// The engine has closed the connection; nil if it has not said why.
  case ended(reason: String?)
  /// The engine takes this client not in, and has said why.
  case turnedAway(EngineRefusal)
  /// A line is not of the protocol.
  case malformed(MalformedLine)
  /// A limit of this client is exceeded.
  case overrun(String)
  /// The engine's process is stopped (`SilenceWatch`).
  case silent(SilentEngine)
  /// The caller wants to be done (`ClientConnection.interruption`).
  case interrupted

  /// One sentence for people.
  package var description: String {
    switch self {
    case .ended(nil): "the engine has ended without a word"
    case .ended("signal"?): "the engine was stopped by a signal"
    case .ended("shutdown"?): "the engine was told to stop"
    case .ended(let reason?): "the engine has closed the connection (\(reason))"
    case .turnedAway(let refusal): refusal.message
    case .malformed(let line): "the engine has sent a line that is not of the protocol: \(line)"
    case .overrun(let what): "the engine has sent more than this client takes: \(what)"
    case .silent(let engine): engine.description
    case .interrupted: "interrupted"
    }
  }
}
