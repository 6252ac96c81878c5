import Flux
import Testing

@testable import PodfluxCore

@Suite("The network store")
struct NetworkStoreTests {
  @Test("A client's report counts until it hands detection back to the engine")
  func sources() throws {
    let world = try World()
    try world.send(.networkPath(.wifi))
    #expect(world.network.path == .wifi)
    #expect(world.network.source == .auto)
    #expect(try world.send(.network(.report(.cellular))) == .done)
    try world.send(.networkPath(.cable))
    #expect(world.network.path == .cellular)
    #expect(world.network.source == .reported)
    #expect(try world.send(.network(.auto)) == .done)
    #expect(world.network.path == .cable)
    #expect(world.network.source == .auto)
  }

  @Test("Connections are left for another path, not when the same one becomes metered")
  func leaving() throws {
    let world = try World()
    try world.send(.networkPath(.wifi))
    #expect(world.effects.contains(.leaveNetworkPath))
    try world.send(.networkPath(.wifi))
    #expect(!world.effects.contains(.leaveNetworkPath))
    try world.send(.networkPath(.hotspot))
    #expect(!world.effects.contains(.leaveNetworkPath))
    try world.send(.networkPath(.offline))
    #expect(world.effects.contains(.leaveNetworkPath))
  }

  @Test("A start drops a reported path, and keeps the bytes received over cellular")
  func restart() throws {
    let world = try World()
    try world.send(.network(.report(.cellular)))
    let id = try world.enqueue("a", may: .any)
    try world.fetch(500, by: id)
    try world.restart(isRecovered: false)
    let usage = world.network.usage
    #expect(usage.bytes == 500)
    try world.send(.recovered(Recovery(published: [], detectedPath: .wifi, localTime: .berlin)))
    #expect(world.network == NetworkState(path: .wifi, source: .auto, usage: usage, localTime: .berlin))
    try world.restart(isRecovered: false)
    try world.send(.recovered(Recovery(published: [], detectedPath: .wifi, reportedPath: .offline)))
    #expect(world.network.path == .offline)
    #expect(world.network.source == .reported)
    #expect(world.network.localTime == .berlin)
  }

  @Test("The network state is in its table after each change")
  func kept() throws {
    let world = try World()
    for action in [Action.networkPath(.wifi), .network(.report(.cellular)), .localTime(.berlin), .network(.auto)] {
      try world.send(action)
      #expect(try world.database.read { try $0.network() } == world.network)
    }
  }

  @Test("The time zone is requested when its known changes end within a month")
  func foresight() throws {
    let world = try World()
    var zone = LocalTime.berlin
    zone.knownUntil = World.beginning.advanced(byDays: 30)
    try world.send(.localTime(zone))
    #expect(!world.effects.contains(.readLocalTime))
    world.advance(seconds: 1)
    try world.send(.timeCame)
    #expect(world.effects.contains(.readLocalTime))
  }

  @Test("The time zone is read anew once a day: the machine may be elsewhere")
  func travelling() throws {
    let world = try World()
    try world.send(.localTime(.berlin))
    #expect(!world.effects.contains(.readLocalTime))
    world.advance(seconds: 86_400)
    try world.send(.timeCame)
    #expect(world.effects.filter { $0 == .readLocalTime }.count == 1)
    try world.send(.upkeepDone(gone: []), .localTime(LocalTime(seconds: -18_000)))
    #expect(world.network.localTime.seconds == -18_000)
    try world.send(.timeCame)
    #expect(!world.effects.contains(.readLocalTime))
  }
}
