import GRDB
import PodfluxCore
import Testing

@testable import PodfluxEngine

/// A row that no version of Podflux writes, beside rows that can be read.
@Suite("Observing what cannot be read")
struct UnreadableStateTests {
  private let scene: EngineScene
  private let podflux: Podflux

  init() async throws {
    scene = try EngineScene()
    podflux = try await Podflux.open(library: scene.library)
    let path = try WebAddress("http://127.0.0.1:1/a.mp3")
    _ = try await podflux.dispatch(.downloads(.enqueue(.init(id: DownloadID("a"), address: path, isPaused: true))))
    try write("UPDATE downloads SET url = 'ftp://a.example/'")
  }

  private func write(_ sql: String) throws {
    try DatabaseQueue(path: scene.library + "/.podflux/podflux.sqlite").write { try $0.execute(sql: sql) }
  }

  /// One query's pause was that of all with its interval: after some changes they were shown one state a minute.
  @Test("A query that fails holds up no other one of its interval")
  func others() async throws {
    let blind = Task { [podflux] in await podflux.downloads(interval: 0.05).first { _ in true } }
    var settings = podflux.settings(interval: 0.05).makeAsyncIterator()
    for number in 1...14 {
      var patch = SettingsPatch()
      patch.maxConcurrent = number
      _ = try await podflux.dispatch(.updateSettings(patch))
      while let shown = await settings.next(), shown.maxConcurrent != number {}
    }
    await podflux.stop()
    #expect(await blind.value == nil)
  }

  @Test("A new observer has it read at once, and sees it when it can be read again")
  func repaired() async throws {
    let blind = Task { [podflux] in await podflux.downloads(interval: 3600).first { _ in true } }
    var patch = SettingsPatch()
    patch.maxConcurrent = 7
    _ = try await podflux.dispatch(.updateSettings(patch))
    try write("UPDATE downloads SET url = 'http://127.0.0.1:1/a.mp3'")
    let seen = await podflux.downloads(interval: 3600).first { _ in true }
    #expect(seen?.items.map(\.download.id.description) == ["a"])
    #expect(await blind.value?.items.count == 1)
    await podflux.stop()
  }

  @Test("Failures are told once for each reason, and their pauses grow up to a minute")
  func pauses() {
    let query = SnapshotQuery(stores: [.downloads])
    var failures = ReadingFailures()
    var pauses: [Int64] = []
    for _ in 0..<9 {
      let isNews = failures.note(query, because: "a row", at: 1000, interval: 250)
      #expect(isNews == pauses.isEmpty)
      pauses.append((failures.nextMilliseconds ?? 0) - 1000)
    }
    #expect(pauses == [500, 1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000])
    #expect(!failures.allows(query, at: 60_999) && failures.allows(query, at: 61_000))
    #expect(failures.allows(SnapshotQuery(stores: [.settings]), at: 0))
    let another = failures.note(query, because: "another row", at: 1000, interval: 250)
    #expect(another)
    failures.retryNow(query)
    #expect(failures.allows(query, at: 0))
    failures.forget(query)
    #expect(failures.nextMilliseconds == nil)
  }
}
