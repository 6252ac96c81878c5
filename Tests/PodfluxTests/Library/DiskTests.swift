import Foundation
import ScriptedOrigin
import Testing
import TestScheduling
import TestSupport

/// The disks that users have, really mounted: downloads, kills in the middle, and the messages where something is
/// impossible.
@Suite("Disks", .systemTest)
struct DiskTests {
  private static let downloads = 20
  private static let kills = 3
  /// Names that disks treat differently: umlauts, characters that some refuse, and two that differ in case only.
  private static func title(_ number: Int) -> String {
    switch number {
    case 0: "Folge"
    case 1: "FOLGE"
    case 2: "Ärger über Öl"
    case 3: "Wer? \"Ich\": <du> | *alle*"
    default: "Folge \(number)"
    }
  }

  private static func id(_ number: Int) -> String { number.isMultiple(of: 2) ? "ep:\(number)" : "EP:\(number - 1)" }

  @Test(
    "Twenty downloads complete over kills, each with its own bytes, and nothing else is left",
    arguments: PrivateDisk.Kind.allCases.map { ($0, false) }
      + [PrivateDisk.Kind.exfat, .mergerfs, .ext4].map { ($0, true) })
  func completes(kind: PrivateDisk.Kind, hasStateElsewhere: Bool) throws {
    if let reason = PrivateDisk.unavailability(of: kind) {
      print("skipped: \(reason)")
      return
    }
    let scene = try DiskScene(kind, hasStateElsewhere: hasStateElsewhere)
    let bodies = (0..<Self.downloads).map { number in
      scene.serve("/\(number).mp3", length: 60_000 + number, bytesPerSecond: 400_000)
    }
    var engine = try scene.start()
    try engine.order(
      "settings/update", ["retryFirstSeconds": 1, "maxConcurrent": 4, "maxPerHost": 4, "reserveFreeBytes": 0])
    for number in 0..<Self.downloads {
      try engine.order(
        "downloads/enqueue",
        [
          "id": Self.id(number), "url": scene.origin.url("/\(number).mp3"), "podcast": "Sendung",
          "title": Self.title(number),
        ])
    }
    for round in 1...Self.kills {
      let wanted = round * Self.downloads / (Self.kills + 1)
      try engine.waitForDownloads { counts, _ in counts["completed", default: 0] >= wanted }
      try engine.kill()
      engine = try scene.start()
    }
    let items = try engine.waitForAllCompleted()
    #expect(items.count == Self.downloads)
    for number in 0..<Self.downloads {
      let item = try #require(items.first { $0.id == Self.id(number) })
      #expect(scene.hash(of: item.path) == bodies[number].hash, "\(item.json)")
    }
    #expect(scene.publishedFiles().count == Self.downloads)
    #expect(try scene.steps(engine).isEmpty)
    engine.closeInput()
    #expect(try engine.waitForEnd().status == 0)
    #expect(scene.partialFiles() == [])

    // Mounted or only started again: the same files are there.
    let again = try scene.start()
    #expect(try scene.steps(again).isEmpty)
    #expect(try again.items().map(\.state) == Array(repeating: "completed", count: Self.downloads))
    again.closeInput()
    #expect(try again.waitForEnd().status == 0)
    let snapshot = try scene.command(["snapshot", "--library", scene.library])
    #expect(snapshot.status == 0, "\(snapshot.errors)")
    print("\(kind.rawValue), state elsewhere: \(hasStateElsewhere): \(scene.publishedFiles())")
  }

