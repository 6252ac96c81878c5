import Foundation
import ScriptedOrigin
import Testing
import TestScheduling
import TestSupport

@Suite("Files that are there become the downloads of episodes", .systemTest)
struct AdoptingTests {
  private static let folder = "Show of -feed.xml"

  /// The names under which other programs may have left the files of these episodes.
  private static func name(_ number: Int) -> String {
    switch number % 4 {
    case 0: "\(folder)/Episode \(number).mp3"
    case 1: String(format: "%@/2026-06-%02d Episode %d.mp3", folder, number, number)
    case 2: "\(folder)/Season 1/Episode_\(number).mp3"
    default: "old/Show of feed.xml - Episode \(number).mp3"
    }
  }

  /// An engine with a feed of so many episodes, of which none is downloaded, and the file of each.
  private func library(_ numbers: ClosedRange<Int>, on scene: Scene) throws -> PodfluxProcess {
    let show = FeedOnOrigin(scene, path: "/feed.xml")
    show.publish(numbers)
    let engine = try scene.startSettled()
    try engine.order("feeds/subscribe", ["url": show.url, "id": "show"])
    _ = try engine.waitForFeed("show", upTo: 60) { $0["episodes"] as? Int == numbers.count }
    for number in numbers { try scene.put(number, at: Self.name(number)) }
    return engine
  }

  @Test("A plan lists pairs and changes nothing; adopting does the same, once, and nothing is fetched")
  func adopts() throws {
    let scene = try Scene()
    let engine = try library(1...20, on: scene)
    try scene.write("this is no audio at all", to: "\(Self.folder)/notes.txt")
    try scene.put(99, at: "\(Self.folder)/Something else.mp3")
    try scene.put(98, at: "\(Self.folder)/2001-01-01 Episode 5.mp3")
    try FileManager.default.createSymbolicLink(
      atPath: scene.library + "/linked", withDestinationPath: scene.library + "/old")
    let before = try scene.contents()

    let plan = try engine.adopt(["all": true, "mode": "plan"])
    #expect(plan.state == "done" && plan.run["task"] as? String == "adopt")
    #expect(plan.acts.count == 20 && plan.acts.allSatisfy { $0.status == "planned" && $0.decision == "adopt" })
    let left = plan.steps.filter { $0.status == "left" }
    #expect(left.map { "\($0.finding) \($0.decision)" }.sorted() == ["episode_file offer", "orphan leave"], "\(left)")
    #expect(try engine.items().isEmpty)
    #expect(try scene.contents() == before)

    let run = try engine.adopt()
    #expect(run.acts.map(\.path) == plan.acts.map(\.path))
    #expect(run.acts.allSatisfy { $0.status == "done" }, "\(run.steps)")
    try scene.expectAdopted(1...20, by: engine, as: Self.name)
    #expect(try scene.contents() == before)
    #expect(try engine.adopt().acts.isEmpty)

    // Whatever is asked for from now on, no file is fetched.
    #expect(try engine.order("episodes/download", ["where": ["feed": "show"]])["affected"] as? Int == 0)
    let rules: [String: Any] = ["autoDownload": ["since": "all"], "keep": ["newest": 1]]
    try engine.order("feeds/update", ["id": "show", "rules": rules])
    try engine.order("feeds/refresh", ["id": "show"])
    _ = try engine.waitForFeed("show") { $0["error"] is NSNull }
    #expect(try engine.cleanUp().acts.isEmpty)
    try scene.expectAdopted(1...20, by: engine, as: Self.name)
    #expect(scene.fetchedFiles().isEmpty)
  }

  @Test("A person removes an adopted file, and may have one adopted again")
  func removed() throws {
    let scene = try Scene()
    let engine = try library(1...2, on: scene)
    try engine.adopt()
    let id = try #require(try engine.items().first { $0.path == Self.name(1) }?.id)
    try engine.order("downloads/remove", ["id": id])
    try waitUntil("the file's end", upTo: 20) { scene.publishedFiles() == [Self.name(2)] }
    try scene.put(1, at: "Episode 1.mp3")
    // At the top of the library nothing names its feed.
    #expect(try engine.adopt().acts.isEmpty)
    #expect(try engine.adopt(["feed": "show", "folder": Self.folder]).steps.isEmpty)
    try scene.move("Episode 1.mp3", to: "mine/Episode 1.mp3")
    #expect(try engine.adopt(["feed": "show", "folder": scene.library + "/mine/"]).acts.map(\.status) == ["done"])
    #expect(Set(try engine.items().compactMap(\.path)) == [Self.name(2), "mine/Episode 1.mp3"])
  }

