import Foundation
import ScriptedOrigin
import Testing
import TestScheduling
import TestSupport

/// The setting `addresses` in the real process. A proxy stands for the Internet: what it finds counts as public, and
/// what the environment spares from it is this machine.
@Suite("The addresses that a feed names", .systemTest)
struct AddressTests {
  private static let advice = "which is no public address; podflux settings addresses=any allows it"

  /// What lets names that end so lead to the origin by way of a proxy, and 127.0.0.1 to this machine.
  private func environment(_ proxy: ScriptedProxy) -> [String: String] {
    let empty = ["https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY", "NO_PROXY"]
    return Dictionary(uniqueKeysWithValues: empty.map { ($0, "") })
      .merging(["http_proxy": "http://127.0.0.1:\(proxy.port)", "no_proxy": "127.0.0.1"]) { $1 }
  }

  private func outside(_ path: String, _ scene: Scene) -> String {
    "http://outside.invalid:\(scene.origin.port)\(path)"
  }

  private func serve(_ path: String, naming items: String, _ more: String = "", on scene: Scene) {
    let document = """
      <?xml version="1.0"?>
      <rss version="2.0" xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd"
        xmlns:atom="http://www.w3.org/2005/Atom" xmlns:podcast="https://podcastindex.org/namespace/1.0">
      <channel><title>Show</title>\(more)\(items)</channel></rss>
      """
    scene.origin.serve(
      path, .resource(Resource(.text(document), mediaType: "application/rss+xml", ranges: .ignored)))
  }

  private func item(_ number: Int, _ url: String, _ more: String = "") -> String {
    """
    <item><guid isPermaLink="false">\(number)</guid><title>Episode \(number)</title>
    <pubDate>0\(number) Jun 2026 10:00:00 +0000</pubDate>\(more)
    <enclosure url="\(url)" type="audio/mpeg" length="20000"/></item>
    """
  }

  private func subscribe(_ engine: PodfluxProcess, to url: String, until condition: ([String: Any]) -> Bool) throws
    -> [String: Any]
  {
    try engine.order("feeds/subscribe", ["url": url, "id": "show"])
    return try engine.waitForFeed("show", condition)
  }

  private func error(_ feed: [String: Any]) -> (code: String?, message: String?) {
    let error = feed["error"] as? [String: Any]
    return (error?["code"] as? String, error?["message"] as? String)
  }

  /// Downloads all episodes, and waits until each has been tried.
  private func download(_ engine: PodfluxProcess, _ number: Int) throws -> [[String: Any]] {
    try engine.order("episodes/download", ["where": ["feed": "show"]])
    try engine.waitForDownloads { counts, _ in
      ["completed", "failed", "waiting"].map { counts[$0, default: 0] }.reduce(0, +) == number
    }
    return try engine.downloads().items.sorted { "\($0["title"] ?? "")" < "\($1["title"] ?? "")" }
  }

  private func paths(_ scene: Scene) -> Set<String> { Set(scene.origin.requests.map(\.path)) }

  // MARK: Tests

  @Test(
    "A feed on this machine names files on this machine; with public nothing gets there, and any and a retry are enough"
  )
  func own() throws {
    let scene = try Scene()
    let show = FeedOnOrigin(scene, path: "/feed.xml")
    show.publish(1...1)
    let engine = try scene.start()
    _ = try subscribe(engine, to: show.url) { $0["lastRefreshed"] is String }
    try engine.order("settings/update", ["addresses": "public"])
    scene.origin.resetLog()
    let item = try #require(try download(engine, 1).first)
    #expect(item["state"] as? String == "failed")
    #expect(error(item).code == "connect_failed")
    #expect(error(item).message == "the address leads to 127.0.0.1, \(Self.advice)")
    try engine.order("feeds/refresh", ["id": "show"])
    let feed = try engine.waitForFeed("show") { $0["error"] is [String: Any] }
    #expect(error(feed).code == "connect_failed")
    #expect(error(feed).message == "the address leads to 127.0.0.1, \(Self.advice)")
    #expect(try engine.refusal("feeds/preview", ["url": show.url]).code == "conflict")
    #expect(scene.origin.requests.isEmpty)

    try engine.order("settings/update", ["addresses": "any"])
    try engine.order("downloads/retry", ["all": true])
    try engine.waitForDownloads { counts, _ in counts["completed"] == 1 }
    try engine.order("settings/update", ["addresses": NSNull()])
    let settings = try engine.order("snapshot", ["stores": ["settings"]])["settings"] as? [String: Any]
    #expect(settings?["addresses"] is NSNull)
    try engine.order("feeds/refresh", ["id": "show"])
    _ = try engine.waitForFeed("show") { $0["error"] is NSNull && $0["refreshing"] as? Bool == false }
  }

