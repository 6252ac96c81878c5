import Flux
import GRDB
import Persistence
import TestActions
import Testing

@testable import PodfluxCore

/// The real stores on a real SQLite database in memory, with a manual clock.
///
/// `send` is the only input. It collects the effects of the turn, and checks the invariants after every turn
/// (`World+Invariants`).
final class World {
  static let beginning = Timestamp(milliseconds: 1_800_000_000_000)

  let database: LibraryDatabase
  private(set) var dispatcher: Dispatcher<Stores>
  var clock = ClockReading(wall: beginning, monotonicMilliseconds: 1_000)
  /// The effects of the last turn, without announcements, notices, the limits and the sweep without sessions of a
  /// start, and wake-ups that are only for a new day.
  private(set) var effects: [Effect] = []
  /// What the last turn has announced.
  private(set) var announcements: [Announcement.Event] = []
  /// All notices so far.
  private(set) var notices: [Notice] = []
  /// The requested wake-up, unless it is for a new day.
  private var wake: Timestamp?
  /// The attempts that services run: started, and not yet ended.
  private(set) var attempts: [DownloadID: Attempt] = [:]
  /// The verifications that services run: issued, and not yet reported.
  private(set) var verifications: [Verification.Key: Verification] = [:]
  /// The run whose survey services do.
  private(set) var looking: CleanupRun?
  /// The steps that services execute: issued, and not yet reported.
  private(set) var steps: [CleanupStep.Key: CleanupStep] = [:]
  /// Whether to compare the tables with memory after each turn.
  var checksInvariants = true

  /// Opens an empty library, and by default recovers it. It runs no cleanup at its start unless a test wants one: most
  /// are about something else.
  init(
    isRecovered: Bool = true, cleansUpOnStart: Bool = false, _ settings: (inout SettingsPatch) -> Void = { _ in }
  ) throws {
    database = try LibraryDatabase.inMemory()
    try database.ledger().transaction { try $0.save(Self.settings(cleansUpOnStart: cleansUpOnStart)) }
    dispatcher = try Self.dispatcher(on: database)
    if isRecovered { try send(.recovered(Recovery(published: []))) }
    var patch = SettingsPatch()
    settings(&patch)
    if patch != SettingsPatch() { try send(.updateSettings(patch)) }
  }

  var downloads: DownloadsStore { dispatcher.state.downloads }
  var cleanup: CleanupStore { dispatcher.state.cleanup }
  var lifecycle: LifecycleStore { dispatcher.state.lifecycle }

  /// The defaults, except for the arguments of `init`.
  static func settings(cleansUpOnStart: Bool = false) -> Settings {
    var settings = Settings()
    settings.cleanupOnStart = cleansUpOnStart
    return settings
  }

  private static func dispatcher(on database: LibraryDatabase) throws -> Dispatcher<Stores> {
    try database.read { tables in
      Dispatcher(state: try tables.stores(), position: try tables.position(), ledger: database.ledger(), seed: 11)
    }
  }

  // MARK: Given, when

  /// Dispatches one batch, and throws if one of its actions is refused.
  @discardableResult
  func send(_ actions: Action..., at sourceLocation: SourceLocation = #_sourceLocation) throws -> Reply? {
    var reply: Reply?
    for outcome in try dispatch(actions, at: sourceLocation) {
      switch outcome {
      case .handled(let handled): reply = handled
      case .refused(let refusal): throw refusal
      }
    }
    return reply
  }

  /// Dispatches one batch and returns its results.
  @discardableResult
  func dispatch(
    _ actions: [Action], at sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> [Dispatcher<Stores>.Outcome] {
    let turnout = try dispatcher.dispatch(actions, at: clock)
    note(actions)
    announcements = turnout.effects.compactMap { if case .announce(let news) = $0 { news.event } else { nil } }
    notices += turnout.effects.compactMap { if case .tell(let notice) = $0 { notice } else { nil } }
    let isStart = actions.contains { if case .recovered = $0 { true } else { false } }
    effects = turnout.effects.compactMap(withoutDays).filter { effect in
      switch effect {
      case .limit, .session(.sweep(keeping: [])): !isStart
      default: true
      }
    }
    try follow(turnout.effects, at: sourceLocation)
    if checksInvariants { try checkInvariants(at: sourceLocation) }
    return turnout.outcomes
  }

  /// Restarts the engine: memory is gone, the tables stay.
  func restart(
    published: [DownloadID] = [], isRecovered: Bool = true, mayCleanUp: Bool = true, mayDownload: Bool = true
  ) throws {
    dispatcher = try Self.dispatcher(on: database)
    attempts = [:]
    verifications = [:]
    looking = nil
    steps = [:]
    guard isRecovered else { return }
    try send(.recovered(Recovery(published: published, mayCleanUp: mayCleanUp, mayDownload: mayDownload)))
  }

  func advance(seconds: Int64) {
    clock.wall = clock.wall.advanced(byMilliseconds: seconds * 1000)
    clock.monotonicMilliseconds += seconds * 1000
  }

  // MARK: What services do

  private func note(_ actions: [Action]) {
    for case .attempt(let report) in actions
    where report.news.isEnd && attempts[report.attempt.download]?.id == report.attempt {
      attempts[report.attempt.download] = nil
    }
    for case .verified(let verification, _) in actions { verifications[verification.key] = nil }
    for case .cleaned(let key, _) in actions { steps[key] = nil }
  }

  private func withoutDays(_ effect: Effect) -> Effect? {
    switch effect {
    case .announce, .tell: return nil
    case .wake(let moment):
      let isDay = moment.map { $0 == Timestamp(day: $0.day) } ?? false
      defer { wake = isDay ? nil : moment }
      return isDay ? (wake == nil ? nil : .wake(at: nil)) : effect
    default: return effect
    }
  }

  private func follow(_ effects: [Effect], at sourceLocation: SourceLocation) throws {
    for case .start(let attempt) in effects {
      #expect(
        attempts[attempt.id.download] == nil, "two attempts alive for \(attempt.id.download)",
        sourceLocation: sourceLocation)
      attempts[attempt.id.download] = attempt
    }
    for case .verify(let verification) in effects {
      #expect(
        verifications[verification.key] == nil, "\(verification.download) is read twice", sourceLocation: sourceLocation
      )
      verifications[verification.key] = verification
    }
    for effect in effects {
      switch effect {
      case .startSurvey(let run, _): looking = run
      case .cancelSurvey(let key):
        if looking?.key == key { looking = nil }
        steps = [:]
      case .cleanUp(let step):
        #expect(steps[step.key] == nil, "\(step) is carried out twice", sourceLocation: sourceLocation)
        steps[step.key] = step
      default: break
      }
    }
  }
}

extension AttemptReport.News {
  /// Whether the attempt ends with this report.
  var isEnd: Bool {
    switch self {
    case .finished, .failed, .stopped, .pathRefused: true
    case .reading, .checkpoint, .restarting, .publishing: false
    }
  }
}
