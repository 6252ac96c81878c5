import Foundation
import ScriptedOrigin
import Testing
import TestScheduling
import TestSupport

@Suite("Subscriptions", .systemTest)
struct SubscriptionTests {
  @Test("From a feed's address to a file on the disk, and what is new the next time")
  func life() throws {
    let scene = try Scene()
    let show = FeedOnOrigin(scene, path: "/feed.xml")
    show.publish(1...3)
    var engine = try scene.start()
    #expect(try engine.order("feeds/subscribe", ["url": show.url, "id": "show"])["created"] as? Bool == true)
    #expect(try engine.order("feeds/subscribe", ["url": show.url])["created"] as? Bool == false)
    let feed = try engine.waitForFeed("show") { $0["lastRefreshed"] is String }
    #expect(feed["title"] as? String == "Show of /feed.xml")
    #expect(feed["episodes"] as? Int == 3)
    #expect(feed["error"] is NSNull)
    let episodes = try engine.episodes(["feed": "show"])
    #expect(episodes.map { $0["title"] as? String } == ["Episode 3", "Episode 2", "Episode 1"])
    #expect(episodes[0]["seconds"] as? Int == 3723)
    let second = try #require(episodes[1]["id"] as? String)
    #expect(try engine.order("episodes/download", ["id": second])["affected"] as? Int == 1)
    try engine.waitForDownloads { counts, _ in counts["completed"] == 1 }
    #expect(scene.publishedFiles() == ["Show of -feed.xml/2026-06-02 Episode 2.mp3"])
    #expect(try engine.episodes(["state": "completed"]).map { $0["id"] as? String } == [second])
    #expect(try engine.order("episodes/mark", ["where": ["feed": "show"], "played": true])["affected"] as? Int == 3)
    // The next engine knows all of it, and a refresh with nothing new costs a request of a few bytes.
    engine.closeInput()
    _ = try engine.waitForEnd()
    engine = try scene.start()
    scene.origin.resetLog()
    #expect(try engine.order("feeds/refresh", ["id": "show"])["affected"] as? Int == 1)
    try waitUntil("the refresh") { scene.origin.requests.contains { $0.path == "/feed.xml" } }
    #expect(scene.origin.requests.first?.headers["If-None-Match"] == "\"3\"")
    show.publish(2...4)
    _ = try engine.waitForFeed("show") { $0["refreshing"] as? Bool == false }
    try engine.order("feeds/refresh", ["all": true])
    _ = try engine.waitForFeed("show") { $0["episodes"] as? Int == 4 && $0["refreshing"] as? Bool == false }
    let now = try engine.episodes(["feed": "show"])
    #expect(now.map { $0["missingFromFeed"] as? Bool } == [false, false, false, true])
    #expect(now.map { $0["played"] as? Bool } == [false, true, true, true])
    try engine.order("feeds/unsubscribe", ["id": "show", "deleteFiles": true])
    try waitUntil("the file to go") { scene.publishedFiles().isEmpty }
    #expect(try engine.episodes([:]).isEmpty)
  }

  @Test("What a server answers becomes the feed's state, and a feed behind gzip and redirects is read")
  func servers() throws {
    let scene = try Scene()
    scene.origin.serve("/gone.xml", .status(410))
    scene.origin.serve("/words.xml", .resource(Resource(.text("only words"), mediaType: "text/plain")))
    let show = FeedOnOrigin(scene, path: "/feed.xml")
    show.publish(1...2)
    scene.origin.serve("/moved.xml", .redirect(301, to: show.url))
    let zipped = try #require(Body.gzip(of: .text("<rss><channel><title>Zipped</title></channel></rss>")))
    scene.origin.serve("/zipped.xml", .resource(Resource(zipped, mediaType: "application/gzip")))
    let engine = try scene.start()
    for name in ["gone", "words", "moved", "zipped"] {
      try engine.order("feeds/subscribe", ["url": scene.origin.url("/\(name).xml"), "id": name, "group": "A/B"])
    }
    let gone = try engine.waitForFeed("gone") { $0["ended"] as? Bool == true }
    #expect((gone["error"] as? [String: Any])?["code"] as? String == "gone")
    #expect(gone["nextRefresh"] is NSNull)
    let words = try engine.waitForFeed("words") { $0["error"] is [String: Any] }
    #expect((words["error"] as? [String: Any])?["code"] as? String == "not_media")
    let moved = try engine.waitForFeed("moved") { $0["lastRefreshed"] is String }
    #expect(moved["url"] as? String == show.url)
    #expect(moved["movedFrom"] as? String == scene.origin.url("/moved.xml"))
    let read = try engine.waitForFeed("zipped") { $0["lastRefreshed"] is String }
    #expect(read["title"] as? String == "Zipped")
  }

