/// A party that can want an engine to be suspended.
package enum Suspender: Hashable, Sendable {
  /// The program that drives the engine: it said `engine/suspend`, or called for it.
  case client
  /// The system that runs the engine's process: it is about to stop the process, and will continue it.
  case process
}
