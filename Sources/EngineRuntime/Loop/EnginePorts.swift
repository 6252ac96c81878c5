import Flux
import PodfluxCore

/// What `EngineLoop` needs of the world: clocks and timers, a library to open, and an audience. The product's shell and
/// the simulator each have one.
package typealias EngineHost = EngineTimers & LibraryOpener & EngineAudience

/// The clocks, and the timers of the loop.
package protocol EngineTimers: AnyObject {
  /// Reads both clocks.
  func readClock() -> ClockReading

  /// Has `EngineLoop.fire` called once, so many milliseconds from now; nil for never. It replaces what was set for this
  /// timer before: a timer that was set anew or cancelled does not fire for its former setting.
  func set(_ timer: EngineTimer, afterMilliseconds delay: Int64?)
}

/// A timer of the loop. At most one of each kind is set.
package enum EngineTimer: Int, Hashable, Sendable, CaseIterable {
  /// The stores want to be woken.
  case alarm
  /// Facts of turns that could not be committed are delivered again.
  case redelivery
  /// Attempts that were told to stop have had their time.
  case deadline
  /// A drain has waited long enough for turns that can be committed.
  case drainPatience
}

/// Opens the library, for the first time and after each suspension.
package protocol LibraryOpener: AnyObject {
  /// Opens the library; nothing runs yet.
  ///
  /// - Throws: what a request for it is refused with. Nothing has been changed then, and nothing is open.
  func openLibrary() throws(Refusal) -> any EngineSession
}

/// An open library and its services, from its opening until it is given up. Facts that its services find out go to the
/// loop's mailbox.
package protocol EngineSession: AnyObject {
  /// The stores and the ledger that turns are committed to. The loop alone changes it.
  var dispatcher: Dispatcher<Stores> { get set }

  /// Called once, before the first turn. The recovery becomes the first fact.
  ///
  /// - Parameter path: What a client has said of the path to the network; nil if the services find it out.
  func prepare(reporting path: NetworkPath?) -> Recovery

  /// Called once, behind the first turn: from now on services may find out something by themselves.
  func beginToWork()

  /// Carries an effect out, or begins to. Never called with `.close`, `.tell`, `.wake` or `.announce`: those are the
  /// loop's.
  func carryOut(_ effect: Effect)

  /// A turn could not be committed. Gives up what the session has set aside for a full disk.
  ///
  /// - Returns: Whether the turn is tried once more, at once.
  func makesRoom(after error: any Error) -> Bool

  /// Ends the services and gives the library up: when it returns, nothing of it is open or locked, and no fact comes
  /// any more.
  ///
  /// - Returns: How many downloads are left in each state, as clients see it.
  func close() -> [DownloadState.Kind: Int]
}

/// Receives the events of the engine's life, in the loop's order.
package protocol EngineAudience: AnyObject {
  /// How many requests may be handled in the next delivery.
  func requestLimit() -> Int

  /// A batch has been committed and its requests are answered. Its effects follow.
  func committed(_ batch: CommittedBatch)

  /// The state may have changed. Called behind the effects of a batch.
  func stateChanged()

  /// The engine has done something that people should know.
  func told(_ notice: Notice)

  /// A question about the state.
  ///
  /// - Parameters:
  ///   - client: Who asks.
  ///   - revision: The last committed one.
  /// - Throws: a `Refusal`, or what has kept the database from being read.
  func answer(_ query: Query, for client: ClientID?, at revision: Int64) throws -> Answer

  /// Begins to fetch a feed for a preview. The request is answered later, exactly once, in any case before the session
  /// is given up.
  func preview(_ wish: FeedPreview.Wish, answering request: EngineRequest)

  /// The answers of a delivery have been given.
  func turnEnded()

  /// Something unusual has happened; the product logs it.
  func noticed(_ incident: EngineIncident)

  /// The engine has ended. Every request that was posted before has its answer.
  ///
  /// - Parameter remaining: How many downloads are left in each state, as clients see it.
  func closed(because reason: StopReason, revision: Int64, remaining: [DownloadState.Kind: Int])
}

/// A batch of actions that was committed, and what came of it.
package struct CommittedBatch: Sendable {
  /// The actions: facts first, then those that requests asked for.
  package var actions: [Action]
  /// How many of them are facts.
  package var factCount: Int
  /// What the clocks showed.
  package var clock: ClockReading
  /// The outcomes of the actions, and the effects.
  package var turnout: Dispatcher<Stores>.Turnout
}

/// A batch that could not be committed.
package struct FailedBatch {
  /// What services have found out: it is delivered again.
  package var facts: [Action]
  /// What clients have asked for: it is refused.
  package var intents: [Intent]
  /// Why.
  package var error: any Error
}

/// Something unusual in the loop that is to be logged.
package enum EngineIncident {
  /// A turn could not be committed; whether it is the first of a series.
  case commitFailed(FailedBatch, isFirst: Bool)
  /// Turns can be committed again.
  case commitsSucceedAgain
  /// Attempts that were told to stop have not ended in time.
  case deadlinePassed
  /// The engine is about to end or to be suspended, and the database cannot be written.
  case endUnrecorded
  /// A query could not be answered.
  case queryFailed(any Error)
}
