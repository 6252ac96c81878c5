import Foundation
import ScriptedOrigin
import Testing
import TestScheduling
import TestSupport

/// Kills one library on the way from subscriptions to files.
@Suite("Kills on the way from a feed to its files", .systemTest)
struct FeedKillTests {
  private static let feeds = ["/a.xml", "/b.xml", "/c.xml"]
  /// Some pages of episodes in each feed.
  private static let episodes = 1...150
  /// What the titles contain of those that are downloaded: 1, 10 to 19, and 100 to 150.
  private static let wanted = "Episode 1"
  private static let wantedCount = 62

  private static var kills: Int {
    ProcessInfo.processInfo.environment["PODFLUX_FEED_KILLS"].flatMap(Int.init) ?? 20
  }

  @Test("After many kills the library is what it is without one")
  func storm() throws {
    let seed = try SeededRandom.seed()
    var random = SeededRandom(seed: seed)
    let scene = try Self.scene()
    for _ in 0..<Self.kills {
      let engine = try scene.start()
      try Self.send(to: engine, scene)
      let bytes = scene.origin.totalBodyBytesSent + Int.random(in: 0...150_000, using: &random)
      // Near the end nothing more is sent.
      _ = try? scene.origin.wait(upTo: .milliseconds(400)) { $0.totalBodyBytesSent >= bytes }
      try engine.kill()
    }
    let killed = try Self.finish(scene)
    let undisturbed = try Self.finish(try Self.scene())
    #expect(killed.episodes == undisturbed.episodes, "PODFLUX_SEED=\(seed)")
    #expect(killed.files == undisturbed.files, "PODFLUX_SEED=\(seed)")
    #expect(killed.episodes.count == Self.feeds.count * Self.episodes.count)
    #expect(scene.partialFiles().isEmpty)
  }

  private static func scene() throws -> Scene {
    let scene = try Scene()
    for path in feeds { FeedOnOrigin(scene, path: path).publish(episodes, bytesPerSecond: 200_000) }
    return scene
  }

  /// Sends what a client sends at each start: all of it can be done twice.
  private static func send(to engine: PodfluxProcess, _ scene: Scene) throws {
    try engine.order("settings/update", ["maxConcurrent": 16, "maxPerHost": 16, "retryFirstSeconds": 1])
    for path in feeds {
      let name = String(path.dropFirst().prefix(1))
      try engine.send(
        line: #"{"type":"feeds/subscribe","payload":{"id":"\#(name)","url":"\#(scene.origin.url(path))"}}"#)
    }
    try engine.send(line: #"{"type":"feeds/refresh","payload":{"all":true}}"#)
    try engine.send(line: #"{"type":"episodes/download","payload":{"where":{"titleContains":"\#(wanted)"}}}"#)
  }

  /// What is in a library when everything is done.
  private struct Outcome {
    /// The content of each episode, without its number, which follows the order in which feeds are read.
    var episodes: [String]
    /// The hash of each file, by its path.
    var files: [String: String]
  }

  private static func finish(_ scene: Scene) throws -> Outcome {
    let engine = try scene.start()
    try send(to: engine, scene)
    for path in feeds {
      _ = try engine.waitForFeed(String(path.dropFirst().prefix(1)), upTo: 60) {
        $0["lastRefreshed"] is String && $0["refreshing"] as? Bool == false
      }
    }
    try engine.order("episodes/download", ["where": ["titleContains": wanted]])
    try engine.waitForDownloads(upTo: 60) { counts, _ in
      counts["completed"] == feeds.count * wantedCount && counts.values.reduce(0, +) == feeds.count * wantedCount
    }
    let items = try feeds.flatMap { path in
      try engine.episodes(["feed": String(path.dropFirst().prefix(1))])
    }
    engine.closeInput()
    _ = try engine.waitForEnd()
    return Outcome(
      episodes: items.map { item in
        ["feed", "guid", "title", "published", "seconds", "state", "missingFromFeed"].map { "\(item[$0] ?? "")" }
          .joined(separator: " ")
      }.sorted(),
      files: Dictionary(
        uniqueKeysWithValues: scene.publishedFiles().map { ($0, scene.hash(of: $0) ?? "unreadable") }))
  }
}
