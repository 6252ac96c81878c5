import EngineRuntime
import Flux
import Persistence
import PodfluxCore
import TestActions

/// A host that logs, in order, the loop's calls.
final class FakeHost: EngineHost {
  /// The loop's calls, oldest first.
  private(set) var log: [String] = []
  /// The active timers with their delays.
  private(set) var timers: [EngineTimer: Int64] = [:]
  private(set) var session: FakeSession?
  private(set) lazy var loop = EngineLoop(mailbox: mailbox, host: self)
  let mailbox = EngineLoop.EngineMailbox(requestCapacity: 16) {}
  var now: Int64 = 1_000
  /// How far the wall clock is off.
  var wallOffset: Int64 = 0
  /// Why the library cannot be opened; nil if it can.
  var obstacle: Refusal?
  /// Whether transactions fail.
  var isDiskFull = false {
    didSet { session?.ledger.isFull = isDiskFull }
  }
  /// Whether something can be given up when the disk is full.
  var hasRecordsRoom = false
  private let database: LibraryDatabase
  private let answers = Answers()

  init() throws {
    database = try LibraryDatabase.inMemory()
    let session = try FakeSession(database, host: self)
    self.session = session
    loop.begin(holding: session, reporting: nil)
    log = []
  }

  /// Steps until no work is left, and returns the calls.
  func run() -> [String] {
    while loop.step() {}
    return takeLog()
  }

  func takeLog() -> [String] {
    defer { log = [] }
    return log
  }

  func note(_ line: String) {
    log.append(line)
  }

  func request(_ content: EngineRequest.Content, _ name: String) -> EngineRequest {
    answers.host = self
    return EngineRequest(content) { [answers] in answers.host?.note("\(name): \(Self.word(for: $0.outcome))") }
  }

  func post(_ content: EngineRequest.Content, _ name: String) -> Bool {
    mailbox.post(request(content, name))
  }

  private static func word(for outcome: Response.Outcome) -> String {
    switch outcome {
    case .reply: "done"
    case .answer: "answer"
    case .refusal(let refusal): refusal.code.rawValue
    }
  }

  // MARK: EngineTimers

  func readClock() -> ClockReading {
    ClockReading(wall: Timestamp(milliseconds: now + wallOffset), monotonicMilliseconds: now)
  }

  func set(_ timer: EngineTimer, afterMilliseconds delay: Int64?) {
    timers[timer] = delay
  }

  // MARK: LibraryOpener

  func openLibrary() throws(Refusal) -> any EngineSession {
    if let obstacle { throw obstacle }
    do {
      let session = try FakeSession(database, host: self)
      self.session = session
      note("opened")
      return session
    } catch {
      throw Refusal(.storageFailure, "\(error)")
    }
  }

  // MARK: EngineAudience

  func requestLimit() -> Int { 10 }
  func committed(_ batch: CommittedBatch) {
    note("committed \(batch.factCount) facts, \(batch.actions.count - batch.factCount) intents")
  }
  func stateChanged() { note("state changed") }
  func told(_ notice: Notice) { note("told") }
  func answer(_ query: Query, for client: ClientID?, at revision: Int64) throws -> Answer { .unobserving }
  func preview(_ wish: FeedPreview.Wish, answering request: EngineRequest) {
    request.completion(Response(outcome: .answer(.preview(FeedPreview(address: wish.address))), revision: 0))
  }

  func turnEnded() { note("turn ended") }
  func noticed(_ incident: EngineIncident) {
    switch incident {
    case .commitFailed(_, let isFirst): note(isFirst ? "commits begin to fail" : "a commit fails")
    case .commitsSucceedAgain: note("commits succeed again")
    case .deadlinePassed: note("deadline passed")
    case .endUnrecorded: note("end unrecorded")
    case .queryFailed: note("query failed")
    }
  }
  func closed(because reason: StopReason, revision: Int64, remaining: [DownloadState.Kind: Int]) {
    note("closed: \(reason), \(remaining[.queued, default: 0]) queued")
  }
}

/// A library in memory whose services do nothing.
final class FakeSession: EngineSession {
  var dispatcher: Dispatcher<Stores>
  let ledger: FakeLedger
  private unowned let host: FakeHost

  init(_ database: LibraryDatabase, host: FakeHost) throws {
    self.host = host
    let ledger = FakeLedger(database.ledger())
    self.ledger = ledger
    dispatcher = try database.read { tables in
      Dispatcher(state: try tables.stores(), position: try tables.position(), ledger: ledger, seed: 1)
    }
  }

  func prepare(reporting path: NetworkPath?) -> Recovery {
    host.note("prepared, \(path.map { "\($0.status)" } ?? "no path") reported")
    return Recovery(published: [])
  }
  func beginToWork() { host.note("services begin") }
  func carryOut(_ effect: Effect) {
    switch effect {
    case .start(let attempt): host.note("start \(attempt.id.download)")
    case .stop(let id): host.note("stop \(id.download)")
    default: break
    }
  }
  func makesRoom(after error: any Error) -> Bool {
    guard host.hasRecordsRoom else { return false }
    host.note("room is made")
    host.hasRecordsRoom = false
    host.isDiskFull = false
    return true
  }
  func close() -> [DownloadState.Kind: Int] {
    host.note("given up")
    return dispatcher.state.downloads.counts
  }
}

/// A real ledger with a disk that can be full.
final class FakeLedger: Ledger {
  struct Full: Error {}

  var isFull = false
  private let inner: SQLLedger

  init(_ inner: SQLLedger) {
    self.inner = inner
  }

  func transaction<Result>(_ body: (any Tables) throws -> Result) throws -> Result {
    guard !isFull else { throw Full() }
    return try inner.transaction(body)
  }

  func record(_ position: LogPosition) throws {
    try inner.record(position)
  }
}

/// Passes completions to the host.
private final class Answers: @unchecked Sendable {
  // `@unchecked`: a test has one thread.
  weak var host: FakeHost?
}
