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

  @Test("Every setting can be changed")
  func everySetting() {
    var patch = SettingsPatch()
    patch.maxConcurrent = 1
    patch.maxPerHost = 3
    patch.maxAttempts = 4
    patch.retryFirstSeconds = 6
    patch.retryMaxSeconds = 7
    patch.connectTimeoutSeconds = 8
    patch.stallTimeoutSeconds = 9
    patch.firstByteTimeoutSeconds = 10
    patch.slowBytesPerSecond = 11
    patch.slowWindowSeconds = 12
    patch.allowInsecureRedirects = true
    patch.maxFileBytes = 13
    patch.checksum = true
    patch.userAgent = "x"
    patch.progressInterval = 1.5
    patch.bytesPerSecond = 4096
    patch.network = NetworkClasses.Patch()
    patch.network?.auto = .any
    patch.cellularBudgetBytesPerMonth = 15
    patch.schedule = [ScheduleWindow(from: 0, to: 60)]
    patch.storageQuotaBytes = 16
    patch.reserveFreeBytes = 17
    patch.cleanupOnStart = false
    patch.quarantineDays = 14
    patch.orphans = .delete
    patch.nameTimeZone = .place("Europe/Vienna")
    patch.fileTimes = .downloaded
    patch.portableNames = false
    let applied = Mirror(reflecting: patch.applied(to: Settings()))
    let defaults = Mirror(reflecting: Settings())
    for (changed, untouched) in zip(applied.children, defaults.children) {
      #expect("\(changed.value)" != "\(untouched.value)", "\(changed.label ?? "?") was not changed")
    }
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

  @Test("The defaults are within their ranges")
  func defaults() {
    let settings = Settings()
    #expect(Settings.Limits.maxConcurrent.contains(settings.maxConcurrent))
    #expect(Settings.Limits.maxPerHost.contains(settings.maxPerHost))
    #expect(Settings.Limits.maxAttempts.contains(settings.maxAttempts))
    for seconds in [
      settings.retryFirstSeconds, settings.retryMaxSeconds, settings.connectTimeoutSeconds,
      settings.stallTimeoutSeconds, settings.firstByteTimeoutSeconds, settings.slowWindowSeconds,
    ] {
      #expect(Settings.Limits.seconds.contains(seconds))
    }
    #expect(Settings.Limits.slowBytesPerSecond.contains(settings.slowBytesPerSecond))
    #expect(Settings.Limits.maxFileBytes.contains(settings.maxFileBytes))
    #expect(settings.isWithinLimits)
    #expect(Settings.Limits.userAgentLength.contains(settings.userAgent.utf8.count))
    #expect(Settings.Limits.progressInterval.contains(settings.progressInterval))
  }
}
