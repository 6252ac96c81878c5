import EngineRuntime
import Foundation
import Logging
import Observation
import PodfluxCore
import PodfluxEngine
import ScriptedOrigin
import Synchronization
import TestSupport
import Testing

@Suite("Podflux inside a program")
struct PodfluxLibraryTests {
  @Test("The first state comes at once, then changes follow; the last one shows the completed file")
  func downloads() async throws {
    let scene = try EngineScene()
    let podflux = try await Podflux.open(library: scene.library)
    let path = scene.serve("/a.mp3", length: 300_000)
    var states = podflux.downloads(interval: 0.05).makeAsyncIterator()
    #expect(await states.next()?.items.isEmpty == true)
    let reply = try await podflux.dispatch(.downloads(.enqueue(.init(id: DownloadID("a"), address: path))))
    #expect(reply == .enqueued(id: try #require(DownloadID("a")), created: true))
    var last: DownloadsSnapshot?
    while let state = await states.next() {
      last = state
      if state.counts[.completed] == 1 { break }
    }
    #expect(last?.items.first?.download.progress.durable == 300_000)
    await podflux.stop()
  }

  @Test("All observers see the same states, each for as long as it wants, and the engine's end ends them")
  func observers() async throws {
    let scene = try EngineScene()
    let podflux = try await Podflux.open(library: scene.library)
    let followers = (0..<20).map { _ in
      Task {
        var seen: [Int] = []
        for await settings in podflux.settings(interval: 0.05) { seen.append(settings.maxConcurrent) }
        return seen
      }
    }
    let quitter = Task {
      for await settings in podflux.settings(interval: 0.05) { return settings.maxConcurrent }
      return 0
    }
    #expect(await quitter.value == Settings().maxConcurrent)
    var patch = SettingsPatch()
    patch.maxConcurrent = 17
    _ = try await podflux.dispatch(.updateSettings(patch))
    // An observer that has not received any state yet would miss its change.
    for await settings in podflux.settings(interval: 0.05) where settings.maxConcurrent == 17 { break }
    await podflux.stop()
    for follower in followers { #expect(await follower.value.last == 17) }
  }

  @Test("A property that is read under observation reports its change")
  func property() async throws {
    let scene = try EngineScene()
    let podflux = try await Podflux.open(library: scene.library)
    #expect(podflux.state.downloads?.items.isEmpty == true)
    #expect(podflux.state.settings != nil && podflux.state.network != nil && podflux.state.filters != nil)
    #expect(podflux.state.feeds?.items.isEmpty == true && podflux.state.episodes?.items.isEmpty == true)
    let (changes, continuation) = AsyncStream.makeStream(of: Void.self)
    let paused = withObservationTracking {
      podflux.state.downloads?.counts[.paused]
    } onChange: {
      continuation.yield()
    }
    #expect(paused == 0 || paused == nil)
    let path = scene.serve("/a.mp3", length: 1000)
    _ = try await podflux.dispatch(.downloads(.enqueue(.init(address: path, isPaused: true))))
    var iterator = changes.makeAsyncIterator()
    await iterator.next()
    for await state in podflux.downloads(interval: 0.05) where state.counts[.paused] == 1 { break }
    await podflux.stop()
    #expect(podflux.state.downloads?.counts[.paused] == 1)
  }

  @Test("A later observer gets the state at once, at any interval")
  func late() async throws {
    let scene = try EngineScene()
    let podflux = try await Podflux.open(library: scene.library)
    for number in 1...3 {
      var patch = SettingsPatch()
      patch.maxConcurrent = number
      _ = try await podflux.dispatch(.updateSettings(patch))
      var settings = podflux.settings(interval: 3600).makeAsyncIterator()
      #expect(await settings.next()?.maxConcurrent == number)
    }
    await podflux.stop()
  }

  @Test("Invalid actions are refused, and so is every action after the end")
  func refusals() async throws {
    let scene = try EngineScene()
    let podflux = try await Podflux.open(library: scene.library)
    let absent = try #require(DownloadID("absent"))
    await #expect(throws: Refusal.self) { try await podflux.dispatch(.downloads(.pause(.one(absent)))) }
    await #expect(throws: EngineError.self) { _ = try await Podflux.open(library: scene.library) }
    await podflux.stop()
    await #expect(throws: Refusal.self) { try await podflux.dispatch(.downloads(.pause(.all))) }
    await #expect(throws: Refusal.self) { try await podflux.snapshot() }
    var states = podflux.states().makeAsyncIterator()
    #expect(await states.next() == nil)
  }

  /// Rows had them, and no engine could open the library any more; some ended the program.
  @Test("Values outside the protocol's limits are refused, alone, and the library opens again")
  func limits() async throws {
    let scene = try EngineScene()
    let podflux = try await Podflux.open(library: scene.library)
    let path = try WebAddress("https://a.example/1.mp3")
    func enqueue(_ description: Download.Description) -> Intent {
      .downloads(.enqueue(.init(address: path, description: description, isPaused: true)))
    }
    let wrong: [Intent] = [
      enqueue(.init(headers: [Header(name: "X Token", value: "a")])),
      enqueue(.init(headers: [Header(name: #"X":"a","Y"#, value: "b")])),
      enqueue(.init(expectedLength: -1)),
      enqueue(.init(title: String(repeating: "a", count: 4 << 20))),
      .network(.report(NetworkPath(status: .online, interface: .wifi, device: "a/b\nc"))),
      .podcasts(.import(.init(feeds: [.init(address: path, title: String(repeating: "a", count: 1025))]))),
    ]
    for intent in wrong { await #expect(throws: Refusal.self, "\(intent)") { try await podflux.dispatch(intent) } }
    for number in [Double.nan, .infinity, -1] {
      var patch = SettingsPatch()
      patch.progressInterval = number
      await #expect(throws: Refusal.self, "\(number)") { try await podflux.dispatch(.updateSettings(patch)) }
    }
    var states = podflux.settings(interval: .nan).makeAsyncIterator()
    #expect(await states.next() != nil)
    let headers = ["X-B", "X-A"].map { Header(name: $0, value: "a") }
    let latest = PublicationDate(Timestamp(milliseconds: .max))
    _ = try await podflux.dispatch(enqueue(.init(title: "right", published: latest, headers: headers)))
    let condition = Condition.all([.titleContains(["right"]), .states([.queued])])
    _ = try await podflux.dispatch(.downloads(.pause(.matching(condition))))
    await podflux.stop()
    let again = try await Podflux.open(library: scene.library)
    let kept = try await again.snapshot().downloads?.items.map(\.download.description)
    #expect(kept?.map(\.title) == ["right"] && kept?.first?.headers.count == 2)
    await again.stop()
  }

  @Test("An engine goes on as long as one of its sequences is read")
  func heldBySequence() async throws {
    let scene = try EngineScene()
    var states = try await Podflux.open(library: scene.library).settings(interval: 0.05).makeAsyncIterator()
    #expect(await states.next() != nil)
    let refused = await #expect(throws: EngineError.self) { _ = try await Podflux.open(library: scene.library) }
    #expect(refused != nil, "the engine holds its library")
  }

  @Test("Requests near the end get an answer, and may be repeated")
  func storm() async throws {
    let scene = try EngineScene()
    let podflux = try await Podflux.open(library: scene.library)
    let askers = (0..<64).map { _ in
      Task {
        var refusals = 0
        while refusals < 50 {
          do throws(Refusal) {
            _ = try await podflux.dispatch(.downloads(.pause(.all)))
          } catch {
            refusals += 1
          }
        }
      }
    }
    await podflux.stop()
    for asker in askers { await asker.value }
  }

  @Test("An intent that no line could say is refused, and changes nothing")
  func unsayable() async throws {
    let scene = try EngineScene()
    let podflux = try await Podflux.open(library: scene.library)
    let intents: [Intent] = [
      .filters(.setText(String(repeating: "x", count: FiltersState.Limits.textBytes + 1))),
      .filters(.save("")), .filters(.save(String(repeating: "x", count: FiltersState.Limits.nameBytes + 1))),
    ]
    for intent in intents {
      await #expect(throws: Refusal.self, "\(intent)") { try await podflux.dispatch(intent) }
    }
    // No line of the journal could say what an action has selected by classes; queries show them.
    let classes = Condition.not(.sizes([.small]))
    await #expect(throws: Refusal.self) { try await podflux.dispatch(.downloads(.pause(.matching(classes)))) }
    #expect(try await podflux.snapshot(.init(downloads: .init(condition: classes))).downloads?.items.isEmpty == true)
    for limit in [Int.min, 0, .max] {
      let snapshot = try await podflux.snapshot(.init(stores: [.downloads], downloads: .init(limit: limit)))
      #expect(snapshot.downloads?.items.isEmpty == true)
    }
    var settings = podflux.settings(interval: .nan).makeAsyncIterator()
    #expect(await settings.next() != nil)
    await podflux.stop()
    let again = try await Podflux.open(library: scene.library)
    await again.stop()
  }

  /// Some ended the program; SQLite refused others, and with them all that was committed, or shown, at the same time.
  @Test("Conditions and pages beyond the limits harm no one else", .timeLimit(.minutes(1)))
  func conditions() async throws {
    let scene = try EngineScene()
    let podflux = try await Podflux.open(library: scene.library)
    let deep = (0..<1500).reduce(Condition.titleContains(["a"])) { .not(.any([$0, .titleContains(["\($1)"])])) }
    let wide = Condition.any((0..<40_000).map { .titleContains(["\($0)"]) })
    for condition in [deep, wide, .newerThanDays(.min), .olderThanDays(.max)] {
      await #expect(throws: Refusal.self) { try await podflux.dispatch(.downloads(.pause(.matching(condition)))) }
      let query = SnapshotQuery(stores: [.downloads], downloads: .init(condition: condition))
      await #expect(throws: Refusal.self) { try await podflux.snapshot(query) }
      for await _ in podflux.states(query) { Issue.record("it is shown") }
    }
    for limit in [Int.min, 0, .max] {
      let snapshot = try await podflux.snapshot(
        .init(
          downloads: .init(limit: limit), feeds: .init(limit: limit), episodes: .init(limit: limit),
          stepsPage: .init(limit: limit)))
      #expect(snapshot.feeds?.items.isEmpty == true && snapshot.cleanup?.steps.isEmpty == true)
    }
    await podflux.stop()
  }

  /// Of several parts of the same kind the last one was kept.
  @Test("A rule is kept with all parts of its condition", .timeLimit(.minutes(1)))
  func rule() async throws {
    let scene = try EngineScene()
    let podflux = try await Podflux.open(library: scene.library)
    let feed = try #require(FeedID("feed"))
    let address = scene.serveFeed("/feed.xml", title: "Trains", length: 1000)
    _ = try await podflux.dispatch(.podcasts(.subscribe(.init(id: feed, address: address))))
    for await page in podflux.episodes(interval: 0.05) where page.count == 1 { break }
    let others: [EpisodeCondition] = [.not(.played(false)), .not(.kinds([.trailer]))]
    let both: [EpisodeCondition] = [.titleContains(["none"]), .titleContains(["Pilot"])]
    for condition in [EpisodeCondition.all(others), .all(both)] {
      var update = PodcastIntent.Update()
      update.rules = FeedRules(autoDownload: .init(since: .all, condition: condition))
      _ = try await podflux.dispatch(.podcasts(.update(feed, update)))
      let kept = try #require(try await podflux.snapshot().feeds?.items.first).feed.wishes.rules
      #expect(try await podflux.rulesPlan(.init(feed: feed, rules: kept)).downloads.isEmpty, "\(condition)")
    }
    await podflux.stop()
  }

  @Test("A preview sends no header that no line can say")
  func previewHeaders() async throws {
    let scene = try EngineScene()
    let podflux = try await Podflux.open(library: scene.library)
    let address = scene.serveFeed("/feed.xml", title: "Trains", length: 1000)
    let headers = [Header(name: "X-A", value: "a\r\nX-B: b")]
    let refusal = await #expect(throws: Refusal.self) {
      _ = try await podflux.preview(of: .init(address: address, headers: headers))
    }
    #expect(refusal?.code == .invalidValue)
    await podflux.stop()
  }

  @Test("A relative path is of the working directory at the start; one with a NUL, and a URL, are refused")
  func paths() async throws {
    let scene = try EngineScene()
    let depth = FileManager.default.currentDirectoryPath.split(separator: "/").count
    let relative = String(repeating: "../", count: depth) + scene.library.dropFirst()
    let podflux = try await Podflux.open(library: relative)
    let library = try #require(try await podflux.snapshot(.init(stores: [.engine])).engine?.library)
    #expect(library.hasPrefix("/") && library.hasSuffix(scene.library))
    await podflux.stop()
    await #expect(throws: EngineError.self) { _ = try await Podflux.open(library: scene.library + "2\0") }
    #expect(!FileManager.default.fileExists(atPath: scene.library + "2"))
    await #expect(throws: EngineError.self) { _ = try await Podflux.open(library: "file://" + scene.library) }
    var configuration = EngineConfiguration(libraryPath: scene.library + "3")
    configuration.journal = JournalConfiguration(path: scene.library + ".journal", maximumBytes: 0)
    let unusable = configuration
    await #expect(throws: EngineError.self) { _ = try await Podflux.open(unusable) }
    #expect(!FileManager.default.fileExists(atPath: unusable.libraryPath))
  }

  @Test("A library opens with a configuration: a journal is written")
  func configuration() async throws {
    let scene = try EngineScene()
    let journal = scene.library + ".journal"
    var configuration = EngineConfiguration(libraryPath: scene.library, logger: Logger(label: "test"))
    configuration.journal = JournalConfiguration(path: journal)
    configuration.startsDownloads = false
    let podflux = try await Podflux.open(configuration)
    let address = scene.serve("/a.mp3", length: 1000)
    _ = try await podflux.dispatch(.downloads(.enqueue(.init(id: DownloadID("a"), address: address))))
    await podflux.stop()
    #expect(try String(contentsOfFile: journal, encoding: .utf8).contains("downloads/enqueue"))
    #expect(podflux.state.downloads?.counts[.queued] == 1)
  }

  @Test("What Foundation shows of an error is its sentence")
  func words() {
    let refusal: any Error = Refusal(.notFound, "there is none; name another")
    #expect(refusal.localizedDescription == "there is none; name another")
    let error: any Error = EngineError.libraryInUse(byProcess: 7)
    #expect(error.localizedDescription == "\(error)")
  }

  @Test("Resume data is nil where no byte has come; it and plans are refused for what is not there")
  func resumeData() async throws {
    let scene = try EngineScene()
    let podflux = try await Podflux.open(library: scene.library)
    let (known, unknown) = (try #require(DownloadID("a")), try #require(DownloadID("b")))
    let address = scene.serve("/a.mp3", length: 1000)
    _ = try await podflux.dispatch(.downloads(.enqueue(.init(id: known, address: address, isPaused: true))))
    #expect(try await podflux.resumeData(of: known) == nil, "no byte has come")
    let refusal = await #expect(throws: Refusal.self) { _ = try await podflux.resumeData(of: unknown) }
    #expect(refusal?.code == .notFound)
    let feed = try #require(FeedID("none"))
    let unplanned = await #expect(throws: Refusal.self) {
      _ = try await podflux.rulesPlan(.init(feed: feed, rules: .init()))
    }
    #expect(unplanned?.code == .notFound)
    await podflux.stop()
  }

  @Test("An engine that has closed and that no program holds is freed, with all that it held", .timeLimit(.minutes(1)))
  func freed() async throws {
    let scene = try EngineScene()
    let (stream, freed) = AsyncStream.makeStream(of: Void.self)
    do {
      let owner = ClosingOwner { freed.finish() }
      let configuration = EngineConfiguration(libraryPath: scene.library, logger: Logger(label: "test"))
      try Engine(configuration, owner: owner).stop(.now, because: .shutdown)
    }
    // Ends when the owner, which the engine alone held, is freed.
    for await _ in stream {}
    await #expect(throws: Never.self) { await (try Podflux.open(library: scene.library)).stop() }
  }

  @Test("A preview that is under way when its engine closes is refused, and comes to nothing when that is freed")
  func previewAtEnd() async throws {
    let scene = try EngineScene()
    let (requests, continuation) = AsyncStream.makeStream(of: Void.self)
    let address = scene.stall("/feed.xml") { continuation.yield() }
    var asked = requests.makeAsyncIterator()
    for number in 0..<10 {
      let podflux = try await Podflux.open(library: scene.library + "\(number)")
      let preview = Task { try? await podflux.preview(of: .init(address: address)) }
      await asked.next()
      await podflux.stop()
      #expect(await preview.value == nil)
    }
  }

  @Test("More actions than the engine's mailbox holds wait in order")
  func many() async throws {
    let scene = try EngineScene()
    let podflux = try await Podflux.open(library: scene.library)
    let replies = try await withThrowingTaskGroup(of: Bool.self) { group in
      for number in 0..<10_000 {
        let address = try WebAddress("http://127.0.0.1:1/\(number).mp3")
        group.addTask {
          let reply = try await podflux.dispatch(.downloads(.enqueue(.init(address: address, isPaused: true))))
          guard case .enqueued(_, created: true) = reply else { return false }
          return true
        }
      }
      return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
    }
    #expect(replies == 10_000)
    #expect(try await podflux.snapshot().downloads?.counts[.paused] == 10_000)
    await podflux.stop()
  }
}

/// Calls back when it is freed.
private final class ClosingOwner: EngineOwner {
  private let onRelease: @Sendable () -> Void

  init(onRelease: @escaping @Sendable () -> Void) {
    self.onRelease = onRelease
  }

  deinit {
    onRelease()
  }

  func ready(revision: Int64) {}
  func told(_ notice: Notice) {}
  func closed(because reason: StopReason, revision: Int64, remaining: [DownloadState.Kind: Int]) {}
}

/// An origin and a library.
final class EngineScene: Sendable {
  private let origin: ScriptedOrigin
  private let folder: TemporaryFolder

  init() throws {
    origin = try ScriptedOrigin.start()
    folder = try TemporaryFolder("podflux-engine")
  }

  deinit {
    try? origin.stop()
  }

  var library: String { folder.path + "/library" }

  func serve(_ path: String, length: Int) -> WebAddress {
    origin.serve(path, .resource(Resource(.audio(length: length, seed: 1), entityTag: .strong("v1"))))
    return address(of: path)
  }

  /// Answers no request for a path, and calls back for each.
  func stall(_ path: String, whenAsked: @escaping @Sendable () -> Void) -> WebAddress {
    origin.serveOtherPaths { _ in
      whenAsked()
      return Behaviour.status(200).failingBeforeHead(.stall)
    }
    return address(of: path)
  }

  /// Serves a feed with one episode of that length.
  func serveFeed(_ path: String, title: String, length: Int) -> WebAddress {
    let file = serve("\(path).mp3", length: length)
    let document = """
      <rss version="2.0"><channel><title>\(title)</title><item><guid>1</guid><title>Pilot</title>
      <pubDate>Fri, 02 Jan 2026 03:04:05 GMT</pubDate>
      <enclosure url="\(file)" type="audio/mpeg" length="\(length)"/></item></channel></rss>
      """
    origin.serve(path, .resource(Resource(.text(document), mediaType: "application/rss+xml")))
    return address(of: path)
  }

  private func address(of path: String) -> WebAddress {
    guard let address = try? WebAddress(origin.url(path)) else { preconditionFailure("an origin has an address") }
    return address
  }
}