  @Test("A feed of the Internet leads nothing to this machine: no file, no redirect, no sidecar, no tag")
  func hostile() throws {
    let scene = try Scene()
    let proxy = try ScriptedProxy.start()
    let inner = scene.origin.url("/inner")
    scene.serve("/good.mp3", length: 20_000)
    scene.serve("/inner.mp3", length: 20_000)
    scene.origin.serve("/led.mp3", .redirect(302, to: inner + ".mp3"))
    serve(
      "/feed.xml",
      naming: item(
        1, outside("/good.mp3", scene),
        "<podcast:chapters url=\"\(inner).json\" type=\"application/json+chapters\"/>"
          + "<podcast:transcript url=\"\(inner).vtt\" type=\"text/vtt\"/><itunes:image href=\"\(inner).jpg\"/>")
        + item(2, inner + ".mp3") + item(3, outside("/led.mp3", scene)),
      "<itunes:image href=\"\(inner).png\"/><atom:link rel=\"next\" href=\"\(inner).xml\"/>", on: scene)
    let engine = try scene.start(environment: environment(proxy))
    try engine.order("settings/update", ["sidecars": ["cover", "picture", "chapters", "transcript"], "tags": true])
    _ = try subscribe(engine, to: outside("/feed.xml", scene)) { $0["lastRefreshed"] is String }
    let items = try download(engine, 3)
    #expect(items.map { $0["state"] as? String } == ["completed", "failed", "waiting"])
    #expect(items.map { error($0).code } == [nil, "connect_failed", "connect_failed"])
    #expect(error(items[1]).message == "the address leads to 127.0.0.1, \(Self.advice)")
    #expect(error(items[2]).message == "a redirect leads to 127.0.0.1, \(Self.advice)")
    #expect(paths(scene) == ["/feed.xml", "/good.mp3", "/led.mp3"])

    try engine.order("settings/update", ["addresses": "any"])
    try engine.order("downloads/retry", ["all": true])
    try engine.waitForDownloads { counts, _ in counts["completed"] == 3 }
    #expect(paths(scene).contains("/inner.mp3"))
  }

  @Test(
    "A feed of the Internet does not move to this machine, and a person's word subscribes there",
    arguments: [true, false])
  func moves(byRedirect isRedirect: Bool) throws {
    let scene = try Scene()
    let proxy = try ScriptedProxy.start()
    let inner = scene.origin.url("/inner.xml")
    serve("/inner.xml", naming: item(1, outside("/good.mp3", scene)), on: scene)
    if isRedirect {
      scene.origin.serve("/feed.xml", .redirect(301, to: inner))
    } else {
      serve(
        "/feed.xml", naming: item(1, outside("/good.mp3", scene)),
        "<itunes:new-feed-url>\(inner)</itunes:new-feed-url>",
        on: scene)
    }
    let engine = try scene.start(environment: environment(proxy))
    let feed = try subscribe(engine, to: outside("/feed.xml", scene)) {
      isRedirect ? $0["error"] is [String: Any] : $0["lastRefreshed"] is String
    }
    #expect(error(feed).code == (isRedirect ? "connect_failed" : nil))
    #expect(feed["url"] as? String == outside("/feed.xml", scene))
    #expect(paths(scene) == ["/feed.xml"])
    try engine.order("feeds/update", ["id": "show", "url": inner])
    try waitUntil("a person's word to lead there") { paths(scene).contains("/inner.xml") }
    _ = try engine.waitForFeed("show") { $0["error"] is NSNull && $0["refreshing"] as? Bool == false }
  }

  @Test("What a person enqueues may be on this machine, and is not redirected there from the Internet")
  func persons() throws {
    let scene = try Scene()
    let proxy = try ScriptedProxy.start()
    scene.serve("/inner.mp3", length: 20_000)
    scene.origin.serve("/led.mp3", .redirect(302, to: scene.origin.url("/inner.mp3")))
    let engine = try scene.start(environment: environment(proxy))
    try engine.order("downloads/enqueue", ["url": scene.origin.url("/inner.mp3"), "id": "a"])
    try engine.wait(for: "a", toBe: "completed")
    try engine.order("downloads/enqueue", ["url": outside("/led.mp3", scene), "id": "b"])
    try engine.wait(for: "b", toBe: "waiting")
    let item = try #require(try engine.downloads().items.first { $0["id"] as? String == "b" })
    #expect(error(item).code == "connect_failed")
  }
}
