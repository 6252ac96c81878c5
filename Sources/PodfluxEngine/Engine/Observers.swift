import Dispatch
import Flux
import Logging
import Persistence
import PodfluxCore

/// The inputs of the filters' counts: equal inputs give equal counts.
private struct CountingBasis: Hashable {
  var countsVersion: Int
  var filters: FilterStates
  var obstacles: Obstacles
}

/// Shows observers the state as it changes. Used on the queue of turns only, but for what says otherwise.
///
/// A turn costs observers a flag. What they are shown is read later, at most once in an interval, over a connection of
/// its own that holds fast to one moment, on a queue of its own: however many observers there are, turns go on.
/// Observers of the same at the same interval share one reading. A slow one is shown the latest when it has room again,
/// and nothing between.
final class Observers: @unchecked Sendable {
  // `@unchecked`: `groups` and what belongs to it is touched on `turns` only, `counted` on `reading` only.

  /// Takes in a moment of the state.
  typealias Delivery = @Sendable (ObservedMoment) -> Void

  /// Names an observer.
  typealias Token = Int

  private struct Watch {
    let query: SnapshotQuery
    let hasRoom: @Sendable () -> Bool
    let deliver: Delivery
    let onEnd: @Sendable () -> Void
  }

  /// The observers with the same interval.
  private struct Group {
    var watches: [Token: Watch] = [:]
    /// Whether the next delivery is scheduled.
    var isScheduled = false
    /// Whether something has changed since the state was last read for it.
    var isStale = true
    /// When its observers last got a moment, on the monotonic clock.
    var lastMilliseconds: Int64 = .min
    /// Why the state could not be read the last time, and for how long it is not read again.
    var failure: (reason: String, pauseMilliseconds: Int64)?
  }

  /// The longest time between two readings that fail.
  private static let longestPauseMilliseconds: Int64 = 60_000

  private let turns: DispatchQueue
  private let reading = DispatchQueue(label: "podflux.observers", qos: .utility)
  private let logger: Logger
  private let readStores: () -> (stores: Stores, countsVersion: Int)?
  /// The library while the engine holds it; without one nothing is delivered.
  private var library: OpenLibrary?
  private var reader: MomentReader?
  /// The filters as they were last counted: of a large library, that is most of what observing costs.
  private var counted: (basis: CountingBasis, filters: FiltersSnapshot)?
  private var groups: [Int: Group] = [:]
  private var lastToken = 0
  /// Whether a moment is being read.
  private var isReading = false
  private var isClosed = false

  init(
    turns: DispatchQueue, logger: Logger, readStores: @escaping () -> (stores: Stores, countsVersion: Int)?
  ) {
    self.turns = turns
    self.logger = logger
    self.readStores = readStores
  }

  /// Begins to show observers the state of a library that the engine holds now.
  func attach(_ library: OpenLibrary) {
    self.library = library
    changed()
  }

  /// Shows all observers the last state of the library, and releases it: the engine is about to give it up.
  func detach() {
    guard library != nil else { return }
    do {
      // An observer compares it with what it has seen, and passes on only what is new.
      try tell(groups.values.flatMap(\.watches.values))
    } catch {
      logger.error("observers cannot be told the last state", metadata: ["reason": "\(error)"])
    }
    closeReader()
    library = nil
    // Another engine may change it meanwhile.
    reading.sync { counted = nil }
  }

