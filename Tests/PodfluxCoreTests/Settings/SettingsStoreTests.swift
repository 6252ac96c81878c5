import Flux
import Testing

@testable import PodfluxCore

@Suite("Settings")
struct SettingsStoreTests {
  @Test("A patch changes what it names and nothing else, and survives a restart")
  func patch() throws {
    let world = try World()
    var patch = SettingsPatch()
    patch.maxConcurrent = 7
    patch.userAgent = "Test/2"
    #expect(try world.send(.updateSettings(patch)) == .done)
    var expected = World.settings()
    expected.maxConcurrent = 7
    expected.userAgent = "Test/2"
    #expect(world.dispatcher.state.settings.settings == expected)
    try world.restart()
    #expect(world.dispatcher.state.settings.settings == expected)
  }

  @Test("A patch of nothing changes nothing")
  func emptyPatch() {
    #expect(SettingsPatch().applied(to: Settings()) == Settings())
  }

  @Test("The first wait must not exceed the longest, whichever of the two is set")
  func waits() throws {
    let world = try World()
    var patch = SettingsPatch()
    patch.retryFirstSeconds = 4_000
    #expect(try refusal(world, patch)?.path == "payload.retryFirstSeconds")
    patch = SettingsPatch()
    patch.retryMaxSeconds = 4
    #expect(try refusal(world, patch)?.path == "payload.retryMaxSeconds")
    #expect(world.dispatcher.state.settings.settings == World.settings())
    patch.retryFirstSeconds = 4
    #expect(try refusal(world, patch) == nil)
  }

  private func refusal(_ world: World, _ patch: SettingsPatch) throws -> Refusal? {
    do {
      try world.send(.updateSettings(patch))
      return nil
    } catch let refusal as Refusal {
      return refusal
    }
  }
}
