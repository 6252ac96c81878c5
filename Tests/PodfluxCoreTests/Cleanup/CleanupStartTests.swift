import Flux
import Testing

@testable import PodfluxCore

@Suite("Cleanups at a start, after a crash and at the end")
struct CleanupStartTests {
  private func folders(_ numbers: Range<Int>) -> [CleanupStep] {
    numbers.map { .planned(.emptyFolder(EntryPath(bytes: Array("\($0)".utf8))), .delete) }
  }

  // MARK: At a start

  @Test("Every start runs a cleanup, with the defaults")
  func start() throws {
    let world = try World(cleansUpOnStart: true)
    #expect(world.looking?.cause == .start)
    #expect(world.looking?.options == CleanupOptions())
    try world.found([])
    #expect(world.cleanup.last?.stage == .done)
    try world.restart()
    #expect(world.looking?.cause == .start)
  }

  @Test("A start runs none if switched off; the survey gets the quarantine's expiry")
  func noStart() throws {
    let world = try World { $0.quarantineDays = 14 }
    #expect(!world.cleanup.owesWork)
    try world.restart()
    #expect(world.effects.isEmpty)
    try world.clean()
    #expect(world.effects == [.startSurvey(try #require(world.looking), quarantineDays: 14)])
  }

  @Test("A client's run replaces a start's run during its survey")
  func superseded() throws {
    let world = try World(cleansUpOnStart: true)
    let start = try #require(world.looking).key
    let key = try world.clean(.init(mode: .plan))
    #expect(world.effects.first == .cancelSurvey(start))
    #expect(world.looking?.key == key)
    #expect(world.cleanup.last?.key == start)
    #expect(world.cleanup.last?.stage == .cancelled)
    #expect(world.cleanup.waiting == nil)
  }

  @Test("An engine without a cleanup at its start does not go on with a former engine's", arguments: [false, true])
  func startOfAnother(acts: Bool) throws {
    let world = try World(cleansUpOnStart: true)
    let start = try #require(world.looking).key
    if acts { try world.found(folders(0..<1)) }
    try world.restart(mayCleanUp: false)
    #expect(!world.cleanup.owesWork)
    #expect(world.cleanup.last?.key == start)
    #expect(world.cleanup.last?.stage == .cancelled)
    #expect(!world.effects.contains { if case .startSurvey = $0 { true } else { false } })
    #expect(!world.effects.contains { if case .cleanUp = $0 { true } else { false } })
  }

  @Test("A client's run goes on in an engine without a cleanup at its start", arguments: [false, true])
  func clientsRunAtAnother(acts: Bool) throws {
    let world = try World()
    let key = try world.clean()
    if acts { try world.found(folders(0..<1)) }
    try world.restart(mayCleanUp: false)
    #expect(world.cleanup.active?.key == key)
  }

  @Test("A client's run waits for a start's run that already acts")
  func notSuperseded() throws {
    let world = try World(cleansUpOnStart: true)
    try world.found(folders(0..<1))
    let key = try world.clean()
    #expect(world.cleanup.waiting?.key == key)
    #expect(world.cleanup.active?.cause == .start)
    try world.carryOutSteps()
    #expect(world.looking?.key == key)
  }

  @Test("A client's run replaces a start's run that waits for an earlier one")
  func waitingStart() throws {
    let world = try World(cleansUpOnStart: true)
    try world.found(folders(0..<1))
    try world.restart()
    #expect(world.cleanup.active?.stage == .acting)
    let key = try world.clean()
    #expect(world.cleanup.waiting?.key == key)
    try world.carryOutSteps()
    #expect(world.looking?.key == key)
    try world.found([])
    #expect(!world.cleanup.owesWork)
  }

  @Test("No run begins before the recovery")
  func beforeRecovery() throws {
    let world = try World(isRecovered: false)
    #expect(try refusalCode { try world.clean() } == .storageFailure)
    #expect(try refusalCode { try world.send(.cleanup(.cancel)) } == .storageFailure)
    #expect(world.effects.isEmpty)
  }

  // MARK: After a crash