  /// Shows an observer the state now, and as it changes.
  ///
  /// - Parameters:
  ///   - query: What to show.
  ///   - interval: How long changes are gathered at least, in seconds; bounded by `Observation.intervals`.
  ///   - onEnd: Called when there will be no more: it was removed, or the engine ends.
  ///   - hasRoom: Whether a moment can be taken in now; otherwise a later one is offered.
  ///   - deliver: Called one at a time, on a queue of the observers; `flush` and `close` wait for it in a turn, so that
  ///     it must not wait for the engine.
  func add(
    _ query: SnapshotQuery, interval: Double, hasRoom: @escaping @Sendable () -> Bool = { true },
    onEnd: @escaping @Sendable () -> Void = {}, deliver: @escaping Delivery
  ) -> Token {
    lastToken += 1
    guard !isClosed else {
      onEnd()
      return lastToken
    }
    let milliseconds = Int(Observation.bounded(interval) * 1000)
    groups[milliseconds, default: Group()].watches[lastToken] = Watch(
      query: query, hasRoom: hasRoom, deliver: deliver, onEnd: onEnd)
    // The first state is delivered at once, even if the next delivery has its time already.
    groups[milliseconds]?.lastMilliseconds = .min
    groups[milliseconds]?.isStale = true
    groups[milliseconds]?.isScheduled = false
    schedule(milliseconds)
    return lastToken
  }

  /// Waits for the end of the delivery that is under way, if there is one.
  func waitForReading() {
    reading.sync {}
  }

  /// Ends an observation. A delivery that is under way is not cut off.
  func remove(_ token: Token) {
    for interval in groups.keys {
      groups[interval]?.watches.removeValue(forKey: token)?.onEnd()
      if groups[interval]?.watches.isEmpty == true { groups[interval] = nil }
    }
  }

  /// Notes that the state has changed: observers get a new moment when their intervals have passed.
  func changed() {
    for interval in groups.keys {
      groups[interval]?.isStale = true
      schedule(interval)
    }
  }

  /// Delivers to one observer, now, what has changed since its last delivery. Afterwards it has seen this revision.
  func flush(_ token: Token) throws {
    guard let watch = groups.values.lazy.compactMap({ $0.watches[token] }).first else { return }
    try tell([watch])
  }

  /// Delivers the present moment, and returns when that has been done.
  private func tell(_ watches: [Watch]) throws {
    // A moment that was read before is delivered and released before.
    waitForReading()
    let moment = try hold()
    try reading.sync { try tell(watches, moment) }
  }

  /// Ends all observations.
  func close() {
    isClosed = true
    for watch in groups.values.flatMap(\.watches.values) { watch.onEnd() }
    groups = [:]
  }

  // MARK: Telling

  private func schedule(_ interval: Int) {
    guard library != nil, let group = groups[interval], !group.isScheduled, group.isStale else { return }
    groups[interval]?.isScheduled = true
    let now = Services.clock().monotonicMilliseconds
    let due = group.lastMilliseconds == .min ? now : group.lastMilliseconds + pause(of: group, interval)
    turns.asyncAfter(deadline: .now() + .milliseconds(Int(max(0, due - now)))) { [weak self] in self?.tell(interval) }
  }

  private func tell(_ interval: Int) {
    groups[interval]?.isScheduled = false
    guard library != nil, let group = groups[interval], group.isStale else { return }
    // One moment at a time; the reading that is under way has the others follow.
    guard !isReading else { return }
    let now = Services.clock().monotonicMilliseconds
    // An observer that was added meanwhile was delivered to at once, and all others with it.
    guard group.lastMilliseconds == .min || now >= group.lastMilliseconds + pause(of: group, interval) else {
      return schedule(interval)
    }
    groups[interval]?.isStale = false
    groups[interval]?.lastMilliseconds = now
    do {
      try read(for: group.watches.sorted { $0.key < $1.key }.map(\.value), interval: interval)
    } catch {
      noteFailure(of: interval, because: "\(error)")
      schedule(interval)
    }
  }

  private func read(for watches: [Watch], interval: Int) throws {
    let moment = try hold()
    isReading = true
    if moment.reader.holdsUpTurns {
      // Nothing else holds the moment: turns wait.
      reading.sync { readAndTell(watches, moment, interval: interval) }
    } else {
      reading.async { [self] in readAndTell(watches, moment, interval: interval) }
    }
  }