  @Test("Podcasts whose names differ in case only share the folder that is there", arguments: [true, false])
  func podcastsInOneFolder(isPortable: Bool) throws {
    if let reason = PrivateDisk.unavailability(of: .exfat) {
      print("skipped: \(reason)")
      return
    }
    let scene = try DiskScene(.exfat)
    let engine = try scene.start()
    try engine.order("settings/update", ["portableNames": isPortable, "reserveFreeBytes": 0])
    for (number, podcast) in ["Show", "show", "SHOW"].enumerated() {
      _ = scene.serve("/\(number).mp3", length: 20_000 + number, bytesPerSecond: 4_000_000)
      try engine.order(
        "downloads/enqueue",
        ["id": "d\(number)", "url": scene.origin.url("/\(number).mp3"), "podcast": podcast, "title": "\(number)"])
      try engine.waitForAllCompleted()
    }
    // A client's own path too.
    _ = scene.serve("/3.mp3", length: 20_003, bytesPerSecond: 4_000_000)
    try engine.order(
      "downloads/enqueue", ["id": "d3", "url": scene.origin.url("/3.mp3"), "path": "sHOW/3.mp3"])
    let items = try engine.waitForAllCompleted()
    #expect(items.compactMap(\.path).sorted() == (0...3).map { "Show/\($0).mp3" })
    #expect(scene.publishedFiles() == (0...3).map { "Show/\($0).mp3" })
    #expect(try scene.steps(engine).isEmpty)
  }

