import Foundation
import ScriptedOrigin
import Testing
import TestScheduling
import TestSupport

@Suite("Filters over episodes", .systemTest)
struct EpisodeFilterTests {
  /// Two feeds, with three episodes and two.
  private func filled(_ scene: Scene) throws -> PodfluxProcess {
    let (day, night) = (FeedOnOrigin(scene, path: "/day.xml"), FeedOnOrigin(scene, path: "/night.xml"))
    day.publish(1...3)
    night.publish(4...5)
    let engine = try scene.start()
    try engine.order("settings/update", ["cleanupOnStart": false])
    try engine.order("feeds/subscribe", ["url": day.url, "id": "day", "title": "Day"])
    try engine.order("feeds/subscribe", ["url": night.url, "id": "night", "title": "Nacht"])
    for (id, number) in [("day", 3), ("night", 2)] {
      _ = try engine.waitForFeed(id) { $0["episodes"] as? Int == number && $0["refreshing"] as? Bool == false }
    }
    return engine
  }

  private func titles(_ engine: PodfluxProcess, _ query: [String: Any] = [:]) throws -> [String] {
    let payload = try engine.order("snapshot", ["stores": ["episodes"], "episodes": query])
    let items = (payload["episodes"] as? [String: Any])?["items"] as? [[String: Any]]
    return try #require(items).compactMap { $0["title"] as? String }
  }

  private func part(_ engine: PodfluxProcess) throws -> [String: Any] {
    let payload = try engine.order("snapshot", ["stores": ["filters"]])
    return try #require((payload["filters"] as? [String: Any])?["episodes"] as? [String: Any])
  }

  /// The filters that would show something.
  private func counts(_ part: [String: Any], of groups: Set<String>) throws -> [String: Int] {
    let shown = try #require(part["groups"] as? [[String: Any]]).filter { groups.contains($0["id"] as? String ?? "") }
    return shown.flatMap { $0["filters"] as? [[String: Any]] ?? [] }.reduce(into: [:]) { counts, filter in
      guard let count = filter["count"] as? Int, count > 0, let id = filter["id"] as? String else { return }
      counts[id] = count
    }
  }

  private func toggle(_ filter: String, _ engine: PodfluxProcess) throws {
    try engine.order("filters/toggle", ["filter": filter, "over": "episodes"])
  }