  /// Delivers to the observers that have room, and has the others follow later. On `reading` only.
  private func readAndTell(_ watches: [Watch], _ moment: Moment, interval: Int) {
    let ready = watches.filter { $0.hasRoom() }
    let isOutstanding = ready.count < watches.count
    let outcome = Result { try tell(ready, moment) }
    turns.async { [self] in
      isReading = false
      if isOutstanding { groups[interval]?.isStale = true }
      switch outcome {
      case .success: groups[interval]?.failure = nil
      case .failure(let error): noteFailure(of: interval, because: "\(error)")
      }
      // The group that has waited longest comes first.
      groups.sorted { $0.value.lastMilliseconds < $1.value.lastMilliseconds }.forEach { schedule($0.key) }
    }
  }

  /// The state cannot be read: it is tried again, after longer and longer, and told once.
  private func noteFailure(of interval: Int, because reason: String) {
    guard let group = groups[interval] else { return }
    if group.failure?.reason != reason {
      logger.error("the state cannot be read for observers", metadata: ["reason": "\(reason)"])
    }
    let pause = min(2 * pause(of: group, interval), max(Self.longestPauseMilliseconds, Int64(interval)))
    groups[interval]?.failure = (reason, pause)
    groups[interval]?.isStale = true
  }

  private func pause(of group: Group, _ interval: Int) -> Int64 {
    group.failure?.pauseMilliseconds ?? Int64(interval)
  }

  /// A moment of the database that a connection holds until `tell` releases it.
  private struct Moment {
    let reader: MomentReader
    let libraryPath: String
    let kept: KeptBytes
    let stores: Stores
    let countsVersion: Int
    let now: Timestamp
  }

  private func hold() throws -> Moment {
    guard let library, let (stores, version) = readStores() else { throw Refusal.isSuspended }
    let reader = try self.reader ?? library.database.momentReader()
    self.reader = reader
    do {
      _ = try reader.hold()
    } catch {
      // A new connection may succeed where this one has failed.
      closeReader()
      throw error
    }
    return Moment(
      reader: reader, libraryPath: library.folder.path, kept: library.kept, stores: stores, countsVersion: version,
      now: Services.clock().wall)
  }

  /// Delivers a moment, and releases it. On `reading` only.
  private func tell(_ watches: [Watch], _ moment: Moment) throws {
    defer { release(moment.reader) }
    var shown: [SnapshotQuery: Result<ObservedMoment, any Error>] = [:]
    for watch in watches {
      let observed =
        shown[watch.query]
        ?? Result {
          ObservedMoment(
            snapshot: try read(watch.query, of: moment), live: moment.stores.downloads.live, time: moment.now)
        }
      shown[watch.query] = observed
      // What cannot be read for one of them may be read for the others.
      if case .success(let observed) = observed { watch.deliver(observed) }
    }
    for observed in shown.values { _ = try observed.get() }
  }

  private func read(_ query: SnapshotQuery, of moment: Moment) throws -> Snapshot {
    var query = query
    let wantsFilters = query.stores.remove(.filters) != nil
    let (stores, now) = (moment.stores, moment.now)
    return try moment.reader.read { tables in
      var snapshot = try tables.snapshot(
        query, library: moment.libraryPath, stores: stores, kept: moment.kept, now: now)
      guard wantsFilters else { return snapshot }
      let basis = CountingBasis(
        countsVersion: moment.countsVersion, filters: stores.filters.states,
        obstacles: stores.downloads.obstacles)
      if let counted, counted.basis == basis {
        snapshot.filters = counted.filters
      } else {
        let filters = try tables.filters(stores, now: now)
        counted = (basis, filters)
        snapshot.filters = filters
      }
      return snapshot
    }
  }

  private func release(_ reader: MomentReader) {
    do {
      try reader.release()
    } catch {
      logger.error("a moment of the database cannot be let go", metadata: ["reason": "\(error)"])
    }
  }

  private func closeReader() {
    do {
      try reader?.close()
    } catch {
      logger.error("the observers' connection cannot be closed", metadata: ["reason": "\(error)"])
    }
    reader = nil
  }
}
