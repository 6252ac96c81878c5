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

  @Test("A program's patch is held to the ranges as a line is, and a refused one changes nothing")
  func ranges() throws {
    let world = try World()
    var patch = SettingsPatch()
    patch.maxConcurrent = 0
    #expect(try refusal(world, patch)?.message == "maxConcurrent must be an integer from 1 to 256")
    patch = SettingsPatch()
    patch.userAgent = "Test/2\r\nX-Injected: 1"
    #expect(try refusal(world, patch)?.path == "payload.userAgent")
    patch = SettingsPatch()
    var classes = NetworkClasses.Patch()
    classes.user = .inherit
    patch.network = classes
    #expect(try refusal(world, patch)?.path == "payload.network")
    #expect(world.dispatcher.state.settings.settings == World.settings())
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
