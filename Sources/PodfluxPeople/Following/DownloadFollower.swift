import Flux
import PodfluxClient
import PodfluxCore
import WireProtocol

/// Follows downloads until none of them moves any more, from what an engine tells an observer.
///
/// It is told of actions and of a list of downloads that move. Where that leaves a doubt, such as after an attempt that
/// has failed and may be tried again, the caller looks the downloads up (`needsLook`, `look`).
package struct DownloadFollower {
  /// How a followed download has ended, for the follower.
  package enum Outcome: Hashable, Sendable {
    case done(path: String, bytes: Int64)
    case failed(Failure)
    /// Another client or a rule has paused or removed the download.
    case left(String)
    /// The download keeps waiting for something that does not come by itself.
    case waits(String)
  }

  /// A download that moves no more.
  package struct Settled: Hashable, Sendable {
    package let id: String
    package let outcome: Outcome
    /// The item as it was last seen; nil if it never was.
    package let item: DownloadItem?
  }

  /// A file that was deleted with its download.
  package struct DeletedFile: Hashable, Sendable {
    package let path: String
    package let bytes: Int64
  }

  /// How many deleted files are kept, for people to read their names.
  package static let namedFiles = 20

  /// Which downloads are followed.
  package enum Scope: Hashable, Sendable {
    case these
    case all
  }

  package let scope: Scope
  /// The downloads that may move; with the scope `all` those that have been seen moving.
  package private(set) var pending: Set<String>
  package private(set) var library = ObservedLibrary()
  /// The pending downloads that have to be looked up, since they may have stopped moving.
  private var doubtful: Set<String> = []
  private var doubtsAll = false
  /// Whether anything moved at the engine's last word about it; true before its first word.
  private var moves = true
  /// The downloads that have ended, and may still be on the list of those that move.
  private var ended: Set<String> = []
  private var lastSeen: [String: DownloadItem] = [:]
  /// The bytes of the completed downloads.
  package private(set) var doneBytes: Int64 = 0
  package var done: Int { complete.count }
  /// The ids of the completed downloads.
  private var complete: Set<String> = []
  package private(set) var failures: [Failure] = []
  /// The ids of the failed downloads.
  private var failed: Set<String> = []
  package private(set) var left = 0
  /// How many downloads were removed since, those included that had ended before: by rules, or by others.
  package private(set) var removed = 0
  /// The files that were deleted with them, the first `namedFiles`.
  package private(set) var deletedFiles: [DeletedFile] = []
  /// How many files were deleted with them.
  package private(set) var deleted = 0
  /// How many downloads are not waited for any longer, since they wait for something that does not come by itself.
  package var stuck: Int { listedStuck + unlistedStuck }
  /// How many of the stuck downloads were on the engine's list, and were reported one by one.
  private var listedStuck = 0
  /// How many of the stuck downloads the engine's list had no room for.
  package private(set) var unlistedStuck = 0
  /// Whether the follower has given up the downloads that still moved (`giveUp`).
  private var hasGivenUp = false

  /// How many downloads that move are observed: more rows than a terminal shows. The engine reads and writes them anew
  /// up to four times a second while any of them moves.
  private static let listed = 64

  package init(following ids: [String]) {
    (scope, pending) = (.these, Set(ids))
    doubtsAll = true
  }

  /// All downloads of the library.
  package init() {
    (scope, pending) = (.all, [])
  }

  /// The observation that the caller requests from the engine.
  package static var observation: Observation {
    let query = DownloadsQuery(
      condition: .states([.running, .waiting, .queued]), isUnfiltered: true, order: .init(.state, isReversed: true),
      limit: listed)
    return Observation(state: SnapshotQuery(stores: [.downloads], downloads: query), includesActions: true)
  }

  /// Whether nothing moves any more.
  package var isOver: Bool {
    if hasGivenUp { return true }
    return switch scope {
    case .these: pending.isEmpty
    case .all: library.told.contains(.downloads) && library.counts.moving == 0 && !needsLook
    }
  }

  /// Whether downloads are to be looked up.
  package var needsLook: Bool { !doubtful.isEmpty || doubtsAll }

  /// How many have been followed so far.
  ///
  /// Those that were given up and were not listed are among those that move.
  package var count: Int { done + failures.count + left + listedStuck + Int(clamping: moving) }

  /// Whether downloads of the library run.
  package var areRunning: Bool { library.counts[.running] > 0 }

  private var moving: Int64 {
    guard scope == .all else { return Int64(pending.count) }
    return max(0, library.counts.moving - Int64(library.downloads.order.count(where: ended.contains)))
  }

  // MARK: What the engine tells

  package mutating func apply(_ event: ClientConnection.Event) throws -> [Settled] {
    switch event.content {
    case .state(let payload):
      let gone = try library.apply(payload)
      if scope == .these { doubt(gone) }
      ended.formIntersection(library.downloads.order)
      for item in library.downloads.all where follows(item.id) {
        lastSeen[item.id] = item
        if scope == .all { pending.insert(item.id) }
      }
      return []
    case .action(let type, let payload): return try apply(type, payload)
    }
  }

  /// An engine leaves out action lines for which a client has no room, and never lines of state: what has left the list
  /// of what moves, and has not been told to have ended before, is looked up. So is all if nothing moves any more. A
  /// full list is also left by what moves on.
  private mutating func doubt(_ gone: [DownloadItem]) {
    let wasMoving = moves
    moves = library.counts.moving > 0
    let isFull = library.downloads.order.count >= Self.listed
    if !isFull && gone.contains(where: { pending.contains($0.id) }) || (wasMoving && !moves && !pending.isEmpty) {
      doubtsAll = true
    }
  }

  private func follows(_ id: String) -> Bool { scope == .all ? !ended.contains(id) : pending.contains(id) }

  private mutating func apply(_ type: String, _ payload: JSONObject) throws -> [Settled] {
    switch type {
    case "downloads/finished":
      let id = try payload.required("id", JSONObject.string)
      guard follows(id) else { return [] }
      let file = try payload.object("file")
      return finish(
        id, .done(path: try file?.string("path") ?? "", bytes: try file?.integer("length") ?? 0))
    case "downloads/failed":
      let id = try payload.required("id", JSONObject.string)
      if follows(id) { doubtful.insert(id) }
    case "downloads/started", "downloads/waiting":
      let id = try payload.required("id", JSONObject.string)
      doubtful.remove(id)
      ended.remove(id)
    case "downloads/removed":
      let id = try payload.required("id", JSONObject.string)
      removed += 1
      if let file = try payload.object("file") { try note(deleted: file) }
      if follows(id) { return finish(id, .left("removed")) }
    case "downloads/pause", "downloads/cancel", "downloads/remove", "downloads/verified": doubtsAll = scope == .these
    default: break
    }
    return []
  }

  private mutating func note(deleted file: JSONObject) throws {
    deleted += 1
    guard deletedFiles.count < Self.namedFiles else { return }
    deletedFiles.append(
      DeletedFile(
        path: try file.required("path", JSONObject.string), bytes: try file.required("length", JSONObject.integer)))
  }

  private mutating func finish(_ id: String, _ outcome: Outcome) -> [Settled] {
    guard pending.remove(id) != nil || scope == .all else { return [] }
    doubtful.remove(id)
    ended.insert(id)
    switch outcome {
    case .done(_, let bytes):
      complete.insert(id)
      doneBytes = doneBytes.addingClamped(bytes)
    case .failed(let failure):
      failures.append(failure)
      failed.insert(id)
    case .left: left += 1
    case .waits: listedStuck += 1
    }
    return [Settled(id: id, outcome: outcome, item: lastSeen.removeValue(forKey: id))]
  }

  // MARK: What is looked up

  /// Takes in what the source has of the doubtful downloads.
  package mutating func look(at source: some SnapshotSource) throws -> [Settled] {
    let (isWhole, condition) = (doubtsAll, doubtsAll ? Condition.everything : .states([.failed]))
    var wanted = isWhole ? pending.union(doubtful) : doubtful
    (doubtsAll, doubtful) = (false, [])
    var settled: [Settled] = []
    guard !wanted.isEmpty else { return settled }
    try source.forEachDownload(of: wanted.sorted().compactMap { DownloadID($0) }, meeting: condition) { item in
      wanted.remove(item.id)
      lastSeen[item.id] = item
      settled += receive(item)
      return true
    }
    // Of those that have not failed an attempt comes again.
    if isWhole { for id in wanted.sorted() { settled += finish(id, .left("removed")) } }
    return settled
  }

  /// Takes in what has ended unseen: before the first look, or between two of them.
  ///
  /// Cost: what has failed, what moves or moved before, and what was added since.
  ///
  /// - Parameters:
  ///   - failed: Those that had failed before.
  ///   - moving: Those that moved before.
  ///   - end: Where the list of downloads ended then; nil if that is not known.
  package mutating func lookForEnds(
    at source: some SnapshotSource, besides failed: Set<String>, of moving: Set<String>, behind end: EndOfDownloads?
  ) throws -> [Settled] {
    var settled: [Settled] = []
    try source.forEachDownload(.states([.failed]), order: .init(.added)) { item in
      guard !failed.contains(item.id), !self.failed.contains(item.id) else { return true }
      lastSeen[item.id] = item
      settled += receive(item)
      return true
    }
    var wanted = moving.subtracting(complete).subtracting(self.failed)
    if !wanted.isEmpty {
      try source.forEachDownload(.states([.queued, .waiting, .running, .paused]), fields: [.id]) { item in
        wanted.remove(item.id)
        return !wanted.isEmpty
      }
    }
    let gone = wanted.sorted().compactMap { DownloadID($0) }
    try source.forEachDownload(of: gone, meeting: .states([.completed])) { item in
      settled += receiveComplete(item)
      return true
    }
    try end?.forEachLater(.states([.completed]), in: source) { settled += receiveComplete($0) }
    return settled
  }

  private mutating func receiveComplete(_ item: DownloadItem) -> [Settled] {
    guard !complete.contains(item.id) else { return [] }
    lastSeen[item.id] = item
    return receive(item)
  }

  private mutating func receive(_ item: DownloadItem) -> [Settled] {
    switch item.state {
    case .completed:
      finish(item.id, .done(path: item.path ?? "", bytes: item.bytes.total ?? item.bytes.received))
    case .failed: finish(item.id, .failed(item.error ?? Failure(code: "failed", message: "it has failed")))
    case .paused: finish(item.id, .left("paused"))
    case .queued, .waiting, .running, nil: []
    }
  }

  /// Prepares for another connection after a lost one: the engine tells its state again, and the caller looks up the
  /// events in between.
  package mutating func beginAnew() {
    library = ObservedLibrary()
    (doubtsAll, moves, hasGivenUp, unlistedStuck) = (true, true, false, 0)
  }

  // MARK: What does not come by itself

  /// How far away an attempt may be that is waited for, in milliseconds: five minutes. A server can put one off for a
  /// day.
  package static let patienceMilliseconds: Int64 = 300_000

  /// Whether nothing moves but what waits for a login, for room, or for a moment that is far away; where all downloads
  /// are followed, for the network too. Of many that wait the listed ones stand for the rest, until `unlistedNeedHelp`
  /// has looked at all.
  ///
  /// - Parameter now: The time now.
  package func needsHelp(at now: Timestamp) -> Bool {
    guard !isOver, !needsLook, unlisted == 0 || library.counts.onlyWait else { return false }
    let rows = rows
    return !rows.isEmpty && rows.allSatisfy { isHelpless($0, at: now) }
  }

  /// Whether the same is so of each download that the list has no room for.
  ///
  /// Cost: a page of the source for each thousand downloads that wait; nothing if all are listed.
  package func unlistedNeedHelp(at now: Timestamp, in source: some SnapshotSource) throws -> Bool {
    guard unlisted > 0 else { return true }
    var areHelpless = true
    try source.forEachDownload(.states([.waiting]), fields: [.id, .reason, .retryAt]) { item in
      areHelpless = !follows(item.id) || isHelpless(item, at: now)
      return areHelpless
    }
    return areHelpless
  }

  private func isHelpless(_ item: DownloadItem, at now: Timestamp) -> Bool {
    switch item.reason {
    case .auth, .storage: true
    case .network, .policy, .schedule, .budget: scope == .all
    case .retry, .host:
      item.retryAt.map { $0.milliseconds - now.milliseconds > Self.patienceMilliseconds } ?? false
    case nil: false
    }
  }

  /// Whether one of those that are left waits for a login.
  package var waitsForLogins: Bool { rows.contains { $0.reason == .auth } }

  /// Gives up what waits for logins, for room, for the network and for a far moment: a person has closed the one, and
  /// has to make the other. Their downloads wait on. Those that the list has no room for are counted:
  /// `unlistedNeedHelp` has looked at them.
  ///
  /// - Parameter clock: For what is said of those that wait.
  package mutating func giveUp(by clock: PersonalClock) -> [Settled] {
    (hasGivenUp, unlistedStuck) = (true, unlisted)
    let failure = Failure(
      code: DownloadError.Code.unauthorized.rawValue,
      message: "it waits for its login, which is closed; \"podflux sessions\" lists it")
    return rows.flatMap { row in
      finish(row.id, row.reason == .auth ? .failed(failure) : .waits(row.stateWords(by: clock)))
    }
  }

  // MARK: What people see

  /// The downloads that move and are followed.
  ///
  /// The list has the last one first.
  package var rows: [DownloadItem] { library.downloads.all.reversed().filter { follows($0.id) } }

  /// How many move beside the rows.
  package var unlisted: Int { max(0, Int(clamping: moving) - rows.count) }
}
