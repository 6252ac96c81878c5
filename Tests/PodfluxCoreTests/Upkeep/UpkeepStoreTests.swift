import Flux
import Testing

@testable import PodfluxCore

@Suite("The upkeep store")
struct UpkeepStoreTests {
  private let world: World

  init() throws {
    world = try World()
  }

  /// The upkeep effects of the last turn.
  private var orders: [(folders: [LibraryPath], day: DailyUpkeep?)] {
    world.effects.compactMap { if case .runUpkeep(let folders, let day) = $0 { (folders, day) } else { nil } }
  }

  private func beginNextDay() throws {
    world.advance(seconds: 86_400)
    try world.send(.timeCame)
  }

  private var lastDay: Int64? { world.dispatcher.state.upkeep.lastDay }

  @Test("The first start of a library counts as its first upkeep; each later day has one, a start's day too")
  func daily() throws {
    let today = World.beginning.day
    #expect(lastDay == today)
    #expect(orders.isEmpty)
    try world.send(
      .updateSettings(
        {
          var patch = SettingsPatch(); patch.quarantineDays = 7; return patch
        }()))
    try beginNextDay()
    #expect(orders.map(\.day) == [DailyUpkeep(quarantineDays: 7)])
    try world.send(.timeCame)
    #expect(orders.isEmpty)
    try world.send(.upkeepDone(gone: []))
    #expect(lastDay == today + 1)
    #expect(orders.isEmpty)
    try world.restart()
    #expect(orders.isEmpty)
    world.advance(seconds: 3 * 86_400)
    try world.restart()
    #expect(orders.count == 1)
  }

  @Test("What rules want and what has failed for a while is tried again each day, for two weeks; nothing else is")
  func triesAgain() throws {
    func fail(_ name: String, _ origin: Origin, _ code: DownloadError.Code) throws -> DownloadID {
      let id = try DownloadID.named(name)
      try world.send(.downloads(.enqueue(.init(id: id, address: try .on("a.example", name), origin: origin))))
      try world.report(id, .failed(DownloadError(code, "no"), kept: nil))
      #expect(try world.row(id).state.kind == .failed)
      return id
    }
    let early = try fail("early", .auto, .notFound)
    let others = [try fail("person", .user, .notFound), try fail("gone", .auto, .gone)]
    for _ in 0..<2 {
      try beginNextDay()
      try world.send(.upkeepDone(gone: []))
      #expect(try world.row(early).state.kind == .running)
      try world.report(early, .failed(DownloadError(.notFound, "no"), kept: nil))
      for id in others { #expect(try world.row(id).state.kind == .failed) }
    }
    world.advance(seconds: 13 * 86_400)
    try world.send(.timeCame)
    #expect(try world.row(early).state.kind == .failed)
  }

  @Test("One that a crash interrupted begins again; a late report of it is ignored")
  func crash() throws {
    try beginNextDay()
    #expect(orders.count == 1)
    try world.restart()
    #expect(orders.count == 1)
    try world.send(.upkeepDone(gone: []))
    try world.send(.upkeepDone(gone: []))
    #expect(lastDay == World.beginning.day + 1)
    #expect(orders.isEmpty)
  }

  @Test("A clock that is set back for years does not end it")
  func clockSetBack() throws {
    world.clock.wall = world.clock.wall.advanced(byDays: -1_000)
    try world.send(.timeCame)
    #expect(orders.count == 1)
    try world.send(.upkeepDone(gone: []))
    #expect(lastDay == World.beginning.day - 1_000)
  }

  /// It was retried only at the next start.
  @Test("A failed deletion is retried exactly once a day")
  func deletions() throws {
    let id = try world.enqueue("a")
    try world.finish(id, as: .sample())
    try world.send(.downloads(.remove(.one(id), deletingFile: true)))
    let deletion = try #require(world.deletions.first)
    try world.send(.notDeleted(deletion.key, because: nil))
    for _ in 0..<2 {
      try beginNextDay()
      #expect(world.deletions == [deletion])
      try world.send(.notDeleted(deletion.key, because: nil))
      #expect(world.deletions.isEmpty)
      try world.send(.upkeepDone(gone: []))
      #expect(world.deletions.isEmpty)
    }
    try beginNextDay()
    try world.send(.deleted(deletion.key))
    try world.send(.upkeepDone(gone: []))
    try beginNextDay()
    #expect(world.deletions.isEmpty)
  }

  @Test("Folders are checked in rounds, one per turn; missing ones are removed")
  func folders() throws {
    let count = UpkeepStore.perRound + 3
    try world.database.ledger().transaction { tables in
      for number in 0..<count {
        try tables.upkeep.note(made: [try LibraryPath(validating: "f\(number + 10_000)")])
      }
    }
    try world.restart()
    try beginNextDay()
    let first = try #require(orders.first)
    #expect(first.folders.count == UpkeepStore.perRound)
    try world.send(.upkeepDone(gone: Array(first.folders.prefix(5))))
    let second = try #require(orders.first)
    #expect(second.folders.count == 3)
    #expect(second.day == nil)
    try world.send(.upkeepDone(gone: second.folders))
    #expect(orders.isEmpty)
    let left = try world.database.ledger().transaction { try $0.upkeep.folders(after: "", limit: 1_000) }
    #expect(left == Array(first.folders.dropFirst(5)))
  }

  @Test("It waits until no cleanup runs, and a stopping engine begins none")
  func waits() throws {
    try world.clean()
    try beginNextDay()
    #expect(orders.isEmpty)
    // Woken at a moment that has passed it would be woken again at once, until the cleanup has ended.
    #expect(world.dispatcher.state.upkeep.nextMoment == nil)
    #expect(!world.effects.contains { if case .wake(let moment?) = $0 { moment <= world.clock.wall } else { false } })
    try world.found([])
    #expect(orders.count == 1)
    try world.send(.upkeepDone(gone: []))
    try world.send(.stop(.now))
    try beginNextDay()
    #expect(orders.isEmpty)
  }
}
