import Flux
import Testing

@testable import PodfluxCore

@Suite("Order in the queue")
struct OrderTests {
  /// A world in which nothing starts until the blocker ends, one download at a time.
  private func world(_ names: String..., priority: Priority = .normal) throws -> World {
    let world = try World {
      $0.maxConcurrent = 1
      $0.maxPerHost = 1
    }
    try world.enqueue("blocker", host: "blocker.example", priority: .high)
    for name in names { try world.enqueue(name, priority: priority) }
    return world
  }

  /// Runs all of them one after the other, and returns the order.
  private func run(_ world: World) throws -> String {
    var order: [String] = []
    while let id = world.attempts.keys.first {
      order.append(id.description)
      try world.report(id, .failed(.missing, kept: nil))
    }
    return order.dropFirst().joined()
  }

  private func move(
    _ world: World, _ name: String, _ place: DownloadIntent.Place, isNews: Bool = true
  ) throws {
    #expect(try world.send(.downloads(.move(.named(name), place))) == .affected(isNews ? 1 : 0))
  }

  @Test("First come, first served within a priority; the more urgent go first")
  func priorities() throws {
    let world = try world("c", "d")
    try world.enqueue("e", priority: .low)
    try world.enqueue("a", priority: .high)
    try world.enqueue("b", priority: .high)
    #expect(try run(world) == "abcde")
  }

  @Test("To the top, to the bottom, before and after an anchor")
  func places() throws {
    let world = try world("a", "b", "c", "d", "e")
    try move(world, "d", .top)
    try move(world, "a", .bottom)
    #expect(try world.send(.downloads(.move(.named("e"), .before(.named("b"))))) == .affected(1))
    #expect(try world.send(.downloads(.move(.named("d"), .after(.named("c"))))) == .affected(1))
    #expect(try run(world) == "ebcda")
  }

  @Test("A move to its own position changes no order, and counts 0")
  func samePlace() throws {
    let world = try world("a", "b", "c")
    try move(world, "a", .top, isNews: false)
    try move(world, "c", .bottom, isNews: false)
    try move(world, "b", .after(.named("a")), isNews: false)
    try move(world, "b", .before(.named("c")), isNews: false)
    #expect(try run(world) == "abc")
  }

  @Test("After the last and before the first mean the ends")
  func ends() throws {
    let world = try world("a", "b", "c")
    try move(world, "a", .after(.named("c")))
    try move(world, "c", .before(.named("b")))
    #expect(try run(world) == "cba")
  }

  @Test("A move that respaces all positions is made, also where the new position has the number of the old one")
  func respacedMove() throws {
    let world = try world("a", "b", "c", "d")
    // Half way between two, as what is moved behind respaced positions is.
    try move(world, "d", .after(.named("b")))
    for name in ["b", "c"] { try move(world, name, .after(.named("a")), isNews: name == "c") }
    for number in 0..<19 { try move(world, number.isMultiple(of: 2) ? "b" : "c", .after(.named("a"))) }
    try move(world, "d", .after(.named("a")))
    #expect(try run(world) == "adbc")
  }

  @Test("When the gap between two positions is used up, positions are respaced and the order stays")
  func exhaustedGaps() throws {
    let world = try world("a", "b", "c", "d", "e")
    let moved = try ["b", "c", "d"].map(DownloadID.named)
    // Each move halves the gap after `a`: 20 of them use it up, so 200 respace the positions several times.
    for number in 0..<200 {
      try world.send(.downloads(.move(moved[number % 3], .after(.named("a")))))
    }
    // The last three moves were number 197 (d), 198 (b) and 199 (c), each to the position after `a`.
    #expect(try run(world) == "acbde")
  }

  @Test("An anchor in another priority is a conflict, itself too, and one that does not exist is not found")
  func badAnchors() throws {
    let world = try world("a")
    try world.enqueue("z", priority: .low)
    let a = try DownloadID.named("a")
    let code = { (place: DownloadIntent.Place) in
      try refusalCode { try world.send(.downloads(.move(a, place))) }
    }
    #expect(try code(.before(.named("z"))) == .conflict)
    #expect(try code(.after(a)) == .conflict)
    #expect(try code(.after(.named("absent"))) == .notFound)
    #expect(try refusalCode { try world.send(.downloads(.move(.named("absent"), .top))) } == .notFound)
  }

  @Test("Another priority puts a download at that priority's end; the same one does not move it")
  func otherPriority() throws {
    let world = try world("a", "b", "c")
    try world.enqueue("h", priority: .high)
    var update = DownloadIntent.Update()
    update.priority = .high
    try world.send(.downloads(.update(.named("c"), update)))
    update.priority = .normal
    try world.send(.downloads(.update(.named("a"), update)))
    #expect(try run(world) == "hcab")
  }

  @Test("A running download can be moved without an interruption")
  func moveRunning() throws {
    let world = try world("a", priority: .high)
    try move(world, "blocker", .bottom)
    #expect(world.effects.isEmpty)
    #expect(try world.state(.named("blocker")) == .running(.connecting))
  }
}
