import Foundation
import ScriptedOrigin
import Testing
import TestScheduling
import TestSupport

@Suite("Names by templates", .systemTest)
struct NamingTests {
  @Test("A template is checked when it is set, with an example, and names what is downloaded from then on")
  func templates() throws {
    let scene = try Scene()
    let show = FeedOnOrigin(scene, path: "/feed.xml")
    show.publish(1...3)
    let engine = try scene.start()
    let refusal =
      try engine.ask("settings/update", ["filenameTemplate": "{podcast}/{titel}"])["payload"] as? [String: Any]
    #expect(refusal?["path"] as? String == "payload.filenameTemplate")
    #expect((refusal?["message"] as? String)?.contains("{title}") == true, "\(refusal ?? [:])")
    let set = try engine.order("settings/update", ["filenameTemplate": "{podcast}/[S{season:2} ]{index:3} {title}"])
    #expect(set["example"] as? String == "Night Trains/S07 412 Vienna to Hamburg.mp3")
    #expect(try engine.order("settings/update", ["filenameTemplate": ""])["example"] == nil)
    try engine.order("settings/update", ["filenameTemplate": "{podcast}/[S{season:2} ]{index:3} {title}"])

    let subscribed = try engine.order(
      "feeds/subscribe", ["url": show.url, "id": "show", "filenameTemplate": "own/{guid} {date}"])
    #expect(subscribed["example"] as? String == "own/nt-2026-412 2026-03-06.mp3")
    let feed = try engine.waitForFeed("show") { $0["episodes"] as? Int == 3 }
    #expect(feed["filenameTemplate"] as? String == "own/{guid} {date}")
    try engine.order("episodes/download", ["where": ["titleContains": "Episode 1"]])
    try engine.waitForDownloads { counts, _ in counts["completed"] == 1 }
    #expect(scene.publishedFiles() == ["own/-feed.xml#1 2026-06-01.mp3"])

    // The feed's own template goes, and the library's counts; other downloads follow it as far as they can.
    try engine.order("feeds/update", ["id": "show", "filenameTemplate": ""])
    try engine.order("episodes/download", ["where": ["titleContains": "Episode 2"]])
    scene.serve("/plain.mp3", length: 20_000)
    try engine.order("downloads/enqueue", ["url": scene.origin.url("/plain.mp3"), "title": "Plain", "podcast": "P"])
    try engine.waitForDownloads { counts, _ in counts["completed"] == 3 }
    #expect(
      scene.publishedFiles() == [
        "P/Plain.mp3", "Show of -feed.xml/002 Episode 2.mp3", "own/-feed.xml#1 2026-06-01.mp3",
      ])
  }

  @Test("Two episodes of one name are told apart by day, then by id")
  func collisions() throws {
    let scene = try Scene()
    for path in ["/a.xml", "/b.xml", "/c.xml"] { FeedOnOrigin(scene, path: path).publish(1...1) }
    let engine = try scene.start()
    try engine.order("settings/update", ["filenameTemplate": "all/{title}"])
    for path in ["/a.xml", "/b.xml", "/c.xml"] {
      let id = String(path.dropFirst().prefix(1))
      try engine.order("feeds/subscribe", ["url": scene.origin.url(path), "id": id])
      _ = try engine.waitForFeed(id) { $0["episodes"] as? Int == 1 }
      try engine.order("episodes/download", ["where": ["feed": id]])
      try engine.waitForDownloads { counts, _ in counts["completed"] == counts.values.reduce(0, +) }
    }
    let last = try #require(try engine.episodes(["feed": "c"]).first?["id"] as? String)
    #expect(
      scene.publishedFiles() == ["all/Episode 1 (2026-06-01).mp3", "all/Episode 1 (\(last)).mp3", "all/Episode 1.mp3"])
  }

  // MARK: Renaming

  /// An engine with completed downloads of these titles.
  private func library(_ titles: [String], on scene: Scene, settings: [String: Any] = [:]) throws -> PodfluxProcess {
    let engine = try scene.startSettled(settings: settings)
    for (number, title) in titles.enumerated() {
      scene.serve("/\(number).mp3", length: 10_000 + number)
      try engine.order(
        "downloads/enqueue",
        ["id": "d\(number)", "url": scene.origin.url("/\(number).mp3"), "title": title, "podcast": "Show"])
    }
    try engine.waitForDownloads(upTo: 60) { counts, _ in counts["completed"] == titles.count }
    return engine
  }

  @Test("After a changed template files are renamed, and a plan changes nothing before")
  func renames() throws {
    let scene = try Scene()
    let engine = try library(["One", "Two", "Three"], on: scene)
    #expect(try engine.rename().steps.isEmpty)
    try engine.order("settings/update", ["filenameTemplate": "new/{podcast}/{title}"])
    try scene.write("another's", to: "new/Show/Two.mp3")
    let before = scene.publishedFiles()
    let plan = try engine.rename(["all": true, "mode": "plan"])
    #expect(plan.state == "done")
    #expect(plan.steps.map(\.status) == ["planned", "planned", "planned"])
    #expect(scene.publishedFiles() == before)
    let run = try engine.rename()
    #expect(run.steps.map(\.to) == plan.steps.map(\.to))
    #expect(run.steps.map(\.status) == ["done", "done", "done"])
    #expect(
      scene.publishedFiles() == ["new/Show/One.mp3", "new/Show/Three.mp3", "new/Show/Two (2).mp3", "new/Show/Two.mp3"])
    // The folder that the engine had made is gone, and the rows know the new names.
    #expect(!FileManager.default.fileExists(atPath: scene.library + "/Show"))
    try scene.expectAgreement(engine)
    #expect(try engine.rename().steps.isEmpty)
    #expect(try engine.cleanUp().acts.isEmpty)
  }

  @Test("What another program has moved or changed is left, and a path of one's own stays")
  func leaves() throws {
    let scene = try Scene()
    let engine = try library(["One", "Two", "Three"], on: scene)
    scene.serve("/own.mp3", length: 30_000)
    try engine.order(
      "downloads/enqueue", ["id": "own", "url": scene.origin.url("/own.mp3"), "title": "Own", "path": "mine/x.mp3"])
    try engine.waitForDownloads { counts, _ in counts["completed"] == 4 }
    try scene.move("Show/One.mp3", to: "elsewhere.mp3")
    try scene.write("edited", to: "Show/Two.mp3")
    try engine.order("settings/update", ["filenameTemplate": "{podcast}: {title}"])
    let run = try engine.rename()
    #expect(run.steps.map(\.status).sorted() == ["done", "left", "left"])
    #expect(
      Set(run.steps.filter { $0.status == "left" }.map(\.because)) == [
        "another program has moved or deleted its file",
        "another program has changed its file, or put another one in its place",
      ])
    #expect(scene.publishedFiles() == ["Show- Three.mp3", "Show/Two.mp3", "elsewhere.mp3", "mine/x.mp3"])
    #expect(try engine.refusal("files/rename", ["feed": "none"]).code == "not_found")
    #expect(try engine.refusal("files/rename", [:]).code == "missing_field")
  }

  @Test("Files that exchange their names, in circles and chains, end right")
  func circles() throws {
    let scene = try Scene()
    let titles = ["a", "b", "c", "d", "e", "f"]
    let engine = try library(titles, on: scene)
    let hashes = titles.map { scene.hash(of: "Show/\($0).mp3") }
    let new = ["b", "a", "d", "e", "c", "F"]
    for (number, title) in new.enumerated() {
      try engine.order("downloads/update", ["id": "d\(number)", "title": title])
    }
    let run = try engine.rename()
    #expect(run.tally("misnamed")["done"] == run.steps.count, "\(run.steps)")
    #expect(scene.publishedFiles() == ["F", "a", "b", "c", "d", "e"].map { "Show/\($0).mp3" })
    for (number, title) in new.enumerated() {
      #expect(scene.hash(of: "Show/\(title).mp3") == hashes[number], "\(title)")
    }
    try scene.expectAgreement(engine)
  }

  @Test("A feed's files alone are renamed, as its episodes are by now")
  func feed() throws {
    let scene = try Scene()
    let show = FeedOnOrigin(scene, path: "/feed.xml")
    show.publish(1...4)
    let engine = try library(["Other"], on: scene)
    try engine.order("feeds/subscribe", ["url": show.url, "id": "show", "title": "Feed"])
    _ = try engine.waitForFeed("show") { $0["episodes"] as? Int == 4 }
    try engine.order("episodes/download", ["where": ["feed": "show"]])
    try engine.waitForDownloads { counts, _ in counts["completed"] == 5 }
    try engine.order("settings/update", ["filenameTemplate": "{podcast}/{index:2} {title}"])
    try engine.rename(["feed": "show"])
    #expect(
      scene.publishedFiles() == (1...4).map { "Feed/0\($0) Episode \($0).mp3" } + ["Show/Other.mp3"])
  }

  // MARK: Kills

  private static var kills: Int {
    ProcessInfo.processInfo.environment["PODFLUX_RENAME_KILLS"].flatMap(Int.init) ?? 12
  }

  /// Half of them exchange their names with others when every title is replaced by the next one.
  private static let titles = (0..<40).map { "Episode \($0)" }

  @Test("After kills in the middle of renaming, rows and files agree, and the end is that of a run without kills")
  func kills() throws {
    let seed = try SeededRandom.seed()
    var random = SeededRandom(seed: seed)
    let scene = try Scene()
    var engine = try library(Self.titles, on: scene)
    var resumed = 0
    for round in 0..<Self.kills {
      try Self.change(round, engine)
      _ = try engine.ask("files/rename", ["all": true])
      try engine.kill(afterMilliseconds: Int.random(in: 0...60, using: &random))
      engine = try scene.start()
      // What was under way goes on by itself, and then the pass of the start finds nothing to do.
      let pass = try engine.waitForStartCleanup()
      #expect(pass.acts.isEmpty, "PODFLUX_SEED=\(seed): \(pass.steps)")
      try scene.expectAgreement(engine)
      if round > 0 { resumed += 1 }
    }
    try Self.change(Self.kills, engine)
    try engine.rename()
    let killed = try scene.expectAgreement(engine)

    let undisturbed = try Scene()
    let other = try library(Self.titles, on: undisturbed)
    try Self.change(Self.kills, other)
    try other.rename()
    #expect(try undisturbed.expectAgreement(other) == killed, "PODFLUX_SEED=\(seed)")
    #expect(scene.publishedFiles() == undisturbed.publishedFiles(), "PODFLUX_SEED=\(seed)")
  }

  /// Gives every download another title, that of another one in each second round, and the library another template.
  private static func change(_ round: Int, _ engine: PodfluxProcess) throws {
    for number in titles.indices {
      let title = titles[(number * 7 + round) % titles.count]
      try engine.send(line: #"{"type":"downloads/update","payload":{"id":"d\#(number)","title":"\#(title)"}}"#)
    }
    let template = round.isMultiple(of: 3) ? "{podcast}/{title}" : "{podcast}/[{date} ]{title} x"
    try engine.order("settings/update", ["filenameTemplate": template])
  }

  @Test("A download that is removed while its file is renamed leaves no file, over kills too")
  func removedMeanwhile() throws {
    let seed = try SeededRandom.seed()
    var random = SeededRandom(seed: seed)
    for _ in 0..<6 {
      let scene = try Scene()
      var engine = try library(Self.titles, on: scene)
      try engine.order("settings/update", ["filenameTemplate": "{title} {podcast}"])
      try engine.send(line: #"{"type":"files/rename","payload":{"all":true}}"#)
      let id = "d\(Int.random(in: 0..<40, using: &random))"
      if Bool.random(using: &random) {
        try engine.send(line: #"{"type":"downloads/remove","payload":{"id":"\#(id)"}}"#)
      } else {
        try engine.send(line: #"{"type":"downloads/remove","payload":{"all":true}}"#)
      }
      if Bool.random(using: &random) {
        try engine.kill(afterMilliseconds: Int.random(in: 0...30, using: &random))
        engine = try scene.start()
      }
      // Deletions take a moment, and a cleanup would see what they have not come to.
      try waitUntil("the end of deletions", upTo: 20) {
        Set(try engine.items().compactMap(\.path)) == Set(scene.publishedFiles())
      }
      let pass = try engine.cleanUp()
      #expect(
        pass.acts.isEmpty && !pass.steps.contains { $0.finding == "orphan" }, "PODFLUX_SEED=\(seed) \(pass.steps)")
      try scene.expectAgreement(engine)
    }
  }
}

extension PodfluxProcess {
  /// Renames files when no run is active, and waits for the end.
  @discardableResult
  fileprivate func rename(_ options: [String: Any] = ["all": true]) throws -> CleanupReport {
    try waitUntil("the end of earlier runs", upTo: 30) { try cleanup().map { $0.isEnd && !$0.isFollowed } ?? true }
    guard let id = try order("files/rename", options)["run"] as? Int else { throw Failure("a run without a number") }
    var last: CleanupReport?
    try waitUntil("the end of renaming", upTo: 60) {
      last = try cleanup()
      return last?.id == id && last?.isEnd == true
    }
    guard let last else { throw Failure("no run") }
    return last
  }

  fileprivate func kill(afterMilliseconds milliseconds: Int) throws {
    // Waits for lines that never come, no longer than that.
    _ = try? wait(upTo: Double(milliseconds) / 1000, for: "nothing") { _ in false }
    try kill()
  }
}

extension Scene {
  /// Each completed download's file is where its row says, with its own bytes, and there is no other file. Returns the
  /// paths, by id.
  @discardableResult
  fileprivate func expectAgreement(
    _ engine: PodfluxProcess, at sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> [String: String] {
    var paths: [String: String] = [:]
    try waitUntil("the end of deletions", upTo: 20) {
      let items = try engine.items().filter { $0.state == "completed" }
      paths = Dictionary(uniqueKeysWithValues: items.map { ($0.id, $0.path ?? "") })
      return items.allSatisfy { item in item.id.hasPrefix("d") || item.id == "own" }
        && Set(paths.values).isSubset(of: publishedFiles())
    }
    for (id, path) in paths {
      guard let number = Int(id.dropFirst()) else { continue }
      let expected = Body.audio(length: 10_000 + number, seed: UInt64(10_000 + number)).hash
      #expect(hash(of: path) == expected, "\(id) at \(path)", sourceLocation: sourceLocation)
    }
    return paths
  }
}