  @Test("Folders outside of the library, and feeds that are not there, are refused")
  func refusals() throws {
    let scene = try Scene()
    let engine = try library(1...1, on: scene)
    for folder in ["/etc", scene.library + "/../outside", "../outside", scene.library + "-2", ".podflux"] {
      let refusal = try engine.refusal("episodes/adopt", ["all": true, "folder": folder])
      #expect(refusal.code == "unsafe_path" && refusal.path == "payload.folder", "\(folder): \(refusal)")
    }
    try FileManager.default.createSymbolicLink(atPath: scene.library + "/out", withDestinationPath: scene.outside)
    #expect(
      try engine.refusal("episodes/adopt", ["all": true, "folder": scene.library + "/out"]).code == "unsafe_path")
    #expect(try engine.refusal("episodes/adopt", ["feed": "none"]).code == "not_found")
    #expect(try engine.refusal("episodes/adopt", [:]).code == "missing_field")
    #expect(try engine.refusal("episodes/adopt", ["feed": "show", "all": true]).code == "invalid_value")
    #expect(try engine.adopt(["all": true, "folder": scene.library]).acts.count == 1)
  }

  @Test("After kills in the middle of adopting a run goes on, each file has one row, and none is fetched or changed")
  func kills() throws {
    let seed = try SeededRandom.seed()
    var random = SeededRandom(seed: seed)
    let scene = try Scene()
    let numbers = 1...120
    var engine = try library(numbers, on: scene)
    let before = try scene.contents()
    for _ in 0..<8 {
      _ = try engine.ask("episodes/adopt", ["all": true])
      // Waits for lines that never come, no longer than that.
      let milliseconds = Int.random(in: 0...50, using: &random)
      _ = try? engine.wait(upTo: Double(milliseconds) / 1000, for: "nothing") { _ in false }
      try engine.kill()
      engine = try scene.start()
      let paths = try engine.items().compactMap(\.path)
      #expect(Set(paths).count == paths.count, "PODFLUX_SEED=\(seed)")
      #expect(try scene.contents() == before, "PODFLUX_SEED=\(seed)")
    }
    try engine.adopt()
    try scene.expectAdopted(numbers, by: engine, as: Self.name)
    #expect(try engine.adopt().acts.isEmpty)
    try engine.kill()
    engine = try scene.start()
    try scene.expectAdopted(numbers, by: engine, as: Self.name)
    #expect(try engine.cleanUp().acts.isEmpty)
    #expect(try scene.contents() == before)
    #expect(scene.fetchedFiles().isEmpty)
  }

  @Test("The tags of a file tell its episode where its name does not, and its feed where its folder does not")
  func tags() throws {
    let scene = try Scene()
    let engine = try library(1...1, on: scene)
    let show = FeedOnOrigin(scene, path: "/feed.xml")
    show.publish(1...4)
    try engine.order("feeds/refresh", ["id": "show"])
    _ = try engine.waitForFeed("show", upTo: 60) { $0["episodes"] as? Int == 4 }
    try scene.put(98, at: "\(Self.folder)/track01.mp3", tagged: ["TIT2": "Episode 2"])
    try scene.put(97, at: "elsewhere/recording.mp3", tagged: ["TIT2": "Episode 3", "TALB": "Show of /feed.xml"])
    // The day in its tags is another one.
    try scene.put(96, at: "\(Self.folder)/track02.mp3", tagged: ["TIT2": "Episode 4", "TDRC": "2001-01-01"])
    try scene.put(95, at: "elsewhere/unknown.mp3", tagged: ["TIT2": "Episode 4", "TALB": "Another show"])
    let before = try scene.contents()
    let run = try engine.adopt()
    let taken = Set(run.acts.filter { $0.status == "done" }.compactMap(\.path))
    #expect(
      taken == [Self.name(1), "\(Self.folder)/track01.mp3", "elsewhere/recording.mp3"], "\(run.steps)")
    let byTags = run.steps.filter { $0.because.contains("title in its tags") }
    #expect(
      Set(byTags.compactMap(\.path)) == ["\(Self.folder)/track01.mp3", "elsewhere/recording.mp3"], "\(run.steps)")
    #expect(try engine.items().count == 3)
    #expect(try scene.contents() == before)
    #expect(scene.fetchedFiles().isEmpty)
  }

  @Test("podflux adopt shows which file is which episode, by what, and how surely")
  func command() throws {
    let scene = try Scene()
    let show = FeedOnOrigin(scene, path: "/feed.xml")
    show.publish(1...3)
    #expect(try scene.podflux("add", show.url, "--none").status == 0)
    try scene.put(1, at: "\(Self.folder)/Episode 1.mp3")
    try scene.put(9, at: "\(Self.folder)/2001-01-01 Episode 2.mp3")
    let plan = try scene.podflux("adopt", "--plan")
    #expect(plan.output.contains("certain"), "\(plan)")
    #expect(plan.output.contains("it has the episode's title and length"), "\(plan)")
    #expect(plan.output.contains("its day is another than the episode's"), "\(plan)")
    #expect(plan.errors == "2 found, nothing was changed\n")
    let adopted = try scene.podflux("adopt", scene.library + "/" + Self.folder, "--feed", "show of")
    #expect(adopted.status == 0 && adopted.errors == "2 found, 1 done, 1 left as they are\n", "\(adopted)")
    #expect(try scene.podflux("adopt", "/etc").status == 64)
    #expect(scene.fetchedFiles().isEmpty)
  }
}