  @Test("They narrow lists of episodes, count what they would show, and leave downloads alone")
  func counts() throws {
    let scene = try Scene()
    let engine = try filled(scene)
    let groups = try #require(try part(engine)["groups"] as? [[String: Any]]).compactMap { $0["id"] as? String }
    #expect(groups == ["state", "podcast", "media", "time", "size", "played", "favorite"])
    let all: Set = ["state", "podcast", "played", "favorite"]
    #expect(
      try counts(part(engine), of: all)
        == ["state:none": 5, "podcast:Day": 3, "podcast:Nacht": 2, "played:no": 5, "favorite:no": 5])
    let newest = try #require(try engine.episodes([:]).first?["id"] as? String)
    try engine.order("episodes/mark", ["id": newest, "favorite": true])
    try engine.order("episodes/mark", ["where": ["titleContains": ["3", "4"]], "played": true])
    let second = try #require(try engine.episodes(["titleContains": "2"]).first?["id"] as? String)
    try engine.order("episodes/download", ["id": second])
    try engine.waitForDownloads { counts, _ in counts["completed"] == 1 }
    try toggle("podcast:Day", engine)
    #expect(
      try counts(part(engine), of: all) == [
        "state:none": 2, "state:completed": 1, "podcast:Day": 3, "podcast:Nacht": 2, "played:yes": 1, "played:no": 2,
        "favorite:no": 3,
      ])
    try toggle("played:no", engine)
    #expect(try titles(engine) == ["Episode 2", "Episode 1"])
    #expect(try titles(engine, ["where": ["state": "completed"]]) == ["Episode 2"])
    #expect(try titles(engine, ["unfiltered": true]).count == 5)
    #expect(try titles(engine, ["limit": 1, "sort": "published"]) == ["Episode 1"])
    #expect(
      try counts(part(engine), of: ["podcast", "played"])
        == ["podcast:Day": 2, "podcast:Nacht": 1, "played:yes": 1, "played:no": 2])
    // The list of downloads has its own filters.
    let payload = try engine.order("snapshot", ["stores": ["downloads", "filters"]])
    let filters = try #require(payload["filters"] as? [String: Any])
    #expect(filters["isFiltering"] as? Bool == false && (filters["active"] as? [String])?.isEmpty == true)
    #expect(((payload["downloads"] as? [String: Any])?["items"] as? [Any])?.count == 1)
    // A download that goes is missed, and a feed takes its episodes along.
    try engine.order("downloads/remove", ["all": true])
    #expect(try counts(part(engine), of: ["state"]) == ["state:none": 2])
    try engine.order("feeds/unsubscribe", ["id": "day"])
    #expect(try titles(engine).isEmpty)
    #expect(try counts(part(engine), of: ["podcast", "state"]) == ["podcast:Nacht": 1])
  }

  @Test("A text is found in titles and in feeds' titles; sets are saved for episodes alone")
  func textsAndSets() throws {
    let scene = try Scene()
    let engine = try filled(scene)
    for (text, expected) in [("nacht", 2), ("NACHT episode 5", 1), ("pisode", 0), ("epi da", 3), ("!", 0), (" ", 5)] {
      try engine.order("filters/setText", ["text": text, "over": "episodes"])
      #expect(try titles(engine).count == expected, "\(text)")
      #expect(try counts(part(engine), of: ["played"])["played:no"] == (expected == 0 ? nil : expected), "\(text)")
    }
    try toggle("podcast:Nacht", engine)
    try engine.order("filters/save", ["name": "nights", "over": "episodes"])
    try engine.order("filters/clear", ["over": "episodes"])
    #expect(try titles(engine).count == 5)
    let refusal = try engine.ask("filters/apply", ["name": "nights"])
    #expect((refusal["payload"] as? [String: Any])?["code"] as? String == "not_found")
    try engine.order("filters/apply", ["name": "nights", "over": "episodes"])
    #expect(try titles(engine).count == 2)
    try engine.order("feeds/update", ["id": "night", "title": "Night"])
    #expect(try titles(engine).isEmpty)
    #expect(try counts(part(engine), of: ["podcast"]) == ["podcast:Day": 3, "podcast:Night": 2])
  }

  @Test("They survive a SIGKILL, and a snapshot without an engine has the same bytes")
  func durable() throws {
    let scene = try Scene()
    let engine = try filled(scene)
    try engine.order("episodes/mark", ["where": ["feed": "night"], "played": true])
    try toggle("played:yes", engine)
    try engine.order("filters/selectGroup", ["group": "played", "over": "episodes"])
    try engine.kill()
    let next = try scene.start()
    #expect(try titles(next) == ["Episode 5", "Episode 4"])
    #expect(try part(next)["selectedGroup"] as? String == "played")
    let query = #"{"stores":["filters","episodes"]}"#
    let snapshots = try scene.snapshots(query, of: next)
    #expect(snapshots.engine.contains(#""isFiltering":true"#))
    #expect(snapshots.command == snapshots.engine)
  }

  @Test("An observer of filters is told when a count of episodes changes")
  func observed() throws {
    let scene = try Scene()
    let engine = try filled(scene)
    try engine.order("observe", ["stores": ["filters"], "interval": 0.05])
    func told() throws -> [String: Any] {
      try #require(try engine.nextState(of: "filters")["episodes"] as? [String: Any])
    }
    #expect(try counts(told(), of: ["played"]) == ["played:no": 5])
    try engine.order("episodes/mark", ["where": ["feed": "day"], "played": true])
    #expect(try counts(told(), of: ["played"]) == ["played:yes": 3, "played:no": 2])
    try toggle("podcast:Nacht", engine)
    let toggled = try told()
    #expect(toggled["active"] as? [String] == ["podcast:Nacht"])
    #expect(try counts(toggled, of: ["played"]) == ["played:no": 2])
    try engine.order("feeds/update", ["id": "day", "title": "Days"])
    #expect(try counts(told(), of: ["podcast"]) == ["podcast:Days": 3, "podcast:Nacht": 2])
  }

  @Test("An observed list of episodes follows the filters, and is whole without them")
  func observedList() throws {
    let scene = try Scene()
    let engine = try filled(scene)
    try engine.order("observe", ["stores": ["episodes"], "interval": 0.05])
    #expect((try engine.nextState(of: "episodes")["items"] as? [Any])?.count == 5)
    try toggle("podcast:Nacht", engine)
    let narrowed = try engine.nextState(of: "episodes")
    #expect((narrowed["remove"] as? [String])?.count == 3 && narrowed["count"] as? Int == 5)
    try engine.order("filters/clear", ["over": "episodes"])
    #expect((try engine.nextState(of: "episodes")["upsert"] as? [Any])?.count == 3)
    // Each state is awaited before the next order: a wait for a reply skips the lines before it.
    try engine.order("observe", ["stores": ["episodes"], "interval": 0.05, "episodes": ["unfiltered": true]])
    #expect((try engine.nextState(of: "episodes")["items"] as? [Any])?.count == 5)
    try toggle("podcast:Nacht", engine)
    try engine.order("episodes/mark", ["where": ["feed": "day"], "played": true])
    #expect((try engine.nextState(of: "episodes")["upsert"] as? [Any])?.count == 3)
    #expect(try titles(engine).count == 2)
  }
}
