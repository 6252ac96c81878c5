import Foundation
import ScriptedOrigin
import Testing
import TestScheduling
import TestSupport

@Suite("Previews", .systemTest)
struct PreviewTests {
  @Test("A preview tells what a feed has, in its place among the replies, and changes nothing")
  func look() throws {
    let scene = try Scene()
    let show = FeedOnOrigin(scene, path: "/feed.xml")
    show.publish(1...3)
    scene.origin.serve("/moved.xml", .redirect(301, to: show.url))
    let engine = try scene.start()
    let revision = try engine.order("snapshot", ["stores": ["feeds"]])
    let preview = try engine.order("feeds/preview", ["url": scene.origin.url("/moved.xml"), "userAgent": "Look/1"])
    #expect(preview["title"] as? String == "Show of /feed.xml")
    #expect(preview["url"] as? String == show.url)
    #expect(preview["episodes"] as? Int == 3)
    #expect(preview["bytes"] as? Int == 30_006)
    #expect(preview["newest"] as? String == "2026-06-03T10:00:00.000Z")
    #expect(preview["wouldDownload"] as? Int == 0)
    #expect(scene.origin.requests.allSatisfy { $0.headers["User-Agent"] == "Look/1" })
    #expect(try engine.order("snapshot", ["stores": ["feeds"]]) as NSDictionary == revision as NSDictionary)
    for line in ["/feed.xml", "/none.xml"].map({ scene.origin.url($0) }) {
      try engine.send(line: #"{"type":"feeds/preview","payload":{"url":"\#(line)"},"meta":{"id":"\#(line)"}}"#)
      try engine.send(line: #"{"type":"filters/clear","meta":{"id":"behind"}}"#)
    }
    engine.closeInput()
    _ = try engine.waitForEnd()
    let ids = engine.lines.compactMap { line in
      ["/feed.xml\"", "/none.xml\"", "behind"].first { line.contains("\"id\":") && line.contains($0) }
    }
    #expect(ids.suffix(4) == ["/feed.xml\"", "behind", "/none.xml\"", "behind"])
    #expect(engine.lines.contains { $0.contains("not_found") && $0.contains("payload.url") })
  }

  @Test("A preview of a feed that does not come ends with the engine")
  func silence() throws {
    let scene = try Scene()
    scene.origin.serve("/feed.xml", .resource(Resource(.text("<rss>"))).limited(toBytesPerSecond: 1))
    let engine = try scene.start()
    let line = #"{"type":"feeds/preview","payload":{"url":"\#(scene.origin.url("/feed.xml"))"}}"#
    try engine.send(line: line)
    try waitUntil("the request") { !scene.origin.requests.isEmpty }
    engine.signal(SIGTERM)
    _ = try engine.waitForEnd()
    #expect(engine.lines.contains { $0.contains("shutting_down") })
    #expect(engine.lines.last?.contains("engine/stopped") == true)
  }
}
