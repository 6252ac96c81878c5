import Foundation
import ScriptedOrigin
import Testing
import TestScheduling
import TestSupport

@Suite("Sidecars", .systemTest)
struct SidecarTests {
  private static let png: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A] + [UInt8](repeating: 0, count: 64)
  private static let chapters = #"{"version":"1.2.0","chapters":[{"startTime":0,"title":"One"}]}"#

  /// Serves a feed with one episode and all that lies beside it.
  private func publish(on scene: Scene) {
    scene.serve("/one.mp3", length: 20_000)
    scene.origin.serve("/picture", .resource(Resource(.bytes(Self.png), mediaType: "text/html")))
    scene.origin.serve("/chapters", .resource(Resource(.text(Self.chapters), mediaType: "application/json")))
    scene.origin.serve("/transcript", .resource(Resource(.text("WEBVTT\n\nHello"), mediaType: "text/vtt")))
    let document = """
      <?xml version="1.0"?>
      <rss version="2.0" xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd"
        xmlns:podcast="https://podcastindex.org/namespace/1.0"><channel>
      <title>Show</title><language>en-us</language><itunes:image href="\(scene.origin.url("/picture"))"/>
      <item><guid isPermaLink="false">1</guid><title>One</title><pubDate>01 Jun 2026 10:00:00 +0000</pubDate>
      <enclosure url="\(scene.origin.url("/one.mp3"))" type="audio/mpeg" length="20000"/>
      <podcast:chapters url="\(scene.origin.url("/chapters"))" type="application/json+chapters"/>
      <podcast:transcript url="\(scene.origin.url("/transcript"))" type="text/vtt"/></item>
      </channel></rss>
      """
    scene.origin.serve(
      "/feed.xml", .resource(Resource(.text(document), mediaType: "application/rss+xml", ranges: .ignored)))
  }

  private func download(_ engine: PodfluxProcess, _ scene: Scene) throws {
    try engine.order("feeds/subscribe", ["url": scene.origin.url("/feed.xml"), "id": "show"])
    _ = try engine.waitForFeed("show") { $0["episodes"] as? Int == 1 }
    try engine.order("episodes/download", ["where": ["feed": "show"]])
    try engine.waitForDownloads { counts, _ in counts["completed"] == 1 }
  }

  private static let all = [
    "Show/One.chapters.json", "Show/One.en.vtt", "Show/One.info.json", "Show/One.mp3", "Show/cover.png",
  ]

  @Test("What the setting names lies beside the file, follows it to another name, and goes with it")
  func life() throws {
    let scene = try Scene()
    publish(on: scene)
    let engine = try scene.start()
    try engine.waitForStartCleanup()
    let refused = try engine.ask("settings/update", ["sidecars": ["cover", "poster"]])
    let refusal = try #require(refused["payload"] as? [String: Any])
    #expect(refusal["path"] as? String == "payload.sidecars")
    try engine.order(
      "settings/update",
      ["sidecars": ["info", "cover", "chapters", "transcript"], "filenameTemplate": "{podcast}/{title}"])
    try download(engine, scene)
    try waitUntil("all sidecars") { scene.publishedFiles() == Self.all }
    #expect(FileManager.default.contents(atPath: scene.library + "/Show/cover.png") == Data(Self.png))
    let text = try #require(FileManager.default.contents(atPath: scene.library + "/Show/One.info.json"))
    let info = try #require(try JSONSerialization.jsonObject(with: text) as? [String: Any])
    #expect(info["title"] as? String == "One" && info["guid"] as? String == "1" && info["bytes"] as? Int == 20_000)
    // A cleanup takes none of them for an orphan.
    #expect(try engine.cleanUp(["orphans": "delete"]).acts.isEmpty)
    #expect(scene.publishedFiles() == Self.all)

    try engine.order("settings/update", ["filenameTemplate": "{podcast}/1 {title}"])
    try engine.order("files/rename", ["all": true])
    try waitUntil("renamed sidecars") {
      scene.publishedFiles() == [
        "Show/1 One.chapters.json", "Show/1 One.en.vtt", "Show/1 One.info.json", "Show/1 One.mp3", "Show/cover.png",
      ]
    }
    try engine.order("downloads/remove", ["all": true, "deleteFile": true])
    try waitUntil("an empty library") { scene.publishedFiles().isEmpty }
    try waitUntil("no folder") { !FileManager.default.fileExists(atPath: scene.library + "/Show") }
  }

  @Test("A person's file stays, and what a person has deleted is not fetched again")
  func people() throws {
    let scene = try Scene()
    publish(on: scene)
    scene.origin.serve("/transcript", .resource(Resource(.text("<html>no</html>"), mediaType: "text/vtt")))
    let engine = try scene.start()
    try engine.waitForStartCleanup()
    try engine.order("settings/update", ["filenameTemplate": "{podcast}/{title}"])
    try download(engine, scene)
    let cover = scene.library + "/Show/cover.jpg"
    try Data("mine".utf8).write(to: URL(fileURLWithPath: cover))
    try engine.order("settings/update", ["sidecars": ["cover", "chapters", "transcript", "info"]])
    let expected = ["Show/One.chapters.json", "Show/One.info.json", "Show/One.mp3", "Show/cover.jpg"]
    try waitUntil("two sidecars") { scene.publishedFiles() == expected }
    try waitUntil("a look at the picture") { scene.origin.requests.contains { $0.path == "/picture" } }
    #expect(FileManager.default.contents(atPath: cover) == Data("mine".utf8))

    try FileManager.default.removeItem(atPath: scene.library + "/Show/One.chapters.json")
    _ = try engine.cleanUp()
    try engine.order("settings/update", ["sidecars": []])
    try engine.order("settings/update", ["sidecars": ["cover", "chapters", "info"]])
    try FileManager.default.removeItem(atPath: scene.library + "/Show/One.info.json")
    // What is deleted behind a look is gone at the next start.
    try engine.order("downloads/remove", ["all": true, "deleteFile": true])
    try waitUntil("a person's file alone") { scene.publishedFiles() == ["Show/cover.jpg"] }
    #expect(scene.origin.requests.count { $0.path == "/chapters" } == 1)
  }
}
