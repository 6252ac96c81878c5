import Foundation
import ScriptedOrigin
import Testing
import TestScheduling
import TestSupport

@Suite("Show notes", .systemTest)
struct ShowNotesTests {
  /// Serves a feed with one episode whose notes are these.
  private func publish(_ notes: String, version: String, on scene: Scene) {
    scene.serve("/one.mp3", length: 20_000)
    let document = """
      <?xml version="1.0"?>
      <rss version="2.0" xmlns:content="http://purl.org/rss/1.0/modules/content/"><channel><title>Show</title>
      <item><guid isPermaLink="false">1</guid><title>One &amp; two</title><description>Short.</description>
      <content:encoded><![CDATA[\(notes)]]></content:encoded>
      <enclosure url="\(scene.origin.url("/one.mp3"))" type="audio/mpeg" length="20000"/></item>
      </channel></rss>
      """
    scene.origin.serve(
      "/feed.xml",
      .resource(
        Resource(.text(document), mediaType: "application/rss+xml", entityTag: .strong(version), ranges: .ignored)))
  }

  private static func page(_ notes: String) -> String {
    """
    <!DOCTYPE html>
    <html>
    <head>
    <meta charset="utf-8">
    <meta http-equiv="Content-Security-Policy" content="default-src 'none'">
    <title>One &amp; two</title>
    </head>
    <body>
    \(notes)
    </body>
    </html>

    """
  }

  private func download(_ engine: PodfluxProcess, _ scene: Scene) throws {
    try engine.order("feeds/subscribe", ["url": scene.origin.url("/feed.xml"), "id": "show"])
    _ = try engine.waitForFeed("show") { $0["episodes"] as? Int == 1 }
    try engine.order("episodes/download", ["where": ["feed": "show"]])
    try engine.waitForDownloads { counts, _ in counts["completed"] == 1 }
  }

  private func text(_ name: String, in scene: Scene) -> String? {
    FileManager.default.contents(atPath: scene.library + "/" + name).map { String(decoding: $0, as: UTF8.self) }
  }

  @Test("A completed download gets its notes without what acts, which a cleanup knows and which go with the file")
  func life() throws {
    let scene = try Scene()
    publish(
      "<p onclick=\"act()\">Notes <a href=\"https://a.example/?a=1&amp;b=2\">here</a><script>act()</script></p>"
        + "<a href=\"javascript:act()\">there</a>", version: "1", on: scene)
    let engine = try scene.start()
    try engine.order("settings/update", ["sidecars": ["notes"], "filenameTemplate": "{podcast}/{title}"])
    try download(engine, scene)
    try waitUntil("the notes") { scene.publishedFiles() == ["Show/One & two.html", "Show/One & two.mp3"] }
    let expected = Self.page("<p>Notes <a href=\"https://a.example/?a=1&amp;b=2\">here</a></p>there")
    #expect(text("Show/One & two.html", in: scene) == expected)
    #expect(try engine.cleanUp(["orphans": "delete"]).acts.isEmpty)
    #expect(text("Show/One & two.html", in: scene) == expected)
    try engine.order("settings/update", ["filenameTemplate": "{podcast}/1 {title}"])
    try engine.order("files/rename", ["all": true])
    try waitUntil("renamed notes") { scene.publishedFiles() == ["Show/1 One & two.html", "Show/1 One & two.mp3"] }
    try engine.order("downloads/remove", ["all": true, "deleteFile": true])
    try waitUntil("an empty library") { scene.publishedFiles().isEmpty }
  }

  @Test("When the setting comes, the next refresh reads a feed that has not changed, once, and files get their notes")
  func later() throws {
    let scene = try Scene()
    publish("Plain\n\nnotes", version: "1", on: scene)
    let engine = try scene.start()
    try engine.order("settings/update", ["filenameTemplate": "{podcast}/{title}"])
    try download(engine, scene)
    try engine.order("settings/update", ["sidecars": ["notes"]])
    func refresh() throws {
      let count = scene.origin.requests.count { $0.path == "/feed.xml" }
      try engine.order("feeds/refresh", ["id": "show"])
      try waitUntil("a refresh") { scene.origin.requests.count { $0.path == "/feed.xml" } > count }
    }
    func conditions() -> [String?] {
      scene.origin.requests.filter { $0.path == "/feed.xml" }.map { $0.headers["If-None-Match"] }
    }
    try refresh()
    let place = "Show/One & two.html"
    try waitUntil("the notes") { text(place, in: scene) == Self.page("<p>Plain</p><p>notes</p>") }
    _ = try engine.waitForFeed("show") { $0["refreshing"] as? Bool != true }
    try refresh()
    #expect(conditions() == [nil, nil, "\"1\""])
    // What is written stays as it is.
    _ = try engine.waitForFeed("show") { $0["refreshing"] as? Bool != true }
    publish("Other notes", version: "2", on: scene)
    try refresh()
    _ = try engine.waitForFeed("show") { $0["refreshing"] as? Bool != true }
    #expect(try engine.cleanUp(["orphans": "delete"]).acts.isEmpty)
    #expect(text(place, in: scene) == Self.page("<p>Plain</p><p>notes</p>"))
  }
}