extension PodfluxProcess {
  /// Pairs files with episodes when no run is active, and waits for the end.
  @discardableResult
  fileprivate func adopt(_ options: [String: Any] = ["all": true]) throws -> CleanupReport {
    try waitUntil("the end of earlier runs", upTo: 30) { try cleanup().map { $0.isEnd && !$0.isFollowed } ?? true }
    guard let id = try order("episodes/adopt", options)["run"] as? Int else { throw Failure("a run without a number") }
    return try waitForCleanup(upTo: 60) { $0.id == id }
  }
}

extension Scene {
  /// The file of an episode of this number.
  fileprivate func put(_ number: Int, at path: String) throws {
    let target = URL(fileURLWithPath: library + "/" + path)
    try FileManager.default.createDirectory(at: target.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(Body.audio(length: 10_000 + number, seed: UInt64(10_000 + number)).allBytes).write(to: target)
  }

  /// The file of an episode of this number behind an ID3v2.4 tag with these frames of text (ID3v2.4.0 section 4.2).
  fileprivate func put(_ number: Int, at path: String, tagged frames: [String: String]) throws {
    func synchsafe(_ number: Int) -> [UInt8] { [21, 14, 7, 0].map { UInt8(number >> $0 & 0x7F) } }
    let body = frames.sorted { $0.key < $1.key }.flatMap { frame -> [UInt8] in
      Array(frame.key.utf8) + synchsafe(frame.value.utf8.count + 1) + [0, 0, 3] + Array(frame.value.utf8)
    }
    try put(number, at: path)
    let place = URL(fileURLWithPath: library + "/" + path)
    let audio = [UInt8](try Data(contentsOf: place))
    try Data(Array("ID3".utf8) + [4, 0, 0] + synchsafe(body.count) + body + audio).write(to: place)
  }

  /// The files with their hashes and times.
  fileprivate func contents() throws -> [String: String] {
    var contents: [String: String] = [:]
    for path in publishedFiles() { contents[path] = "\(hash(of: path) ?? "") \(try modificationTime(of: path))" }
    return contents
  }

  /// The paths of files that were asked for.
  fileprivate func fetchedFiles() -> [String] {
    origin.requests.map(\.path).filter { $0.hasSuffix(".mp3") }
  }

  /// Each episode has a completed download whose file is the one that was there.
  fileprivate func expectAdopted(
    _ numbers: ClosedRange<Int>, by engine: PodfluxProcess, as name: (Int) -> String,
    at sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let items = try engine.items()
    #expect(items.count == numbers.count, sourceLocation: sourceLocation)
    let byID = Dictionary(uniqueKeysWithValues: items.map { ($0.id, $0) })
    for episode in try engine.episodes(["feed": "show"]) {
      let number = try #require((episode["title"] as? String).flatMap { Int($0.dropFirst("Episode ".count)) })
      let item = try #require(byID[episode["download"] as? String ?? ""], "episode \(number)")
      #expect(item.state == "completed" && item.path == name(number), "\(item.json)", sourceLocation: sourceLocation)
      #expect(item.json["origin"] as? String == "user" && item.received == 10_000 + number)
    }
  }
}
