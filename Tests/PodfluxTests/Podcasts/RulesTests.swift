import Foundation
import ScriptedOrigin
import Testing
import TestScheduling
import TestSupport

@Suite("Rules from subscription to files", .systemTest)
struct RulesTests {
  private static var rules: [String: Any] { ["autoDownload": ["newest": 2], "keep": ["newest": 3]] }

  @Test("A feed with rules fetches, keeps and deletes by itself, and what a person has removed stays away after a kill")
  func life() throws {
    let scene = try Scene()
    let show = FeedOnOrigin(scene, path: "/feed.xml")
    show.publish(1...6)
    var engine = try scene.start()
    let preview = try engine.order("feeds/preview", ["url": show.url, "rules": Self.rules])
    #expect(preview["wouldDownload"] as? Int == 2)
    try engine.order("feeds/subscribe", ["id": "f", "url": show.url, "rules": Self.rules])
    try wait(for: [5, 6], in: engine)
    #expect(try feed(in: engine)["rules"] as? NSDictionary == Self.rules as NSDictionary)
    let sixth = try #require(try episode(6, in: engine)["download"] as? String)
    try engine.order("downloads/remove", ["id": sixth])
    try engine.kill()

    engine = try scene.start()
    try refresh(show, to: 8, in: engine)
    try wait(for: [5, 7, 8], in: engine)
    // A rule that is set anew looks at what is there, and not at what a person has removed.
    try engine.order("feeds/update", ["id": "f", "rules": ["autoDownload": ["newest": 3], "keep": ["newest": 3]]])
    try refresh(show, to: 9, in: engine)
    try wait(for: [7, 8, 9], in: engine)
    try engine.kill()

    engine = try scene.start()
    let plan = try engine.order("rules/plan", ["id": "f", "rules": ["autoDownload": ["since": "all"]]])
    #expect(try numbers(plan["download"], in: engine) == [4, 3, 2, 1])
    #expect((plan["delete"] as? [Any])?.isEmpty == true && plan["next"] is NSNull)
    let lesser = try engine.order("rules/plan", ["id": "f", "rules": ["keep": ["newest": 1]], "limit": 1])
    #expect(try numbers(lesser["delete"], in: engine) == [8])
    let rest = try engine.order(
      "rules/plan", ["id": "f", "rules": ["keep": ["newest": 1]], "after": try #require(lesser["next"] as? String)])
    #expect(try numbers(rest["delete"], in: engine) == [7])
    try wait(for: [7, 8, 9], in: engine)
    #expect(try because(6, in: engine) == ["notDownloaded", "autoDownload", "always"])
    #expect(try because(5, in: engine) == ["deleted", "keep", "newest"])
    #expect(try because(4, in: engine) == ["notDownloaded", "autoDownload", "newest"])
    #expect(try because(9, in: engine) == ["downloaded", "autoDownload", "since"])
    try waitUntil("the deletions") { scene.publishedFiles().count == 3 }
    for number in [5, 6] {
      #expect(scene.origin.requests.count { $0.target.hasSuffix(".\(number).mp3") } == 1, "fetched once")
    }
    engine.closeInput()
    _ = try engine.waitForEnd()
  }

  @Test("Of episodes without dates the first ones of the document are the newest, however many there are")
  func undated() throws {
    let scene = try Scene()
    let show = FeedOnOrigin(scene, path: "/feed.xml")
    show.publish(1...600, areDated: false)
    let engine = try scene.start()
    try engine.order("feeds/subscribe", ["id": "f", "url": show.url, "rules": Self.rules])
    try wait(for: [599, 600], in: engine)
    show.publish(1...601, areDated: false)
    try engine.order("feeds/refresh", ["id": "f"])
    try wait(for: [599, 600, 601], in: engine)
  }

  @Test("A drain does what rules say, and rules that cannot be are refused")
  func drain() throws {
    let scene = try Scene()
    let show = FeedOnOrigin(scene, path: "/feed.xml")
    show.publish(1...12)
    let engine = try scene.start()
    try engine.order("feeds/subscribe", ["id": "f", "url": show.url, "rules": ["autoDownload": ["since": "all"]]])
    engine.closeInput()
    _ = try engine.waitForEnd()
    #expect(scene.publishedFiles().count == 12)
    let again = try scene.start()
    try again.send(
      line: #"{"type":"feeds/update","payload":{"id":"f","rules":{"keep":{"newest":0}}},"meta":{"id":"no"}}"#)
    try again.send(line: #"{"type":"rules/plan","payload":{"id":"g","rules":{}},"meta":{"id":"none"}}"#)
    again.closeInput()
    _ = try again.waitForEnd()
    #expect(again.lines.contains { $0.contains("invalid_value") && $0.contains("payload.rules.keep.newest") })
    #expect(again.lines.contains { $0.contains("not_found") && $0.contains("\"none\"") })
    #expect(scene.publishedFiles().count == 12)
  }

  @Test("The command line sets rules, plans them, and says why")
  func commands() throws {
    let scene = try Scene()
    let show = FeedOnOrigin(scene, path: "/feed.xml")
    show.publish(1...6)
    try scene.results("settings", "checksum=true")
    let look = try scene.results("add", show.url, "--newest", "2", "--keep", "5", "--dry-run")
    #expect(
      look.dropFirst() == [
        "  rule: the newest 2, then each new one.  All 6: podflux add \(show.url) --all",
        "  rule: keep the newest 5", "  2 to download",
      ])
    try scene.results("add", show.url, "--newest", "2")
    try scene.results("sync")
    #expect(scene.publishedFiles().count == 2)
    #expect(
      try scene.results("why", "Episode 2").contains {
        $0.hasPrefix("It is not downloaded: rule \"newest 2\" ends before it (it is the 5th newest).")
      })
    #expect(
      try scene.results("why", "Episode 6").contains("Why: rule \"newest 2\" takes it (it was the newest)."))
    #expect(try scene.results("rules", "show of") == ["Show of /feed.xml: the newest 2, then each new one"])
    let plan = try scene.podflux("rules", "show of", "--all", "--oldest-first", "--match", "Episode 1", "--plan")
    #expect(plan.output == "download  Episode 1: rule \"all\" takes it\n", "\(plan)")
    #expect(plan.errors == "1 to download, 0 to delete\n")
    #expect(try scene.results("rules", "show of", "--json") == [#"{"autoDownload":{"newest":2}}"#])
    let change = try scene.podflux("rules", "show of", "--keep", "1")
    // The cleanup of the engine's start may have seen the file that goes meanwhile, and says so.
    #expect(change.errors.hasPrefix("0 to download, 1 deleted\n"), "\(change)")
    try scene.results("sync")
    #expect(scene.publishedFiles().count == 1)
    #expect(
      try scene.results("why", "Episode 5").contains {
        $0.hasPrefix("A rule has deleted it: rule \"keep 1\" has no room")
      })
    #expect(try scene.results("rules", "show of", "--none") == ["Show of /feed.xml: no rules"])
    for wrong in [["--new", "--all"], ["--keep", "0"], ["--min", "2h", "--max", "1h"], ["--none", "--new"]] {
      #expect(try PodfluxCommand.run(["rules", "show of"] + wrong, environment: scene.environment).status == 64)
    }
  }

