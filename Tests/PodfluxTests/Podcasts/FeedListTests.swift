import Foundation
import ScriptedOrigin
import Testing
import TestScheduling
import TestSupport

@Suite("Lists of feeds", .systemTest)
struct FeedListTests {
  @Test("What is exported is imported elsewhere, groups and titles kept, secrets left out unless they are asked for")
  func roundTrip() throws {
    let scene = try Scene()
    let engine = try scene.start(["--network", "offline"])
    let opml = """
      <?xml version="1.0"?><opml version="1.0"><head><title>Mine</title></head><body>
      <outline text="News &amp; more"><outline text="Daily"><OUTLINE text="One" XMLURL="https://one.example/f?token=s3cret"/></outline></outline>
      <outline type="rss" text="Two" xmlUrl="https://ann:hidden@two.example/f"/>
      <outline text="Again" xmlUrl="https://ann:hidden@two.example/f"/>
      <outline text="Bad" xmlUrl="ftp://bad.example/f"/>
      </body>
      """
    let added = try engine.order("feeds/import", ["opml": opml])
    #expect(added["added"] as? Int == 2)
    #expect(added["known"] as? Int == 0)
    let rejected = try #require((added["rejected"] as? [[String: Any]])?.first)
    #expect(rejected["code"] as? String == "unsupported_scheme")
    #expect(try engine.order("feeds/import", ["opml": opml])["known"] as? Int == 2)
    let public_ = try #require(try engine.order("feeds/export")["opml"] as? String)
    #expect(!public_.contains("hidden") && !public_.contains("s3cret"))
    let whole = try #require(try engine.order("feeds/export", ["secrets": true])["opml"] as? String)
    #expect(whole.contains("ann:hidden@two.example") && whole.contains("s3cret"))
    let path = scene.outside + "/list.opml"
    try whole.write(toFile: path, atomically: true, encoding: .utf8)
    let other = try Scene()
    let second = try other.start(["--network", "offline"])
    #expect(try second.order("feeds/import", ["file": path])["added"] as? Int == 2)
    #expect(try second.order("feeds/export", ["secrets": true])["opml"] as? String == whole)
    let feeds = try second.order("snapshot", ["stores": ["feeds"]])["feeds"] as? [String: Any]
    let items = try #require(feeds?["items"] as? [[String: Any]])
    #expect(items.map { $0["title"] as? String } == ["One", "Two"])
    #expect(items.map { $0["group"] as? String } == ["News & more/Daily", nil])
    #expect(!other.log.contains("hidden") && !scene.log.contains("s3cret"))
  }

  @Test("What is no list is refused with one sentence, and changes nothing")
  func refusals() throws {
    let scene = try Scene()
    let engine = try scene.start(["--network", "offline"])
    // Nothing ever writes to it: an engine that waits for that waits for ever.
    #expect(mkfifo(scene.outside + "/fifo", 0o600) == 0)
    for (payload, path) in [
      (["opml": "<html><body>no</body></html>"], "payload.opml"), (["opml": ""], "payload.opml"),
      (["opml": "<rss><channel><title>x</title></channel></rss>"], "payload.opml"),
      (["file": scene.outside + "/missing.opml"], "payload.file"), (["file": scene.outside], "payload.file"),
      (["file": scene.outside + "/fifo"], "payload.file"),
    ] {
      let refusal = try engine.ask("feeds/import", payload)["payload"] as? [String: Any]
      #expect(refusal?["code"] as? String == "invalid_value", "\(payload)")
      #expect(refusal?["path"] as? String == path)
    }
    let both = try engine.ask("feeds/import", ["opml": "", "file": ""])["payload"] as? [String: Any]
    #expect(both?["code"] as? String == "invalid_value")
  }
}
