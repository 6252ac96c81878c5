import EngineRuntime

/// A client's request to the engine; see `EngineConnection.post`.
public typealias EngineRequest = EngineRuntime.EngineRequest
/// The result of a request, and its revision.
public typealias Response = EngineRuntime.Response
/// A party that may suspend an engine; see `Engine.suspend`.
public typealias Suspender = EngineRuntime.Suspender
