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
    /// When deliveries are scheduled, on the monotonic clock.
    var timersMilliseconds: Set<Int64> = []
    /// Whether something has changed since the state was last read for it.
    var isStale = true
    /// When its observers last got a moment, on the monotonic clock.
    var lastMilliseconds: Int64 = .min
    var failures = ReadingFailures()

    /// When the state is to be read again for any of its observers.
    func due(every interval: Int64) -> Int64? {
      let isChanged = isStale && watches.values.contains { !failures.contains($0.query) }
      guard let next = isChanged ? .min : failures.nextMilliseconds else { return nil }
      return lastMilliseconds == .min ? next : max(next, lastMilliseconds + interval)
    }
  }

  /// For each query that was to be read, that it was, or why it could not be.
  private typealias Outcomes = [SnapshotQuery: Result<Void, any Error>]

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
    for interval in groups.keys { groups[interval]?.failures = ReadingFailures() }
    changed()
  }

  /// Shows all observers the last state of the library, and releases it: the engine is about to give it up.
  func detach() {
    guard library != nil else { return }
    // An observer compares it with what it has seen, and passes on only what is new.
    for (interval, group) in groups { tell(Array(group.watches.values), interval: interval) }
    closeReader()
    library = nil
    // Another engine may change the library meanwhile.
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
    groups[milliseconds]?.failures.retryNow(query)
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
      guard let watch = groups[interval]?.watches.removeValue(forKey: token) else { continue }
      watch.onEnd()
      guard let rest = groups[interval]?.watches, !rest.isEmpty else {
        groups[interval] = nil
        continue
      }
      if !rest.values.contains(where: { $0.query == watch.query }) { groups[interval]?.failures.forget(watch.query) }
    }
  }

  /// Notes that the state has changed: observers get a new moment when their intervals have passed.
  func changed() {
    for interval in groups.keys {
      groups[interval]?.isStale = true
      schedule(interval)
    }
  }

  /// Delivers to one observer, now, what has changed since its last delivery. Afterwards it has seen this revision,
  /// unless its state cannot be read.
  func flush(_ token: Token) {
    guard let (interval, group) = groups.first(where: { $0.value.watches[token] != nil }),
      let watch = group.watches[token]
    else { return }
    let isOwed = group.failures.contains(watch.query)
    tell([watch], interval: interval)
    guard isOwed else { return }
    // The other observers of the query have not been shown this state either.
    groups[interval]?.isStale = true
    schedule(interval)
  }

  /// Delivers the present moment, and returns when that has been done.
  private func tell(_ watches: [Watch], interval: Int) {
    // A moment that was read before is delivered and released before.
    waitForReading()
    do {
      let moment = try hold()
      note(reading.sync { tell(watches, moment) }, of: interval)
    } catch {
      note(failed(watches, error), of: interval)
    }
  }

  /// Ends all observations.
  func close() {
    isClosed = true
    for watch in groups.values.flatMap(\.watches.values) { watch.onEnd() }
    groups = [:]
  }

  // MARK: Telling

  private func schedule(_ interval: Int) {
    guard library != nil, let group = groups[interval], let due = group.due(every: Int64(interval)) else { return }
    let now = Services.clock().monotonicMilliseconds
    let moment = max(due, now)
    guard group.timersMilliseconds.allSatisfy({ $0 > moment }) else { return }
    groups[interval]?.timersMilliseconds.insert(moment)
    turns.asyncAfter(deadline: .now() + .milliseconds(Int(moment - now))) { [weak self] in
      self?.groups[interval]?.timersMilliseconds.remove(moment)
      self?.tell(interval)
    }
  }

  private func tell(_ interval: Int) {
    guard library != nil, let group = groups[interval], let due = group.due(every: Int64(interval)) else { return }
    let now = Services.clock().monotonicMilliseconds
    // One reading at a time: the end of the running one starts the next.
    guard !isReading else { return }
    // All were delivered to meanwhile, together with an observer that was added.
    guard now >= due else { return schedule(interval) }
    let watches = group.watches.sorted { $0.key < $1.key }.map(\.value).filter {
      group.failures.allows($0.query, at: now) && (group.isStale || group.failures.contains($0.query))
    }
    groups[interval]?.isStale = false
    groups[interval]?.lastMilliseconds = now
    do {
      try read(for: watches, interval: interval)
    } catch {
      note(failed(watches, error), of: interval)
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
    let outcomes = tell(ready, moment)
    turns.async { [self] in
      isReading = false
      if isOutstanding { groups[interval]?.isStale = true }
      note(outcomes, of: interval)
      // The group that has waited longest comes first.
      groups.sorted { $0.value.lastMilliseconds < $1.value.lastMilliseconds }.forEach { schedule($0.key) }
    }
  }

  /// The outcome for observers when no moment can be held.
  private func failed(_ watches: [Watch], _ error: any Error) -> Outcomes {
    Dictionary(watches.map { ($0.query, .failure(error)) }) { first, _ in first }
  }

  /// What cannot be read is tried again, after longer and longer, and logged once.
  private func note(_ outcomes: Outcomes, of interval: Int) {
    guard let group = groups[interval] else { return }
    let watched = Set(group.watches.values.map(\.query))
    let now = Services.clock().monotonicMilliseconds
    var reasons: Set<String> = []
    for (query, outcome) in outcomes where watched.contains(query) {
      switch outcome {
      case .success: groups[interval]?.failures.forget(query)
      case .failure(let error):
        let reason = "\(error)"
        let isNews = groups[interval]?.failures.note(query, because: reason, at: now, interval: Int64(interval))
        if isNews == true { reasons.insert(reason) }
      }
    }
    for reason in reasons.sorted() {
      logger.error("the state cannot be read for observers", metadata: ["reason": "\(reason)"])
    }
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
  private func tell(_ watches: [Watch], _ moment: Moment) -> Outcomes {
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
      // A query that cannot be read does not keep the other queries from being read.
      if case .success(let observed) = observed { watch.deliver(observed) }
    }
    return shown.mapValues { $0.map { _ in } }
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
