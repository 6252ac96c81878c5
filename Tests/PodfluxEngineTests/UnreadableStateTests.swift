import GRDB
import Logging
import PodfluxCore
import Testing

@testable import PodfluxEngine

/// A row that no version of Podflux writes, beside rows that can be read.
@Suite("Observing what cannot be read", .timeLimit(.minutes(1)))
struct UnreadableStateTests {
  private let scene: EngineScene
  private let engine: Engine
  private let client = LibraryClient()
  /// Tells of each reading that is logged as failed.
  private let failures: AsyncStream<Void>

  init() async throws {
    scene = try EngineScene()
    let (failures, told) = AsyncStream.makeStream(of: Void.self)
    self.failures = failures
    let logger = Logger(label: "podflux") { _ in FailureHandler(told: told) }
    engine = try Engine(EngineConfiguration(libraryPath: scene.library, logger: logger), owner: client)
    client.serve(engine)
    let path = try WebAddress("http://127.0.0.1:1/a.mp3")
    try await dispatch(.downloads(.enqueue(.init(id: DownloadID("a"), address: path, isPaused: true))))
    try write("UPDATE downloads SET url = 'ftp://a.example/'")
  }

  private func write(_ sql: String) throws {
    var configuration = Configuration()
    // The engine may write at the same time.
    configuration.busyMode = .timeout(30)
    try DatabaseQueue(path: scene.library + "/.podflux/podflux.sqlite", configuration: configuration).write {
      try $0.execute(sql: sql)
    }
  }

  private func repair() throws { try write("UPDATE downloads SET url = 'http://127.0.0.1:1/a.mp3'") }

  private func dispatch(_ intent: Intent) async throws {
    if case .refusal(let refusal) = await client.post(intent) { throw refusal }
  }

  private func change(_ maxConcurrent: Int) async throws {
    var patch = SettingsPatch()
    patch.maxConcurrent = maxConcurrent
    try await dispatch(.updateSettings(patch))
  }

  /// The moments that an observer is shown.
  private func observe(_ stores: Set<StoreName>, interval: Double) -> AsyncStream<Snapshot> {
    let (moments, shown) = AsyncStream.makeStream(of: Snapshot.self)
    _ = engine.observe(SnapshotQuery(stores: stores), interval: interval, onEnd: { shown.finish() }) {
      shown.yield($0.snapshot)
    }
    return moments
  }

  /// Waits until a reading has failed.
  private func waitForFailure() async throws {
    for await _ in failures { return }
    throw Refusal(.notFound, "nothing has failed")
  }

  private func stop() async {
    engine.stop(.now, because: .shutdown)
    await client.waitUntilClosed()
  }

  /// One query's pause was that of all with its interval: after some changes they were shown one state a minute.
  @Test("A query that fails holds up no other one of its interval")
  func others() async throws {
    let blind = observe([.downloads], interval: 0.05)
    var settings = observe([.settings], interval: 0.05).makeAsyncIterator()
    for number in 1...14 {
      try await change(number)
      while let shown = await settings.next(), shown.settings?.maxConcurrent != number {}
    }
    await stop()
    #expect(await blind.first { _ in true } == nil)
  }

  @Test("A new observer has it read at once, and then all others of the query are shown it too")
  func repaired() async throws {
    let blind = observe([.downloads], interval: 3600)
    try await waitForFailure()
    try repair()
    let seen = await observe([.downloads], interval: 3600).first { _ in true }
    #expect(seen?.downloads?.items.map(\.download.id.description) == ["a"])
    #expect(await blind.first { _ in true }?.downloads?.items.count == 1)
    await stop()
  }

  /// The client that asked had it read; the others had nothing left to wait for.
  @Test("A snapshot for which an observed state is read again lets all others of the query be shown it")
  func snapshot() async throws {
    let blind = observe([.downloads], interval: 0.05)
    try await waitForFailure()
    let observed = SnapshotQuery(stores: [.downloads])
    _ = try await client.ask(.observe(Observation(state: observed, interval: 0.05)))
    let settings = SnapshotQuery(stores: [.settings])
    // Each is answered, although what the client observes cannot be read; in the end that is not tried for a minute.
    for _ in 0..<12 {
      guard case .snapshot(let shown) = try await client.ask(.snapshot(settings)) else {
        throw Refusal(.notFound, "no snapshot has come")
      }
      #expect(shown.settings != nil)
    }
    try repair()
    _ = try await client.ask(.snapshot(settings))
    #expect(await blind.first { _ in true }?.downloads?.items.count == 1)
    await stop()
  }

  @Test("Failures are told once for each reason, and their pauses grow up to a minute")
  func pauses() async {
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
    await stop()
  }
}

/// Tells of what is logged of readings that fail.
private struct FailureHandler: LogHandler {
  let told: AsyncStream<Void>.Continuation
  var logLevel = Logger.Level.error
  var metadata = Logger.Metadata()

  init(told: AsyncStream<Void>.Continuation) { self.told = told }

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  func log(event: LogEvent) {
    if event.message == "the state cannot be read for observers" { told.yield() }
  }
}
