import Flux
import Testing

@testable import PodfluxCore

/// The transition table as clients see it: every state × every intent.
@Suite("Transitions by intent")
struct TransitionTests {
  /// The expected result of an intent: the new state, no change, removed, or refused.
  enum Expected: Sendable {
    case becomes(DownloadState.Kind)
    case stays
    case goes
    case refused
  }

  struct Cell: Sendable, CustomTestStringConvertible {
    var start: Start
    var intent: Intent
    var expected: Expected

    var testDescription: String { "\(start) \(intent)" }
  }

  enum Start: String, CaseIterable, Sendable {
    case queued, waiting, connecting, receiving, publishing, paused, completed, failed
  }

  enum Intent: String, CaseIterable, Sendable {
    case pause, resume, retry, cancel, remove

    func on(_ selection: DownloadIntent.Selection) -> Action {
      switch self {
      case .pause: .downloads(.pause(selection))
      case .resume: .downloads(.resume(selection))
      case .retry: .downloads(.retry(selection))
      case .cancel: .downloads(.cancel(selection))
      case .remove: .downloads(.remove(selection, deletingFile: true))
      }
    }
  }

  /// Columns: pause, resume, retry, cancel, remove.
  static let table: [Start: [Expected]] = [
    .queued: [.becomes(.paused), .stays, .stays, .goes, .goes],
    .waiting: [.becomes(.paused), .stays, .becomes(.running), .goes, .goes],
    .connecting: [.becomes(.paused), .stays, .stays, .goes, .goes],
    .receiving: [.becomes(.paused), .stays, .stays, .goes, .goes],
    .publishing: [.refused, .stays, .stays, .goes, .goes],
    .paused: [.stays, .becomes(.running), .refused, .goes, .goes],
    .completed: [.refused, .refused, .refused, .refused, .goes],
    .failed: [.refused, .becomes(.running), .becomes(.running), .goes, .goes],
  ]

  static let cells = Start.allCases.flatMap { start in
    zip(Intent.allCases, table[start] ?? []).map { Cell(start: start, intent: $0, expected: $1) }
  }

  private func world(with start: Start) throws -> (World, DownloadID) {
    let world = try World { $0.maxConcurrent = 1 }
    if start == .queued { try world.enqueue("blocker", host: "other.example") }
    let id = try world.enqueue("x", paused: start == .paused)
    switch start {
    case .queued, .paused, .connecting: break
    case .waiting: try world.report(id, .failed(.lost, kept: nil))
    case .receiving: try world.report(id, .checkpoint(.sample(durable: 10)))
    case .publishing: try world.report(id, .publishing(.sample(), kept: .sample(durable: 1_000)))
    case .completed: try world.finish(id, as: .sample())
    case .failed: try world.report(id, .failed(.missing, kept: nil))
    }
    return (world, id)
  }

  @Test("The table covers every state and every intent")
  func coverage() {
    #expect(Self.cells.count == Start.allCases.count * Intent.allCases.count)
  }

  @Test("An intent for one download follows the table, or is refused", arguments: cells)
  func one(cell: Cell) throws {
    let (world, id) = try world(with: cell.start)
    let before = try world.row(id)
    let revision = world.dispatcher.position.revision
    switch cell.expected {
    case .becomes(let kind):
      #expect(try world.send(cell.intent.on(.one(id))) == .affected(1))
      #expect(try world.state(id).kind == kind)
    case .stays:
      #expect(try world.send(cell.intent.on(.one(id))) == .affected(0))
      #expect(try world.row(id) == before)
    case .goes:
      #expect(try world.send(cell.intent.on(.one(id))) == .affected(1))
      #expect(try world.download(id) == nil)
    case .refused:
      #expect(try refusalCode { try world.send(cell.intent.on(.one(id))) } == .illegalTransition)
      #expect(try world.row(id) == before)
      #expect(world.dispatcher.position.revision == revision)
    }
  }

