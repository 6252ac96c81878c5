import Foundation
import ScriptedOrigin
import Testing
import TestScheduling
import TestSupport

/// Testers compared what commands say with what was so.
@Suite("Commands say what is so", .systemTest)
struct ToldFactsTests {
  @Test("why asks the engine that runs what a download and a feed wait for, and reads the library without one")
  func reasons() throws {
    let scene = try Scene()
    // A proxy elsewhere makes this machine's own addresses such that need the network.
    let engine = try scene.start(
      ["--network", "cellular", "--socket", scene.socketPath], environment: ["http_proxy": "http://10.255.255.1:3128"])
    try engine.order("downloads/enqueue", ["url": "http://127.0.0.1:1/a.mp3", "id": "a"])
    try engine.wait(for: "a") { $0.reason == "policy" }
    let why = try scene.results("why", "a", "--socket", scene.socketPath)
    #expect(why.contains("It waits: this network is metered."), "\(why)")
    let json = try scene.results("why", "a", "--socket", scene.socketPath, "--json")
    #expect(try PodfluxProcess.parse(json[0])["reason"] as? String == "policy")
    try engine.order("feeds/subscribe", ["url": "http://10.255.255.1/feed.xml", "id": "f", "title": "Show"])
    func hindrance() throws -> String? {
      let why = try scene.results("why", "Show", "--socket", scene.socketPath)
      return why.first { $0.hasPrefix("It may be kept from that: ") }
    }
    #expect(try hindrance()?.contains(#"and the policy of feeds is "unmetered""#) == true)
    try engine.order("feeds/update", ["id": "f", "network": "unmetered"])
    try engine.order("settings/update", ["network": ["feeds": "any"]])
    #expect(try hindrance()?.contains(#"the feed's own "network" is "unmetered""#) == true)
    try engine.kill()
    #expect(try scene.results("why", "a").contains("It is in the queue and starts when its turn comes."))
  }

  @Test("With --json each command that has something to tell prints an object, sync --no-wait and sessions close too")
  func objects() throws {
    let scene = try Scene()
    let show = FeedOnOrigin(scene, path: "/feed.xml")
    show.publish(1...2)
    try scene.results("add", show.url, "--none")
    let left = try scene.podflux("sync", "--no-wait", "--json")
    #expect(left.status == 75)
    #expect(left.output == #"{"downloads":{"left":0},"feeds":{"left":1}}"# + "\n", "\(left)")
    try scene.results("sync")
    let nothing = try scene.podflux("sync", "--no-wait", "--due", "--json")
    #expect(nothing.status == 0)
    #expect(nothing.output == #"{"downloads":{"left":0},"feeds":{"left":0}}"# + "\n", "\(nothing)")
    let open = ["sessions", "open", "members", "--host", "127.0.0.1", "--user", "me", "--password-stdin"]
    #expect(try PodfluxCommand.run(open, input: ["secret"], environment: scene.environment).status == 0)
    let closed = try scene.results("sessions", "close", "members", "--json")
    #expect(try closed.count == 1 && PodfluxProcess.parse(closed[0])["state"] as? String == "closed", "\(closed)")
  }

  @Test("A quota below what a person has downloaded is told to be exceeded, since no rule makes room")
  func exceededQuota() throws {
    let scene = try Scene()
    scene.serve("/a.mp3", length: 60_000)
    try scene.results("get", scene.origin.url("/a.mp3"))
    let low = try scene.podflux("settings", "storageQuotaBytes=20000")
    #expect(low.status == 0 && low.errors.hasPrefix("40.0 kB more are here than the quota allows: no rule "), "\(low)")
    #expect(try scene.podflux("settings", "storageQuotaBytes=60000").errors.isEmpty)
    #expect(try scene.podflux("settings", "storageQuotaBytes=0").errors.isEmpty)
  }

  @Test("A setting that may be null says so where it is refused", arguments: ["addresses=x", "addresses=3"])
  func optionalChoice(word: String) throws {
    let refused = try Scene().podflux("settings", word)
    #expect(refused.status == 64 && refused.errors.contains("addresses must be one of any, public, or null"))
  }
}
