import Flux
import Testing

@testable import PodfluxCore

@Suite("The cellular budget")
struct BudgetTests {
  private let world: World
  private let february = Timestamp.on(2027, 1, 31, 23)

  init() throws {
    world = try World { $0.cellularBudgetBytesPerMonth = 1000 }
    try world.send(.localTime(.berlin))
    try world.send(.networkPath(.cellular))
  }

  @Test("Bytes over cellular count; a spent budget stops downloads over cellular until the next month")
  func used() throws {
    let id = try world.enqueue("a", may: .any)
    try world.fetch(999, by: id)
    #expect(world.network.usage == CellularUsage(month: 2027 * 12, bytes: 999))
    #expect(world.stopped.isEmpty)
    try world.fetch(1, by: id)
    let spent = SpentBudget(usedBytes: 1000, budgetBytes: 1000, until: february)
    #expect(world.stopped.map(\.download) == [id])
    #expect(try world.obstacle(id) == .budget(spent))
    #expect(world.downloads.nextMoment == february)
    try world.endStopped()
    #expect(world.started.isEmpty)
    world.clock.wall = february
    try world.send(.timeCame)
    #expect(world.started == ["a"])
    try world.fetch(7, by: id)
    #expect(world.network.usage == CellularUsage(month: 2027 * 12 + 1, bytes: 7))
  }

  @Test("Another path, a larger budget or none lets them continue", arguments: 0...2)
  func ended(way: Int) throws {
    let id = try world.enqueue("a", may: .any)
    try world.fetch(1000, by: id)
    try world.endStopped()
    switch way {
    case 0: try world.send(.networkPath(.wifi))
    case 1: try world.set { $0.cellularBudgetBytesPerMonth = 1001 }
    default: try world.set { $0.cellularBudgetBytesPerMonth = 0 }
    }
    #expect(world.started == ["a"])
  }

  @Test("A clock that is set back restores no budget")
  func clockSetBack() throws {
    let id = try world.enqueue("a", may: .any)
    try world.fetch(600, by: id)
    world.clock.wall = .on(2026, 12, 15)
    try world.fetch(400, by: id)
    #expect(world.network.usage == CellularUsage(month: 2027 * 12, bytes: 1000))
    #expect(world.stopped.map(\.download) == [id])
  }

  @Test("A month that a wrong clock has shown is given up, and its bytes count in the present one")
  func clockAhead() throws {
    let id = try world.enqueue("a", may: .any)
    let right = world.clock.wall
    world.clock.wall = .on(2028, 2, 20)
    try world.fetch(600, by: id)
    #expect(world.network.usage == CellularUsage(month: 2028 * 12 + 1, bytes: 600))
    world.clock.wall = right
    try world.fetch(100, by: id)
    #expect(world.network.usage == CellularUsage(month: 2027 * 12, bytes: 700))
    try world.fetch(300, by: id)
    try world.endStopped()
    let spent = SpentBudget(usedBytes: 1000, budgetBytes: 1000, until: february)
    #expect(try world.obstacle(id) == .budget(spent))
    world.clock.wall = february
    try world.send(.timeCame)
    #expect(world.started == ["a"])
  }

  @Test("Such a month is given up also where no byte comes", arguments: [false, true])
  func clockAheadBefore(isAtStart: Bool) throws {
    let id = try world.enqueue("a", may: .any)
    let right = world.clock.wall
    world.clock.wall = .on(2028, 2, 20)
    try world.fetch(1000, by: id)
    world.clock.wall = right
    if isAtStart { try world.restart() } else { try world.send(.timeCame) }
    #expect(world.network.usage == CellularUsage(month: 2027 * 12, bytes: 1000))
    #expect(try world.database.read { try $0.network() } == world.network)
  }

  @Test("A clock that begins in 1970 opens no new month when it is set right")
  func clockInThePast() throws {
    let id = try world.enqueue("a", may: .any)
    try world.fetch(1000, by: id)
    try world.endStopped()
    let right = world.clock.wall
    world.clock.wall = Timestamp(milliseconds: 0)
    try world.send(.timeCame)
    world.clock.wall = right
    try world.send(.timeCame)
    #expect(world.network.usage == CellularUsage(month: 2027 * 12, bytes: 1000))
    #expect(world.started.isEmpty)
  }

  @Test("Bytes over other paths, and reports of superseded attempts, do not count")
  func others() throws {
    let former = try world.enqueue("a", may: .any)
    let attempt = try #require(world.attempts[former])
    try world.report(former, .stopped(kept: nil))
    try world.send(.attempt(AttemptReport(attempt: attempt.id, news: .stopped(kept: nil), fetched: 500)))
    #expect(world.network.usage.bytes == 0)
    try world.send(.networkPath(.wifi))
    try world.endStopped()
    try world.fetch(500, by: former)
    #expect(world.network.usage.bytes == 0)
  }

  @Test("A report of an attempt over cellular counts after a path change too")
  func late() throws {
    let id = try world.enqueue("a", may: .any)
    let attempt = try #require(world.attempts[id])
    try world.send(.networkPath(.wifi))
    try world.send(.attempt(AttemptReport(attempt: attempt.id, news: .stopped(kept: nil), fetched: 500)))
    #expect(world.network.usage.bytes == 500)
  }

  @Test("A sum saturates")
  func overflow() throws {
    try world.set { $0.cellularBudgetBytesPerMonth = 0 }
    let id = try world.enqueue("a", may: .any)
    try world.fetch(.max, by: id)
    try world.fetch(.max, by: id)
    #expect(world.network.usage.bytes == .max)
  }
}
