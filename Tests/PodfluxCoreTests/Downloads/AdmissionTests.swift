import Flux
import Testing

@testable import PodfluxCore

@Suite("Admission")
struct AdmissionTests {
  private func stopAndEnd(_ world: World, _ id: DownloadID) throws {
    try world.report(id, .failed(.missing, kept: nil))
  }

  @Test("No more than maxConcurrent run, and a freed slot is filled in the same turn")
  func maxConcurrent() throws {
    let world = try World { $0.maxConcurrent = 3 }
    for number in 0..<6 { try world.enqueue("d\(number)", host: "h\(number).example") }
    #expect(world.downloads.live.count == 3)
    try stopAndEnd(world, .named("d1"))
    #expect(world.started == ["d3"])
    #expect(world.downloads.live.count == 3)
  }

  @Test("No more than maxPerHost run on one host; later ones on other hosts run")
  func maxPerHost() throws {
    let world = try World {
      $0.maxConcurrent = 10
      $0.maxPerHost = 2
    }
    for number in 0..<5 { try world.enqueue("a\(number)", host: "a.example") }
    try world.enqueue("b0", host: "b.example")
    #expect(world.attempts.keys.map(\.description).sorted() == ["a0", "a1", "b0"])
    try stopAndEnd(world, .named("a0"))
    #expect(world.started == ["a2"])
  }

  @Test("What has its bytes and publishes holds no slot, its host's neither")
  func publishing() throws {
    let world = try World {
      $0.maxConcurrent = 2
      $0.maxPerHost = 1
    }
    for number in 0..<3 { try world.enqueue("a\(number)", host: "a.example") }
    #expect(world.attempts.keys.map(\.description) == ["a0"])
    try world.report(.named("a0"), .publishing(.sample("0.mp3"), kept: .sample(durable: 1_000)))
    #expect(world.started == ["a1"])
    #expect(world.downloads.live.count == 2)
    try world.report(.named("a0"), .finished(.sample("0.mp3")))
    #expect(world.started.isEmpty)
  }

  @Test("No more than a number of attempts publish while others transfer")
  func publishingAtOnce() throws {
    let world = try World {
      $0.maxConcurrent = 1
      $0.maxPerHost = 1
    }
    let count = DownloadsStore.publishingAtOnce
    for number in 0..<count + 3 { try world.enqueue("d\(number)") }
    for number in 0...count {
      try world.report(
        .named("d\(number)"),
        .publishing(.sample("\(number).mp3", inode: UInt64(number + 1)), kept: .sample(durable: 1_000)))
      #expect(world.started == (number < count ? ["d\(number + 1)"] : []))
    }
    #expect(world.downloads.live.count == count + 1)
    try world.report(.named("d5"), .finished(.sample("5.mp3", inode: 6)))
    #expect(world.started == ["d\(count + 1)"])
  }

  @Test("A port is part of the host")
  func ports() throws {
    let world = try World { $0.maxPerHost = 1 }
    try world.enqueue("a", host: "a.example:8080")
    try world.enqueue("b", host: "a.example:8081")
    try world.enqueue("c", host: "A.example:8080")
    #expect(world.attempts.keys.map(\.description).sorted() == ["a", "b"])
  }

  @Test("A long queue of one busy host hides no other host, and hosts are served in the queue's order")
  func manyHosts() throws {
    let world = try World {
      $0.maxConcurrent = 100
      $0.maxPerHost = 1
    }
    var wishes: [Action] = []
    for number in 0..<300 {
      wishes.append(
        .downloads(.enqueue(.init(id: try .named("busy\(number)"), address: try .on("busy.example", "\(number)")))))
    }
    for number in 0..<120 {
      wishes.append(.downloads(.enqueue(.init(id: try .named("h\(number)"), address: try .on("h\(number).example")))))
    }
    try world.dispatch(wishes)
    #expect(world.started == ["busy0"] + (0..<99).map { "h\($0)" })
  }

  @Test("Lower limits stop no download, and admit none until they are met")
  func loweredLimits() throws {
    let world = try World { $0.maxConcurrent = 4 }
    for number in 0..<6 { try world.enqueue("d\(number)", host: "h\(number).example") }
    var patch = SettingsPatch()
    patch.maxConcurrent = 2
    try world.send(.updateSettings(patch))
    #expect(world.effects.isEmpty)
    try stopAndEnd(world, .named("d0"))
    try stopAndEnd(world, .named("d1"))
    #expect(world.started.isEmpty)
    try stopAndEnd(world, .named("d2"))
    #expect(world.started == ["d4"])
  }

  @Test("Higher limits admit more, in the turn that sets them")
  func raisedLimits() throws {
    let world = try World {
      $0.maxConcurrent = 1
      $0.maxPerHost = 1
    }
    for number in 0..<4 { try world.enqueue("d\(number)") }
    var patch = SettingsPatch()
    patch.maxConcurrent = 4
    patch.maxPerHost = 3
    try world.send(.updateSettings(patch))
    #expect(world.started == ["d1", "d2"])
  }

  @Test("A stopping attempt keeps its slot, for its host too")
  func windingDown() throws {
    let world = try World {
      $0.maxConcurrent = 2
      $0.maxPerHost = 1
    }
    let a = try world.enqueue("a")
    try world.enqueue("b")
    try world.send(.downloads(.pause(.one(a))))
    #expect(world.started.isEmpty)
    try world.report(a, .stopped(kept: nil))
    #expect(world.started == ["b"])
  }

  @Test("Another address moves a queued download to the other host's lane")
  func movedHost() throws {
    let world = try World {
      $0.maxConcurrent = 2
      $0.maxPerHost = 1
    }
    try world.enqueue("a")
    let b = try world.enqueue("b")
    var update = DownloadIntent.Update()
    update.address = try .on("elsewhere.example")
    try world.send(.downloads(.update(b, update)))
    #expect(world.started == ["b"])
    #expect(world.attempts[b]?.address == update.address)
  }

  /// Seed 207944 of the simulator: the first one stayed cached as its host's head, and the second one never ran.
  @Test("What one batch adds, pauses with all others and adds again runs")
  func addedAroundAPauseOfAll() throws {
    let world = try World()
    func enqueue(_ name: String, _ priority: Priority) throws -> Action {
      .downloads(.enqueue(.init(id: try .named(name), address: try .on("a.example", name), priority: priority)))
    }
    // The pause must drop the first one's place at the head of its host's lane from the cache.
    try world.send(enqueue("first", .normal), .downloads(.pause(.all)), enqueue("second", .low))
    #expect(world.started == ["second"])
  }
}