  @Test(
    "Files are renamed over kills, in circles and in case only, and each name has its own bytes",
    arguments: [PrivateDisk.Kind.exfat, .mergerfs, .bindfs, .ext4])
  func renames(kind: PrivateDisk.Kind) throws {
    if let reason = PrivateDisk.unavailability(of: kind) {
      print("skipped: \(reason)")
      return
    }
    let scene = try DiskScene(kind)
    let titles = ["a", "b", "c", "d", "ärger", "f: g?"]
    let bodies = titles.indices.map { scene.serve("/\($0).mp3", length: 40_000 + $0, bytesPerSecond: 1_000_000) }
    var engine = try scene.start()
    try engine.order("settings/update", ["maxPerHost": 4, "reserveFreeBytes": 0])
    for (number, title) in titles.enumerated() {
      try engine.order(
        "downloads/enqueue",
        ["id": "d\(number)", "url": scene.origin.url("/\(number).mp3"), "podcast": "Sendung", "title": title])
    }
    try engine.waitForAllCompleted()
    // Two circles and a chain, case, and the same name twice.
    for round in [["b", "c", "a", "D", "f: g?", "x"], ["B", "a", "A", "y", "x", "ärger"], titles] {
      for (number, title) in round.enumerated() {
        try engine.order("downloads/update", ["id": "d\(number)", "title": title])
      }
      try engine.send(line: #"{"type":"files/rename","payload":{"all":true}}"#)
      try engine.send(line: #"{"type":"snapshot","payload":{"stores":["cleanup"]}}"#)
      try engine.kill()
      engine = try scene.start()
      try scene.rename(engine)
      let items = try engine.items()
      for (number, body) in bodies.enumerated() {
        let item = try #require(items.first { $0.id == "d\(number)" })
        #expect(scene.hash(of: item.path) == body.hash, "\(item.json)")
      }
      #expect(scene.publishedFiles() == items.compactMap(\.path).sorted())
      #expect(try scene.steps(engine).isEmpty)
      print("\(kind.rawValue): \(scene.publishedFiles())")
    }
    #expect(scene.publishedFiles() == ["a", "b", "c", "d", "f- g-", "ärger"].map { "Sendung/\($0).mp3" })
  }

  @Test(
    "Tagged copies are published over kills, each once, and nothing else is left",
    arguments: [(PrivateDisk.Kind.exfat, false), (.exfat, true), (.ext4, true), (.mergerfs, false)])
  func tags(kind: PrivateDisk.Kind, hasStateElsewhere: Bool) throws {
    if let reason = PrivateDisk.unavailability(of: kind) {
      print("skipped: \(reason)")
      return
    }
    let scene = try DiskScene(kind, hasStateElsewhere: hasStateElsewhere)
    let bodies = (0..<8).map { scene.serve("/\($0).mp3", length: 60_000 + $0, bytesPerSecond: 4_000_000) }
    var engine = try scene.start()
    try engine.order("settings/update", ["tags": true, "checksum": true, "reserveFreeBytes": 0])
    for number in bodies.indices {
      try engine.order(
        "downloads/enqueue",
        ["id": "d\(number)", "url": scene.origin.url("/\(number).mp3"), "podcast": "Sendung", "title": "\(number)"])
    }
    for round in 1...2 {
      try engine.waitForDownloads { counts, _ in counts["completed", default: 0] >= round * 2 }
      try engine.kill()
      engine = try scene.start()
    }
    let items = try engine.waitForAllCompleted()
    for number in bodies.indices {
      let item = try #require(items.first { $0.id == "d\(number)" })
      #expect(item.json["sha256"] as? String == bodies[number].hash)
      let tagged = try #require(item.json["tagged"] as? [String: Any], "\(item.json)")
      #expect(tagged["sha256"] as? String != bodies[number].hash)
    }
    #expect(scene.publishedFiles() == bodies.indices.map { "Sendung/\($0).mp3" })
    try engine.order("downloads/verify", ["all": true])
    engine.closeInput()
    #expect(try engine.waitForEnd().status == 0)
    #expect(try scene.start().items().allSatisfy { $0.state == "completed" && $0.json["modifiedAt"] is NSNull })
  }

  @Test("A snapshot beside an engine with an exclusive database fails with the reason and the remedy")
  func snapshotBeside() throws {
    if let reason = PrivateDisk.unavailability(of: .mergerfs) {
      print("skipped: \(reason)")
      return
    }
    let scene = try DiskScene(.mergerfs)
    let engine = try scene.start()
    let beside = try scene.command(["snapshot", "--library", scene.library])
    #expect(beside.status == 65)
    #expect(beside.errors.contains("has the database for itself"), "\(beside.errors)")
    // An observer over the protocol sees everything.
    try engine.order("observe", ["interval": 0.05])
    try engine.order(
      "downloads/enqueue", ["url": "http://127.0.0.1:1/a", "id": "a", "paused": true])
    try engine.wait(for: "the state of a") { $0.contains("\"upsert\"") && $0.contains("\"a\"") }
    try engine.order("cleanup/run", ["mode": "plan"])
    try engine.kill()
    // Its log has no checkpoint: the command reads a copy of both.
    var after = beside
    // FUSE gives the dead engine's locks back a moment later.
    try waitUntil("the snapshot of what the dead engine has left", upTo: 20) {
      after = try scene.command(["snapshot", "--library", scene.library])
      return after.status == 0
    }
    #expect(after.output.contains("\"a\""))
  }

  @Test("With its state on a disk with shared memory, a library can be read beside its engine")
  func snapshotBesideStateElsewhere() throws {
    if let reason = PrivateDisk.unavailability(of: .mergerfs) {
      print("skipped: \(reason)")
      return
    }
    let scene = try DiskScene(.mergerfs, hasStateElsewhere: true)
    let engine = try scene.start()
    try engine.order("downloads/enqueue", ["url": "http://127.0.0.1:1/a", "id": "a", "paused": true])
    let beside = try scene.command(["snapshot", "--library", scene.library])
    #expect(beside.status == 0, "\(beside.errors)")
    #expect(beside.output.contains("\"a\""))
    let other = try scene.command(["run", "--library", scene.library, "--state", scene.state + " 2"])
    #expect(other.status == 65)
    #expect(other.errors.contains("has its state in \"\(scene.state)\""), "\(other.errors)")
  }
}

/// An origin, and a library on a private disk.
private final class DiskScene {
  let origin: ScriptedOrigin
  private let disk: PrivateDisk
  private let hasStateElsewhere: Bool
  private var engines: [PodfluxProcess] = []

  init(_ kind: PrivateDisk.Kind, hasStateElsewhere: Bool = false) throws {
    self.hasStateElsewhere = hasStateElsewhere
    disk = try PrivateDisk(kind)
    origin = try ScriptedOrigin.start()
  }

  deinit {
    for engine in engines {
      engine.signal(SIGKILL)
      engine.closeInput()
      // No process of the disk's namespace may outlive it.
      _ = try? engine.waitForEnd()
    }
    try? origin.stop()
  }

  var library: String { disk.path + "/library" }
  var state: String { disk.outside + "/state" }
  private var visibleLibrary: String { disk.visiblePath + "/library" }

  func start(_ arguments: [String] = []) throws -> PodfluxProcess {
    let log = disk.outside + "/engine.log"
    let elsewhere = hasStateElsewhere ? ["--state", state] : []
    let engine = try PodfluxProcess(
      library: library, arguments: arguments + elsewhere, logPath: log, launcher: disk.launcher)
    engines.append(engine)
    do {
      try engine.waitUntilReady()
    } catch {
      let text = (try? String(contentsOfFile: log, encoding: .utf8)) ?? ""
      throw PodfluxProcess.Failure("\(error); log: \(text)")
    }
    return engine
  }

  func command(_ arguments: [String]) throws -> PodfluxCommand.Result {
    try PodfluxCommand.run(arguments, launcher: disk.launcher)
  }

  func serve(_ path: String, length: Int, bytesPerSecond: Int) -> Body {
    let body = Body.audio(length: length, seed: UInt64(length))
    origin.serve(path, .resource(Resource(body, entityTag: .strong("v1"))).limited(toBytesPerSecond: bytesPerSecond))
    return body
  }

  /// The steps of a cleanup that has ended.
  func steps(_ engine: PodfluxProcess) throws -> [[String: Any]] {
    try steps(of: engine.order("cleanup/run", ["mode": "plan"]), engine)
  }

  /// Renames files, behind all that is under way.
  func rename(_ engine: PodfluxProcess) throws {
    try waitUntil("the end of earlier runs") {
      let cleanup = try engine.order("snapshot", ["stores": ["cleanup"]])["cleanup"] as? [String: Any]
      return (cleanup?["run"] as? [String: Any])?["endedAt"] is String && !(cleanup?["waiting"] is [String: Any])
    }
    _ = try steps(of: engine.order("files/rename", ["all": true]), engine)
  }

  private func steps(of order: [String: Any], _ engine: PodfluxProcess) throws -> [[String: Any]] {
    var steps: [[String: Any]] = []
    try waitUntil("the end of the cleanup") {
      let cleanup = try engine.order("snapshot", ["stores": ["cleanup"]])["cleanup"] as? [String: Any]
      steps = cleanup?["steps"] as? [[String: Any]] ?? []
      let run = cleanup?["run"] as? [String: Any]
      return run?["id"] as? Int == order["run"] as? Int && run?["endedAt"] is String
    }
    return steps
  }

  func publishedFiles() -> [String] {
    let names = FileManager.default.enumerator(atPath: visibleLibrary)?.compactMap { $0 as? String } ?? []
    return names.filter { name in
      var isFolder: ObjCBool = false
      return !name.hasPrefix(".")
        && FileManager.default.fileExists(atPath: visibleLibrary + "/" + name, isDirectory: &isFolder)
        && !isFolder.boolValue
    }.sorted()
  }

  func partialFiles() -> [String] {
    let engineFolder = visibleLibrary + "/.podflux"
    let folders = hasStateElsewhere ? [state + "/partial", engineFolder + "/incoming"] : [engineFolder + "/partial"]
    return folders.flatMap { (try? FileManager.default.contentsOfDirectory(atPath: $0)) ?? ["no \($0)"] }.sorted()
  }

  func hash(of path: String?) -> String? {
    guard let path, let data = FileManager.default.contents(atPath: visibleLibrary + "/" + path) else { return nil }
    return MessageDigest.digestText(of: data)
  }
}