  @Test("The same intent for several, or for all, skips those that it does not apply to", arguments: cells)
  func several(cell: Cell) throws {
    for isAll in [false, true] {
      let (world, id) = try world(with: cell.start)
      let before = try world.row(id)
      // A paused blocker must not count: only `id` matters.
      let others = world.downloads.counts.values.reduce(0, +) - 1
      let reply = try world.send(cell.intent.on(isAll ? .all : .many([id, id, try .named("absent")])))
      let affected = try #require(reply?.affected)
      switch cell.expected {
      case .becomes, .goes: #expect(affected == 1 || (isAll && affected == 1 + others))
      case .stays, .refused:
        #expect(affected == 0)
        #expect(try world.row(id) == before)
      }
      if case .goes = cell.expected { #expect(try world.download(id) == nil) }
    }
  }

  @Test("A missing download is not found", arguments: Intent.allCases)
  func notFound(intent: Intent) throws {
    let world = try World()
    let absent = try DownloadID.named("absent")
    #expect(try refusalCode { try world.send(intent.on(.one(absent))) } == .notFound)
    #expect(try world.send(intent.on(.many([absent]))) == .affected(0))
    #expect(try world.send(intent.on(.all)) == .affected(0))
  }

  @Test("A bulk change equals changes one by one", arguments: Intent.allCases)
  func bulkEqualsSingles(intent: Intent) throws {
    let (bulk, ids) = try worldWithOneOfEach()
    let (singles, _) = try worldWithOneOfEach()
    let reply = try bulk.send(intent.on(.all))
    #expect(try singles.send(intent.on(.many(ids))) == reply)
    for id in ids {
      #expect(try bulk.download(id) == singles.download(id))
    }
    #expect(Set(bulk.deletions.map(\.download)) == Set(singles.deletions.map(\.download)))
    #expect(Set(bulk.deletions.map(\.file)) == Set(singles.deletions.map(\.file)))
  }

  private func worldWithOneOfEach() throws -> (World, [DownloadID]) {
    let world = try World {
      $0.maxConcurrent = 1
      $0.maxAttempts = 3
    }
    var ids: [DownloadID] = []
    for (name, news) in [
      ("waiting", AttemptReport.News.failed(.lost, kept: .sample(durable: 5))),
      ("failed", .failed(.missing, kept: nil)),
    ] {
      let id = try world.enqueue(name)
      try world.report(id, news)
      ids.append(id)
    }
    let completed = try world.enqueue("completed")
    try world.finish(completed, as: .sample())
    ids.append(completed)
    ids.append(try world.enqueue("paused", paused: true))
    ids.append(try world.enqueue("imported", paused: true, resume: .sample(durable: 3)))
    ids.append(try world.enqueue("running"))
    ids.append(try world.enqueue("queued"))
    return (world, ids)
  }

  @Test("The state machine allows exactly these transitions")
  func canBecome() throws {
    let file = try PublishedFile.sample()
    let states: [DownloadState] = [
      .queued, .waiting(.retry(at: World.beginning, after: .lost)),
      .waiting(.storage(until: World.beginning, after: .lost)), .running(.connecting), .running(.receiving),
      .running(.publishing(file)), .paused, .completed(file), .failed(.missing),
    ]
    let ways = """
      .  . x x . . x x .
      x  . . . . . x x .
      x  . x . . . x x .
      x  x x x x x x . x
      x  x x x x x x . x
      x  x x . . x x x x
      x  . . . . . . x .
      .  . . . . . . x .
      x  . . . . . . x .
      """
    let rows = ways.split(separator: "\n").map { $0.split(separator: " ").map { $0 == "x" } }
    for (from, row) in zip(states, rows) {
      for (to, isAllowed) in zip(states, row) {
        #expect(from.canBecome(to) == isAllowed, "\(from.kind) → \(to.kind)")
      }
    }
  }

  @Test("A completed download can fail only because of damage")
  func onlyDamageFailsTheCompleted() throws {
    let completed = DownloadState.completed(try .sample())
    for code in DownloadError.Code.allCases {
      #expect(completed.canBecome(.failed(DownloadError(code, ""))) == (code == .corruptFile))
    }
  }

  @Test("Only the announced file can be completed")
  func onlyTheAnnouncedFile() throws {
    let announced = DownloadState.running(.publishing(try .sample(inode: 1)))
    #expect(!announced.canBecome(.completed(try .sample(inode: 2))))
  }
}

extension Reply {
  var affected: Int? {
    if case .affected(let number) = self { number } else { nil }
  }
}
