import EngineRuntime

/// A client's request to the engine; see `EngineConnection.post`.
package typealias EngineRequest = EngineRuntime.EngineRequest
/// The result of a request, and its revision.
package typealias Response = EngineRuntime.Response
/// A party that may suspend an engine; see `Engine.suspend`.
package typealias Suspender = EngineRuntime.Suspender