  @Test("A feed's headers and user agent go with its requests, and are never shown")
  func secrets() throws {
    let scene = try Scene()
    let show = FeedOnOrigin(scene, path: "/feed.xml")
    show.publish(1...1)
    let engine = try scene.start()
    let url = show.url.replacing("http://", with: "http://ann:hidden-word@")
    try engine.order(
      "feeds/subscribe",
      ["url": url, "id": "show", "headers": ["X-Token": "hidden-token"], "userAgent": "Other/2"])
    let feed = try engine.waitForFeed("show") { $0["lastRefreshed"] is String }
    #expect(feed["url"] as? String == show.url)
    let request = try #require(scene.origin.requests.first { $0.path == "/feed.xml" })
    #expect(request.headers["X-Token"] == "hidden-token")
    #expect(request.headers["User-Agent"] == "Other/2")
    #expect(request.headers["Authorization"] == "Basic YW5uOmhpZGRlbi13b3Jk")
    engine.closeInput()
    _ = try engine.waitForEnd()
    #expect(!engine.lines.contains { $0.contains("hidden") })
    #expect(!scene.log.contains("hidden"))
  }

  @Test("A host is asked for four feeds at once; the others wait, and one that is left meanwhile is never asked for")
  func slots() throws {
    let scene = try Scene()
    let shows = (1...12).map { FeedOnOrigin(scene, path: "/\($0).xml") }
    for show in shows { show.publish(1...1) }
    for show in shows.prefix(4) { scene.origin.serve(show.path, Behaviour.status(200).failingBeforeHead(.stall)) }
    let engine = try scene.start()
    for (number, show) in zip(1..., shows) {
      try engine.order("feeds/subscribe", ["url": show.url, "id": "f\(number)"])
    }
    try scene.origin.wait(upTo: .seconds(20)) { $0.activeRequests == 4 }
    for number in 1...12 { _ = try engine.waitForFeed("f\(number)") { $0["refreshing"] as? Bool == true } }
    try engine.order("feeds/unsubscribe", ["id": "f9"])
    scene.origin.dropConnections()
    for number in [5, 6, 7, 8, 10, 11, 12] {
      _ = try engine.waitForFeed("f\(number)") { $0["lastRefreshed"] is String }
    }
    for number in 1...4 { _ = try engine.waitForFeed("f\(number)") { $0["error"] is [String: Any] } }
    #expect(scene.origin.snapshot.peakConcurrentRequests == 4)
    #expect(scene.origin.snapshot.requests(path: "/9.xml").isEmpty)
  }

  @Test("An observer is told of feeds and episodes as they change, and of the actions")
  func observation() throws {
    let scene = try Scene()
    let show = FeedOnOrigin(scene, path: "/feed.xml")
    show.publish(1...2)
    let engine = try scene.start()
    try engine.order("observe", ["stores": ["feeds", "episodes"], "actions": true, "interval": 0.05])
    try engine.order("feeds/subscribe", ["url": show.url, "id": "show"])
    // In any order: the first page is recorded before the refresh ends, so that its episodes may be told before or
    // after.
    for word in [#""type":"episodes/appeared""#, #""type":"feeds/refreshed""#, #""upsert":[{"alternates""#] {
      try waitUntil(word, upTo: 20) { engine.lines.contains { $0.contains(word) } }
    }
  }

  @Test("A journal of feeds replays to the same tables")
  func journal() throws {
    let scene = try Scene()
    let show = FeedOnOrigin(scene, path: "/feed.xml")
    show.publish(1...100)
    let journal = scene.outside + "/journal"
    let engine = try scene.start(["--journal", journal])
    try engine.order("feeds/subscribe", ["url": show.url, "id": "show"])
    _ = try engine.waitForFeed("show") { $0["lastRefreshed"] is String }
    try engine.order("episodes/mark", ["where": ["titleContains": "9", "not": ["feed": "other"]], "favorite": true])
    try engine.order("episodes/download", ["where": ["titleContains": "Episode 77"]])
    try engine.waitForDownloads { counts, _ in counts["completed"] == 1 }
    let query: [String: Any] = ["stores": ["feeds", "episodes", "downloads"], "episodes": ["limit": 1000]]
    let before = try engine.order("snapshot", query)
    engine.closeInput()
    _ = try engine.waitForEnd()
    let replayed = try PodfluxCommand.run(
      ["replay", "--journal", journal, "{\"stores\":[\"feeds\",\"episodes\"],\"episodes\":{\"limit\":1000}}"])
    #expect(replayed.status == 0, "\(replayed)")
    let line = try PodfluxProcess.parse(replayed.output)
    let after = try #require(line["payload"] as? [String: Any])
    #expect(after["episodes"] as? NSDictionary == before["episodes"] as? NSDictionary)
  }
}
