import EngineRuntime

/// Something that a client asks of the engine; see `Engine.post`.
public typealias EngineRequest = EngineRuntime.EngineRequest
/// What became of a request, and the revision at which it did.
public typealias Response = EngineRuntime.Response
/// A party that can want an engine to be suspended; see `Engine.suspend`.
public typealias Suspender = EngineRuntime.Suspender
