import Flux
import Testing

@testable import PodfluxCore

@Suite("Cleanup runs")
struct CleanupStoreTests {
  /// Steps that no row contradicts.
  private func folders(_ numbers: Range<Int>) -> [CleanupStep] {
    numbers.map { .planned(.emptyFolder(EntryPath(bytes: Array("\($0)".utf8))), .delete) }
  }

  private func found(_ numbers: Range<Int>, _ world: World) throws {
    try world.send(.surveyed(try #require(world.looking?.key), .found(folders(numbers))))
  }

  private func looked(_ world: World, remark: String? = nil) throws {
    let usage = CleanupRun.Usage(media: 5)
    try world.send(.surveyed(try #require(world.looking?.key), .complete(usage, remark: remark)))
  }

  // MARK: From beginning to end

  @Test("A run surveys in pages, then acts, with a limited number of concurrent steps, in order")
  func wholeRun() throws {
    let world = try World()
    let options = CleanupOptions(missing: .mark, orphans: .report, isDeep: true)
    let key = try world.clean(options)
    #expect(world.cleanup.active?.stage == .looking)
    #expect(world.cleanup.active?.askedAt == World.beginning)
    #expect(world.effects == [.startSurvey(try #require(world.cleanup.active), quarantineDays: 0)])
    #expect(world.looking?.options == options)
    for portion in [0..<15, 15..<30, 30..<40] {
      try found(portion, world)
      #expect(world.effects == [.nextSurveyPage(key)])
    }
    #expect(world.tally(.emptyFolder)?.found == 40)
    try looked(world, remark: "There is more.")
    #expect(world.cleanup.active?.stage == .acting)
    #expect(world.cleanup.active?.usage == CleanupRun.Usage(media: 5))
    #expect(world.steps.keys.sorted() == Array(1...16))
    try world.send(.cleaned(3, .done))
    #expect(world.effects.count == 1)
    #expect(world.steps.keys.max() == 17)
    try world.dispatch([.cleaned(1, .done), .cleaned(2, .left("It is too dark.")), .cleaned(4, .done)])
    #expect(world.steps.keys.sorted() == Array(5...20))
    world.advance(seconds: 9)
    try world.carryOutSteps()
    #expect(world.effects == [.cancelSurvey(key)])
    #expect(!world.cleanup.owesWork)
    let last = try #require(world.cleanup.last)
    #expect(last.stage == .done)
    #expect(last.reason == "There is more.")
    #expect(last.endedAt == World.beginning.advanced(byMilliseconds: 9_000))
    #expect(world.tally(.emptyFolder)?.done == 39)
    #expect(world.tally(.emptyFolder)?.left == 1)
    let rows = try world.stepRows()
    #expect(rows.map(\.status) == (1...40).map { $0 == 2 ? .left : .done })
    #expect(rows[1].because == "It is too dark.")
  }

  @Test("A run without findings is done at once")
  func nothingFound() throws {
    let world = try World()
    try world.cleanUp([])
    #expect(world.cleanup.last?.stage == .done)
    #expect(world.cleanup.last?.tallies == [:])
  }

  @Test("A plan lists its findings, and does nothing")
  func plan() throws {
    let world = try World()
    let id = try world.enqueue("a")
    try world.finish(id, as: .sample())
    let before = try world.row(id)
    try world.clean(.init(mode: .plan))
    try world.found([.planned(.missing(id, .sample()), .forget)] + folders(0..<3))
    #expect(world.steps.isEmpty)
    #expect(!world.cleanup.owesWork)
    #expect(world.cleanup.last?.stage == .done)
    #expect(world.tally(.missing)?.found == 1)
    #expect(world.tally(.missing)?.done == 0)
    #expect(try world.stepRows().map(\.status) == [.planned, .planned, .planned, .planned])
    #expect(try world.row(id) == before)
    try world.restart()
    #expect(world.effects.isEmpty)
    #expect(world.cleanup.last?.stage == .done)
  }

  @Test("Offered and left findings are listed, counted as left, and not executed")
  func leftAtOnce() throws {
    let world = try World()
    let file = FoundFile(place: EntryPath(bytes: [1]), length: 7, inode: 1)
    try world.clean()
    try world.found([
      .planned(.adoptable(file, owner: try .named("a"), sha256: nil), .offer), .planned(.orphan(file), .leave),
    ])
    #expect(world.cleanup.last?.stage == .done)
    #expect(world.tally(.adoptable)?.left == 1)
    #expect(world.tally(.orphan) == (try tally(found: 1, bytes: 7, left: 1)))
    #expect(try world.stepRows().map(\.status) == [.left, .left])
  }

  private func tally(found: Int, bytes: Int64, done: Int = 0, left: Int = 0) throws -> CleanupRun.Tally {
    var tally = CleanupRun.Tally()
    (tally.found, tally.bytes, tally.done, tally.left) = (found, bytes, done, left)
    return tally
  }

  @Test("Only completed deletions count as freed bytes")
  func freedBytes() throws {
    let world = try World()
    func file(_ byte: UInt8) -> FoundFile {
      FoundFile(place: EntryPath(bytes: [byte]), length: Int64(byte), inode: UInt64(byte))
    }
    try world.clean()
    try world.found([
      .planned(.orphan(file(1)), .delete), .planned(.orphan(file(2)), .delete), .planned(.orphan(file(4)), .quarantine),
      .planned(.expiredQuarantine(before: 1, bytes: 8), .delete),
    ])
    try world.send(.cleaned(2, .left("It is too dark.")))
    #expect(world.cleanup.active?.freedBytes == 0)
    try world.carryOutSteps()
    #expect(world.cleanup.last?.freedBytes == 9)
  }

  @Test("The survey's progress is shown and never stored")
  func progress() throws {
    let world = try World()
    let key = try world.clean()
    let revision = world.dispatcher.position.revision
    try world.send(.surveyed(key, .progress(CleanupProgress(files: 3, readBytes: 4))))
    #expect(world.cleanup.progress == CleanupProgress(files: 3, readBytes: 4))
    #expect(world.dispatcher.position.revision == revision)
    try looked(world)
    #expect(world.cleanup.progress == nil)
  }

  @Test("A refused or failed run has a reason, and changes nothing", arguments: [true, false])
  func ends(isRefused: Bool) throws {
    let world = try World()
    let key = try world.clean()
    try found(0..<3, world)
    try world.send(.surveyed(key, isRefused ? .refused("It is too dark.") : .failed("It is too dark.")))
    #expect(world.cleanup.last?.stage == (isRefused ? .refused : .failed))
    #expect(world.cleanup.last?.reason == "It is too dark.")
    #expect(!world.cleanup.owesWork)
    #expect(world.steps.isEmpty)
  }

  @Test("From a refused run on the library is in doubt, until a cleanup can judge it")
  func doubt() throws {
    let world = try World()
    func end(_ news: CleanupNews) throws -> Timestamp? {
      try world.clean()
      let run = try #require(world.looking)
      try world.send(.surveyed(run.key, news))
      world.advance(seconds: 10)
      return run.doubtedSince
    }
    #expect(try end(.refused("It is too dark.")) == nil)
    #expect(try end(.failed("The disk failed.")) == World.beginning)
    #expect(try end(.refused("It is too dark.")) == World.beginning)
    #expect(try end(.complete(.init(), remark: nil)) == World.beginning)
    #expect(try end(.complete(.init(), remark: nil)) == nil)
  }

  // MARK: Several runs

  @Test("A second run waits for the first; a third is refused as long as one waits")
  func waiting() throws {
    let world = try World()
    let first = try world.clean()
    let second = try world.clean(.init(mode: .plan))
    #expect(world.cleanup.active?.key == first)
    #expect(world.cleanup.waiting?.key == second)
    #expect(world.cleanup.waiting?.stage == .waiting)
    #expect(try refusalCode { try world.clean() } == .conflict)
    try found(0..<2, world)
    try looked(world)
    #expect(try refusalCode { try world.clean() } == .conflict)
    // It begins in the turn in which the first one ends: no later event may wake it.
    try world.send(.cleaned(1, .done))
    try world.send(.cleaned(2, .done))
    #expect(world.looking?.key == second)
    #expect(world.cleanup.last?.key == first)
    #expect(try world.stepRows().isEmpty)
    let third = try world.clean()
    try world.send(.surveyed(second, .refused("It is too dark.")))
    #expect(world.looking?.key == third)
  }

  @Test("Two requests in one turn")
  func batch() throws {
    let world = try World()
    let outcomes = try world.dispatch([.cleanup(.run(.init())), .cleanup(.run(.init())), .cleanup(.cancel)])
    guard case .refused(let refusal) = outcomes[1], case .handled(let reply) = outcomes[2] else {
      Issue.record("it came to \(outcomes)")
      return
    }
    #expect(refusal.code == .conflict)
    #expect(reply == .affected(1))
    #expect(world.effects.isEmpty)
    #expect(!world.cleanup.owesWork)
  }

  @Test("A late report on an older run does not concern a newer one")
  func lateFacts() throws {
    let world = try World()
    let first = try world.clean()
    try found(0..<2, world)
    try looked(world)
    let steps = world.steps.keys.sorted()
    try world.send(.cleanup(.cancel))
    try world.carryOutSteps()
    let second = try world.clean()
    for news in [
      CleanupNews.found(folders(0..<3)), .complete(.init(media: 9), remark: nil), .refused("no"), .failed("no"),
    ] {
      try world.send(.surveyed(first, news))
      #expect(world.effects.isEmpty)
    }
    try world.send(.surveyed(first, .progress(.init(files: 1, readBytes: 1))))
    #expect(world.cleanup.progress == nil)
    #expect(world.cleanup.active?.stage == .looking)
    try found(0..<2, world)
    try looked(world)
    #expect(Set(world.steps.keys).isDisjoint(with: steps))
    for key in steps { try world.send(.cleaned(key, .done)) }
    #expect(world.steps.count == 2)
    #expect(world.tally(.emptyFolder)?.done == 0)
    // An acting run ignores further pages of its survey.
    try world.send(.surveyed(second, .found(folders(0..<3))))
    #expect(try world.stepRows().count == 2)
    try world.carryOutSteps()
    // A repeated report counts once.
    try world.dispatch([.cleaned(try #require(steps.last), .done)])
    #expect(world.tally(.emptyFolder)?.done == 2)
  }

  // MARK: Cancelling

  @Test("Cancelled during the survey")
  func cancelLooking() throws {
    let world = try World()
    let key = try world.clean()
    try found(0..<3, world)
    #expect(try world.send(.cleanup(.cancel)) == .affected(1))
    #expect(world.effects == [.cancelSurvey(key)])
    #expect(world.cleanup.last?.stage == .cancelled)
    #expect(world.cleanup.last?.endedAt != nil)
    #expect(!world.cleanup.owesWork)
    #expect(try world.send(.cleanup(.cancel)) == .affected(0))
  }

  @Test(
    "Cancelled while it acts: running steps end, completed ones stay, the rest is not begun",
    arguments: [false, true])
  func cancelActing(isKilled: Bool) throws {
    let world = try World()
    try world.clean()
    try world.found(folders(0..<20))
    try world.send(.cleaned(1, .done))
    #expect(try world.send(.cleanup(.cancel)) == .affected(1))
    #expect(try world.send(.cleanup(.cancel)) == .affected(0))
    #expect(world.cleanup.active?.stage == .acting)
    for key in 2...16 {
      try world.send(.cleaned(Int64(key), .done))
      #expect(world.effects.isEmpty)
    }
    if isKilled { try world.restart() } else { try world.send(.cleaned(17, .done)) }
    #expect(world.cleanup.last?.stage == .cancelled)
    #expect(world.tally(.emptyFolder)?.done == (isKilled ? 16 : 17))
    #expect(try world.stepRows().count { $0.status == .planned } == (isKilled ? 4 : 3))
    try world.restart()
    #expect(world.effects.isEmpty)
  }

  @Test("Cancelled with a waiting run: both end")
  func cancelWaiting() throws {
    let world = try World()
    try world.clean()
    try world.clean()
    #expect(try world.send(.cleanup(.cancel)) == .affected(2))
    #expect(!world.cleanup.owesWork)
    #expect(world.looking == nil)
    try world.restart()
    #expect(world.effects.isEmpty)
  }
}
