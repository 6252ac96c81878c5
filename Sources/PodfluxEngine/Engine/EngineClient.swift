import EngineRuntime
import PodfluxCore

/// The program's side of an engine: the engine tells its owner when it is ready, what people are to be told, and when
/// it has ended. Calls come on the engine's queue and must not block. The engine keeps its owner until it has ended.
///
/// ```swift
/// func ready(revision: Int64) { ready.signal() }
/// ```
package protocol EngineOwner: Sendable {
  /// The library is in order and work begins.
  func ready(revision: Int64)
  /// The engine has done something that people should know, such as moving a damaged file.
  func told(_ notice: Notice)
  /// The engine has ended and each client has heard so; the library is free.
  ///
  /// `remaining` is how many downloads are left in each state, as clients see it.
  func closed(because reason: StopReason, revision: Int64, remaining: [DownloadState.Kind: Int])
}

/// One of those that ask an engine and observe it, such as a connection of a socket. `Engine.connect` takes it in; it
/// asks over the `EngineConnection` that `connected` gives it.
///
/// ```swift
/// func connected(over connection: EngineConnection, revision: Int64) { self.connection.withLock { $0 = connection } }
/// ```
///
/// Calls come on the engine's queue, but for what says otherwise, and must not block. A client posts no more requests
/// than it has room for the answers of: then a slow one delays itself only.
package protocol EngineClient: Sendable {
  /// Whether a moment of the state can be taken now. Asked on any queue; it changes nothing.
  var hasRoom: Bool { get }
  /// The engine has taken the client in. It asks over the connection, from now on.
  func connected(over connection: EngineConnection, revision: Int64)
  /// Requests of this client have been answered, or can be posted again that were refused for lack of room. A client
  /// that gathers answers sends them now.
  func turnEnded()
  /// A moment of the state, after `Query.observe`, if there is room. Called one at a time, mostly on another queue than
  /// the rest.
  func observed(_ moment: ObservedMoment)
  /// A turn has been committed, for those who observe actions.
  func committed(_ turn: ObservedTurn)
  /// Nothing comes any more: the client has ended its connection, or the engine has ended.
  func disconnected(_ end: ConnectionEnd, revision: Int64)
}