  @Test("An interrupted survey starts again, and counts nothing twice")
  func crashWhileLooking() throws {
    let world = try World()
    let key = try world.clean(.init(missing: .mark))
    try world.send(.surveyed(key, .found(folders(0..<5))))
    try world.restart()
    #expect(world.looking?.key == key)
    #expect(world.looking?.options.missing == .mark)
    #expect(try world.stepRows().isEmpty)
    try world.found(folders(0..<6))
    #expect(world.tally(.emptyFolder)?.found == 6)
    try world.carryOutSteps()
    #expect(world.tally(.emptyFolder)?.done == 6)
  }

  @Test("A start's interrupted survey starts again, and serves as the next start's run")
  func crashWhileStartLooks() throws {
    let world = try World(cleansUpOnStart: true)
    let first = try #require(world.looking).key
    try world.send(.surveyed(first, .found(folders(0..<5))))
    try world.restart()
    let second = try #require(world.looking).key
    #expect(second == first)
    try world.found(folders(0..<2))
    try world.carryOutSteps()
    #expect(world.cleanup.last?.key == second)
    #expect(world.tally(.emptyFolder)?.found == 2)
    #expect(!world.cleanup.owesWork)
  }

  @Test("A run that was acting continues with the remaining steps")
  func crashWhileActing() throws {
    let world = try World()
    try world.clean()
    try world.found(folders(0..<20))
    try world.send(.cleaned(2, .done))
    try world.send(.cleaned(5, .left("It is too dark.")))
    try world.restart()
    #expect(world.looking == nil)
    #expect(world.steps.keys.sorted() == [1, 3, 4] + (6...18))
    try world.carryOutSteps()
    #expect(world.cleanup.last?.stage == .done)
    #expect(world.tally(.emptyFolder)?.done == 19)
    #expect(world.tally(.emptyFolder)?.left == 1)
  }

  @Test("A waiting run begins when the active one has ended, after a restart too")
  func crashWhileWaiting() throws {
    let world = try World()
    try world.clean()
    try world.found(folders(0..<2))
    let second = try world.clean(.init(orphans: .delete))
    try world.restart()
    #expect(world.cleanup.waiting?.key == second)
    try world.carryOutSteps()
    #expect(world.looking?.key == second)
    #expect(world.looking?.options.orphans == .delete)
  }

  @Test("A client's run that waited is not replaced by a start's")
  func waitingClient() throws {
    let world = try World(cleansUpOnStart: true)
    try world.found(folders(0..<2))
    let key = try world.clean()
    try world.restart()
    #expect(world.cleanup.waiting?.key == key)
  }

  // MARK: At the end

  @Test("A drain waits for the active run, in any stage, and for the waiting one")
  func drain() throws {
    let world = try World()
    try world.clean()
    try world.clean(.init(mode: .plan))
    try world.send(.stop(.drain))
    #expect(world.effects.isEmpty)
    try world.found(folders(0..<2))
    try world.send(.cleaned(1, .done))
    #expect(world.effects.isEmpty)
    try world.send(.cleaned(2, .done))
    #expect(!world.effects.contains(.close))
    try world.found([])
    #expect(world.effects.contains(.close))
  }

  @Test("A drain ends after the last step and its consequences")
  func drainOfDownloads() throws {
    let world = try World()
    let id = try world.enqueue("a")
    try world.finish(id, as: .sample())
    try world.clean()
    try world.send(.stop(.drain))
    try world.found([.planned(.missing(id, .sample()), .redownload)])
    try world.carryOutSteps()
    #expect(world.started == ["a"])
    #expect(!world.effects.contains(.close))
    try world.finish(id, as: .sample())
    #expect(world.effects.contains(.close))
  }

  @Test("Now: no more steps are issued, nothing waits for them, and the next start continues")
  func stopNow() throws {
    let world = try World()
    try world.clean()
    try world.found(folders(0..<20))
    try world.send(.stop(.now))
    #expect(world.effects == [.close])
    try world.send(.cleaned(1, .done))
    #expect(!world.effects.contains { if case .cleanUp = $0 { true } else { false } })
    #expect(try refusalCode { try world.clean() } == .shuttingDown)
    #expect(try refusalCode { try world.send(.cleanup(.cancel)) } == .shuttingDown)
    try world.restart()
    #expect(world.steps.keys.sorted() == Array(2...17))
  }
}
