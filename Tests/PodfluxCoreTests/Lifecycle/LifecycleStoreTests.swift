import Flux
import Testing

@testable import PodfluxCore

@Suite("The engine's lifecycle")
struct LifecycleStoreTests {
  private static let intents: [Action] = [
    .downloads(.pause(.all)), .updateSettings(.init()), .filters(.clear), .network(.auto), .cleanup(.cancel),
  ]

  @Test("Before the recovery every intent is refused except a stop", arguments: intents)
  func notRecovered(intent: Action) throws {
    let world = try World(isRecovered: false)
    #expect(throws: Refusal.self) { try world.send(intent) }
    try world.send(.stop(.now))
    #expect(world.effects == [.close])
  }

  @Test("A stopping engine refuses every intent; a draining one accepts it", arguments: intents)
  func stopping(intent: Action) throws {
    for mode in [StopMode.drain, .suspend, .now] {
      let world = try World()
      try world.send(.stop(mode))
      if mode == .drain {
        try world.send(intent)
      } else {
        let error = #expect(throws: Refusal.self) { try world.send(intent) }
        #expect(error?.code == (mode == .suspend ? .suspended : .shuttingDown))
      }
    }
  }

  @Test("A refused intent changes nothing and announces nothing")
  func changesNothing() throws {
    let world = try World()
    try world.send(.stop(.suspend))
    let before = world.dispatcher.state.settings.settings
    var patch = SettingsPatch()
    patch.maxConcurrent = 9
    #expect(throws: Refusal.self) { try world.send(.updateSettings(patch)) }
    #expect(world.dispatcher.state.settings.settings == before)
  }

  @Test("The most urgent stop wins")
  func urgency() throws {
    let world = try World()
    try world.send(.stop(.now))
    try world.send(.stop(.drain))
    #expect(world.lifecycle.stopping == .now)
    #expect(world.lifecycle.isEnding && !world.lifecycle.isScheduling)
  }
}
