import Observation
import PodfluxCore
import PodfluxEngine
import Testing

/// The code in the article SwiftAPI, the landing page and README.md: each marked piece is there word for word, and runs
/// here.
@Suite("Snippets of the documentation")
struct SwiftAPISnippets {
  @Test("A download, from opening a library to stopping")
  func first() async throws {
    let scene = try EngineScene()
    let (folder, url) = (scene.library, scene.serve("/1.mp3", length: 100_000).description)
    // snippet.begin first
    let podflux = try await Podflux.open(library: folder)
    let enqueue = DownloadIntent.Enqueue(address: try WebAddress(url))
    guard case .enqueued(let id, _) = try await podflux.dispatch(.downloads(.enqueue(enqueue))) else { return }
    for await downloads in podflux.downloads(.init(condition: .ids([id]), isUnfiltered: true)) {
      guard let kind = downloads.items.first?.download.state.kind else { continue }
      print(kind, downloads.bytesPerSecond)
      if kind == .completed || kind == .failed { break }
    }
    await podflux.stop()
    // snippet.end
    #expect(podflux.state.downloads?.counts[.completed] == 1)
  }

  @Test("A completed download names its file")
  func file() async throws {
    let scene = try EngineScene()
    let folder = scene.library
    let podflux = try await Podflux.open(library: folder)
    let address = scene.serve("/file.mp3", length: 10_000)
    _ = try await podflux.dispatch(.downloads(.enqueue(.init(address: address))))
    // snippet.begin file
    for await downloads in podflux.downloads(.init(condition: .states([.completed]), limit: 1)) {
      guard case .completed(let file)? = downloads.items.first?.download.state else { continue }
      print(folder + "/" + file.path.description, file.length)
      break
    }
    // snippet.end
    await podflux.stop()
  }

  @Test("What a client knows of an episode names its file")
  func describe() async throws {
    let scene = try EngineScene()
    let podflux = try await Podflux.open(library: scene.library)
    let url = scene.serve("/2.mp3", length: 50_000).description
    // snippet.begin describe
    let request = DownloadIntent.Enqueue(
      id: DownloadID("night-1"),
      address: try WebAddress(url),
      description: .init(podcast: "Night Trains", title: "Vienna to Hamburg"),
      priority: .high,
      network: .unmetered)
    let reply = try await podflux.dispatch(.downloads(.enqueue(request)))
    guard case .enqueued(let id, let created) = reply else { return }
    print(id, created ? "is new" : "was there already")
    // snippet.end
    #expect(created && id.description == "night-1")
    await podflux.stop()
  }

  @Test("A refusal says what was wrong")
  func refusal() async throws {
    let scene = try EngineScene()
    let podflux = try await Podflux.open(library: scene.library)
    let id = try #require(DownloadID("missing"))
    // snippet.begin refusal
    do throws(Refusal) {
      _ = try await podflux.dispatch(.downloads(.pause(.one(id))))
    } catch {
      print(error.code.rawValue, error.message)
    }
    // snippet.end
    await #expect(throws: Refusal.self) { try await podflux.dispatch(.downloads(.pause(.one(id)))) }
    await podflux.stop()
  }

  @Test("A podcast, from its preview to the file of its latest episode")
  func podcast() async throws {
    let scene = try EngineScene()
    let podflux = try await Podflux.open(library: scene.library)
    let url = scene.serveFeed("/night-trains", title: "Night Trains", length: 60_000).description
    // snippet.begin podcast
    let address = try WebAddress(url)
    let preview = try await podflux.preview(of: .init(address: address))
    print(preview.title ?? "untitled", preview.episodes, "episodes")
    _ = try await podflux.dispatch(.podcasts(.subscribe(.init(address: address))))
    for await episodes in podflux.episodes(.init(limit: 1)) {
      guard let latest = episodes.items.first?.episode else { continue }
      _ = try await podflux.dispatch(.podcasts(.download(.one(latest.id))))
      break
    }
    for await downloads in podflux.downloads() where downloads.counts[.completed] == 1 { break }
    // snippet.end
    #expect(preview.title == "Night Trains" && preview.episodes == 1 && preview.bytes == 60_000)
    for await feeds in podflux.feeds() where feeds.items.first?.downloaded == 1 { break }
    #expect(try await podflux.opml().contains("/night-trains"))
    await podflux.stop()
    #expect(podflux.state.feeds?.items.map(\.feed.shownTitle) == ["Night Trains"])
  }