  // MARK: Helpers

  private func refresh(_ show: FeedOnOrigin, to last: Int, in engine: PodfluxProcess) throws {
    show.publish(1...last)
    try engine.order("feeds/refresh", ["id": "f"])
    try waitUntil("episode \(last)") { try engine.episodes([:]).count == last }
  }

  private func wait(for numbers: [Int], in engine: PodfluxProcess) throws {
    try waitUntil("the episodes \(numbers)", upTo: 30) {
      try engine.episodes(["state": "completed"]).compactMap { $0["title"] as? String }.sorted()
        == numbers.map { "Episode \($0)" }.sorted()
    }
  }

  private func feed(in engine: PodfluxProcess) throws -> [String: Any] { try engine.waitForFeed("f") { _ in true } }

  private func episode(_ number: Int, in engine: PodfluxProcess) throws -> [String: Any] {
    try #require(try engine.episodes([:]).first { $0["title"] as? String == "Episode \(number)" })
  }

  private func because(_ number: Int, in engine: PodfluxProcess) throws -> [String] {
    let because = try episode(number, in: engine)["because"] as? [String: Any] ?? [:]
    return ["outcome", "rule", "clause"].map { because[$0] as? String ?? "none" }
  }

  private func numbers(_ entries: Any?, in engine: PodfluxProcess) throws -> [Int] {
    let titles = try engine.episodes([:]).reduce(into: [String: String]()) {
      $0[$1["id"] as? String ?? ""] = $1["title"] as? String
    }
    return (entries as? [[String: Any]] ?? []).compactMap { entry in
      (entry["episode"] as? String).flatMap { titles[$0] }.flatMap { Int($0.dropFirst("Episode ".count)) }
    }
  }
}