  @Test("A list follows what it asks for")
  func list() async throws {
    let scene = try EngineScene()
    let podflux = try await Podflux.open(library: scene.library)
    for number in 1...3 {
      let address = try WebAddress("http://127.0.0.1:1/\(number).mp3")
      _ = try await podflux.dispatch(.downloads(.enqueue(.init(address: address, isPaused: true))))
    }
    // snippet.begin list
    let paused = DownloadsQuery(
      condition: .all([.states([.paused]), .titleContains(["night"])]),
      isUnfiltered: true, order: .init(.published, isReversed: true), limit: 20)
    for await page in podflux.downloads(paused, interval: 0.5) {
      for item in page.items { print(item.download.id, item.download.progress.durable) }
      if page.next == nil { break }
    }
    // snippet.end
    #expect(try await podflux.snapshot(.init(downloads: paused)).downloads?.items.isEmpty == true)
    await podflux.stop()
  }

  @Test("Pages lead to all downloads")
  func pages() async throws {
    let scene = try EngineScene()
    let podflux = try await Podflux.open(library: scene.library)
    for number in 1...5 {
      let address = try WebAddress("http://127.0.0.1:1/\(number).mp3")
      _ = try await podflux.dispatch(.downloads(.enqueue(.init(address: address, isPaused: true))))
    }
    // snippet.begin pages
    var ids: [DownloadID] = []
    var query = SnapshotQuery(stores: [.downloads], downloads: .init(isUnfiltered: true, limit: 2))
    repeat {
      let downloads = try await podflux.snapshot(query).downloads
      ids += downloads?.items.map(\.download.id) ?? []
      query.downloads.after = downloads?.next
    } while query.downloads.after != nil
    // snippet.end
    #expect(Set(ids).count == 5 && ids.count == 5)
    await podflux.stop()
  }

  @Test("A view observes a property")
  func observe() async throws {
    let scene = try EngineScene()
    let podflux = try await Podflux.open(library: scene.library)
    let (changes, continuation) = AsyncStream.makeStream(of: Void.self)
    // snippet.begin observe
    let running = withObservationTracking {
      podflux.state.downloads?.counts[.running] ?? 0
    } onChange: {
      continuation.yield()
    }
    // snippet.end
    #expect(running == 0)
    let address = scene.serve("/3.mp3", length: 1000)
    _ = try await podflux.dispatch(.downloads(.enqueue(.init(address: address))))
    var iterator = changes.makeAsyncIterator()
    #expect(await iterator.next() != nil)
    await podflux.stop()
  }

  @Test("Settings and the network's path are set by actions")
  func settings() async throws {
    let scene = try EngineScene()
    let podflux = try await Podflux.open(library: scene.library)
    // snippet.begin settings
    var patch = SettingsPatch()
    patch.maxConcurrent = 2
    patch.bytesPerSecond = 1 << 20
    patch.network = .init()
    patch.network?.podcasts["Night Trains"] = .any
    _ = try await podflux.dispatch(.updateSettings(patch))

    let path = NetworkPath(status: .online, interface: .wifi, isMetered: true, device: "wlan0")
    _ = try await podflux.dispatch(.network(.report(path)))
    // snippet.end
    let snapshot = try await podflux.snapshot()
    #expect(snapshot.settings?.maxConcurrent == 2 && snapshot.network?.path == path)
    await podflux.stop()
  }

  @Test("A plan tells what a cleanup would do")
  func cleanup() async throws {
    let scene = try EngineScene()
    let podflux = try await Podflux.open(library: scene.library)
    // snippet.begin cleanup
    let reply = try await podflux.dispatch(.cleanup(.run(.init(mode: .plan, orphans: .adopt))))
    guard case .cleanup(let key) = reply else { return }
    for await cleanup in podflux.cleanup() where cleanup.run?.key == key {
      guard let run = cleanup.run, run.stage.isEnd else { continue }
      for step in cleanup.steps { print(step.finding.kind.rawValue, step.decision.rawValue) }
      break
    }
    // snippet.end
    let run = try await podflux.snapshot().cleanup?.run
    #expect(run?.key == key && run?.stage == .done)
    await podflux.stop()
  }

  @Test("A suspended engine takes its library again")
  func suspend() async throws {
    let scene = try EngineScene()
    let podflux = try await Podflux.open(library: scene.library)
    // snippet.begin suspend
    try await podflux.suspend()
    // No lock is held and no file of the library is open here.
    try await podflux.resume()
    // snippet.end
    _ = try await podflux.snapshot()
    await podflux.stop()
  }
}
