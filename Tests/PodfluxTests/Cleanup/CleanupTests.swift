import Foundation
import ScriptedOrigin
import Testing
import TestScheduling
import TestSupport

/// `cleanup/run` on the real binary: it resolves the differences between rows and files.
@Suite("Cleanup", .systemTest)
struct CleanupTests {
  private func scene(
    _ ids: [String] = ["a", "b", "c"], settings: [String: Any] = ["checksum": true]
  ) throws -> (Scene, PodfluxProcess, [Item]) {
    let scene = try Scene()
    let engine = try scene.startEager(settings: settings)
    try engine.waitForStartCleanup()
    for (index, id) in ids.enumerated() {
      scene.serve("/\(id).mp3", length: 60_000 + index, seed: UInt64(index + 1))
      try engine.order(
        "downloads/enqueue", ["url": scene.origin.url("/\(id).mp3"), "id": id, "title": id, "podcast": "Show"])
    }
    return (scene, engine, try ids.map { try engine.wait(for: $0, toBe: "completed") })
  }

  @Test("A consistent library has no findings, and its size is reported")
  func inOrder() throws {
    let (scene, engine, _) = try scene()
    let report = try engine.cleanUp()
    #expect(report.state == "done")
    #expect(report.steps.isEmpty, "\(report.steps)")
    #expect(report.usage("media") == 180_003)
    #expect(report.usage("partial") == 0)
    #expect(report.usage("database") > 0)
    #expect(scene.publishedFiles().count == 3)
  }

  @Test(
    "Without its file a download is forgotten, fetched again, or marked", arguments: ["forget", "redownload", "mark"])
  func missing(policy: String) throws {
    let (scene, engine, items) = try scene()
    try scene.remove(items[1].path)
    let plan = try engine.cleanUp(["mode": "plan", "missing": policy])
    #expect(plan.steps.map(\.finding) == ["missing"])
    #expect(plan.steps.map(\.decision) == [policy])
    #expect(plan.steps.map(\.status) == ["planned"])
    #expect(try engine.items().map(\.state) == ["completed", "completed", "completed"])

    let report = try engine.cleanUp(["missing": policy])
    #expect(report.steps.map(\.status) == ["done"])
    #expect(report.tally("missing")["done"] == 1)
    switch policy {
    case "forget": #expect(try engine.items().map(\.id) == ["a", "c"])
    case "mark": #expect(try engine.wait(for: "b", toBe: "failed").errorCode == "corrupt_file")
    default:
      #expect(try engine.wait(for: "b", toBe: "completed").path == items[1].path)
      #expect(scene.origin.requests.count == 4)
    }
    #expect(try engine.cleanUp(["missing": policy]).acts.isEmpty)
  }

  @Test("A second name of another download's file is not a file of its own, and is left")
  func secondName() throws {
    let (scene, engine, items) = try scene()
    let (own, other) = (try #require(items[1].path), try #require(items[0].path))
    try scene.remove(own)
    #expect(link(scene.library + "/" + other, scene.library + "/" + own) == 0)
    let report = try engine.cleanUp(["missing": "redownload"])
    #expect(Set(report.steps.map { "\($0.finding) \($0.status)" }) == ["missing done", "orphan left"])
    let again = try engine.wait(for: "b", toBe: "completed")
    #expect(again.path != own)
    #expect(scene.hash(of: again.path) == items[1].json["sha256"] as? String)
    #expect(try engine.item("a")?.path == other)
    #expect(try engine.cleanUp(["missing": "redownload"]).acts.isEmpty)
  }

  @Test("A download that a person removed is fetched again for a person, and not for a rule")
  func tombstone() throws {
    let (scene, engine, items) = try scene()
    try scene.remove(items[0].path)
    try engine.cleanUp()
    let url = scene.origin.url("/a.mp3")
    #expect(try engine.order("downloads/enqueue", ["url": url, "origin": "auto"])["created"] as? Bool == false)
    #expect(
      try engine.order("downloads/enqueue", ["url": url, "id": "a", "origin": "auto"])["created"] as? Bool == false)
    #expect(try engine.order("downloads/enqueue", ["url": url, "id": "again"])["created"] as? Bool == true)
    try engine.wait(for: "again", toBe: "completed")
  }

  @Test("A file that was renamed or moved inside the library is followed")
  func moved() throws {
    let (scene, engine, items) = try scene()
    try scene.move(items[0].path, to: "Show/renamed.mp3")
    try scene.move(items[1].path, to: "Elsewhere/deep/b.mp3")
    // The same content under another path and inode.
    try scene.copy(items[2].path, to: "copy of c.mp3")
    try scene.remove(items[2].path)
    let report = try engine.cleanUp()
    #expect(report.steps.map(\.decision) == ["follow", "follow", "follow"], "\(report.steps)")
    #expect(try engine.items().map(\.path) == ["Show/renamed.mp3", "Elsewhere/deep/b.mp3", "copy of c.mp3"])
    try engine.order("downloads/remove", ["id": "b"])
    try waitUntil("the moved file is deleted with its download") { scene.publishedFiles().count == 2 }
    #expect(try engine.cleanUp().acts.isEmpty)
  }

  @Test("Two swapped files are both followed")
  func swapped() throws {
    let (scene, engine, items) = try scene()
    try scene.move(items[0].path, to: "swap")
    try scene.move(items[1].path, to: items[0].path)
    try scene.move("swap", to: items[1].path)
    #expect(try engine.cleanUp().steps.map(\.decision) == ["follow", "follow"])
    #expect(try engine.items().map(\.path) == [items[1].path, items[0].path, items[2].path])
  }

  @Test("A library restored from a backup, with new inodes, is intact")
  func restored() throws {
    let (scene, engine, items) = try scene()
    for item in items {
      try scene.copy(item.path, to: "copy")
      try scene.remove(item.path)
      try scene.move("copy", to: item.path)
    }
    #expect(try engine.cleanUp().steps.map(\.decision) == ["follow", "follow", "follow"])
    #expect(try engine.items().map(\.path) == items.map(\.path))
    #expect(scene.quarantine().isEmpty)
  }

  @Test("A file of another length is quarantined, and fetched again if requested", arguments: [false, true])
  func truncated(again: Bool) throws {
    let (scene, engine, items) = try scene()
    let path = try #require(items[0].path)
    try scene.rot(path) { truncate($0, 1000) }
    let options = again ? ["missing": "redownload"] : ["orphans": "quarantine"]
    let report = try engine.cleanUp(options)
    #expect(report.steps.map(\.finding) == ["corrupt"])
    if again {
      #expect(try engine.wait(for: "a", toBe: "completed").path == path)
    } else {
      #expect(try engine.wait(for: "a", toBe: "failed").errorCode == "corrupt_file")
    }
    try waitUntil("the file is in quarantine") { scene.quarantine().map(\.count) == [1000] }
    #expect(try engine.cleanUp(options).acts.isEmpty)
  }

  @Test("Without an option to take files a damaged file is only marked: it stays, and a new fetch gets another path")
  func marked() throws {
    let (scene, engine, items) = try scene()
    let path = try #require(items[0].path)
    try scene.rot(path) { truncate($0, 1000) }
    try engine.kill()
    let next = try scene.start()
    #expect(try next.waitForStartCleanup().steps.map(\.decision) == ["mark"])
    #expect(try next.wait(for: "a", toBe: "failed").errorCode == "corrupt_file")
    #expect(try next.cleanUp(["deep": true]).acts.isEmpty)
    #expect(try next.cleanUp(["orphans": "adopt"]).acts.isEmpty)
    try next.order("downloads/retry", ["id": "a"])
    let again = try next.wait(for: "a", toBe: "completed")
    #expect(again.path != path)
    #expect(scene.hash(of: again.path) == items[0].json["sha256"] as? String)
    #expect(FileManager.default.contents(atPath: scene.library + "/" + path)?.count == 1000)
    #expect(scene.quarantine().isEmpty)
  }

  @Test(
    "An edited file is followed: its download stays completed", arguments: Scene.Edit.allCases,
    [true, false])
  func edited(manner: Scene.Edit, hasChecksum: Bool) throws {
    let (scene, engine, items) = try scene(settings: ["checksum": hasChecksum])
    try scene.edit(items[0].path, manner)
    try scene.edit(items[1].path, manner)
    let report = try engine.cleanUp(["orphans": "delete"])
    #expect(report.steps.map(\.finding) == ["modified", "modified"], "\(report.steps)")
    #expect(report.steps.map(\.status) == ["done", "done"])
    #expect(try engine.cleanUp(["deep": true]).steps.isEmpty)
    try engine.order("downloads/verify", ["all": true])
    let now = try engine.items()
    #expect(now.map(\.state) == ["completed", "completed", "completed"])
    for (item, former) in zip(now, items).prefix(2) {
      #expect(item.path == former.path)
      let length = FileManager.default.contents(atPath: scene.library + "/" + (item.path ?? ""))?.count
      #expect((item.json["bytes"] as? [String: Any])?["total"] as? Int == length)
      #expect(item.json["sha256"] as? String == (hasChecksum ? scene.hash(of: item.path) : nil))
      #expect((item.json["modifiedAt"] is String) == (manner != .touched || !hasChecksum))
    }
    #expect(now[2].json["modifiedAt"] is NSNull)
    #expect(scene.quarantine().isEmpty)
  }

  @Test("A file that is no longer media counts as damaged, for any cause", arguments: [true, false])
  func spoilt(isEmpty: Bool) throws {
    let (scene, engine, items) = try scene()
    let path = try #require(items[0].path)
    try Data((isEmpty ? "" : "<html>gone</html>").utf8).write(to: URL(fileURLWithPath: scene.library + "/" + path))
    #expect(try engine.cleanUp().steps.map(\.decision) == ["mark"])
    #expect(try engine.wait(for: "a", toBe: "failed").errorCode == "corrupt_file")
    #expect(scene.publishedFiles().contains(path))
  }

  @Test("Only a deep run finds another content of the same length")
  func deep() throws {
    let (scene, engine, items) = try scene()
    try scene.rot(items[2].path) { _ in try scene.flipByte(of: items[2].path) }
    #expect(try engine.cleanUp().steps.isEmpty)
    #expect(try engine.cleanUp(["deep": true, "mode": "plan"]).steps.map(\.finding) == ["corrupt"])
    #expect(try engine.items().map(\.state) == ["completed", "completed", "completed"])
    #expect(try engine.cleanUp(["deep": true]).steps.map(\.status) == ["done"])
    #expect(try engine.wait(for: "c", toBe: "failed").errorCode == "corrupt_file")
  }

  @Test("Orphans are handled according to the option", arguments: ["quarantine", "delete", "adopt", "report"])
  func orphans(policy: String) throws {
    let (scene, engine, _) = try scene()
    try scene.write("mine", to: "Show/mine.mp3")
    try scene.write("broken", toBytes: Array("Show/\u{fc}".unicodeScalars.map { UInt8($0.value) }))
    try scene.write("hidden", to: "Show/.nomedia")
    let report = try engine.cleanUp(["orphans": policy])
    #expect(report.tally("orphan")["count"] == 2)
    #expect(try engine.cleanUp(["orphans": policy]).acts.isEmpty)
    #expect(scene.publishedFiles().contains("Show/.nomedia"))
    switch policy {
    case "quarantine": #expect(Set(scene.quarantine()) == [Data("mine".utf8), Data("broken".utf8)])
    case "delete":
      #expect(scene.quarantine().isEmpty)
      #expect(report.freedBytes == 10)
      #expect(scene.publishedFiles().count == 4)
    case "adopt":
      let adopted = try #require(try engine.items().last)
      #expect(adopted.path == "Show/mine.mp3")
      #expect(adopted.state == "completed")
      #expect(adopted.json["podcast"] as? String == "Show")
      #expect(adopted.json["title"] as? String == "mine")
    default: #expect(scene.publishedFiles().count == 5)
    }
  }

  @Test("A file at a wanted path, or a kept one, is offered and adopted")
  func adoptable() throws {
    let (scene, engine, items) = try scene()
    try engine.order("downloads/remove", ["id": "a", "deleteFile": false])
    try scene.write("already here", to: "wanted.mp3")
    scene.serve("/w.mp3", length: 50_000)
    try engine.order(
      "downloads/enqueue", ["url": scene.origin.url("/w.mp3"), "id": "w", "path": "wanted.mp3"])
    #expect(try engine.wait(for: "w", toBe: "failed").errorCode == "file_exists")
    let report = try engine.cleanUp()
    #expect(report.steps.map(\.decision) == ["offer", "offer"], "\(report.steps)")
    #expect(Set(report.steps.compactMap(\.download)) == ["a", "w"])

    try engine.cleanUp(["orphans": "adopt"])
    let adopted = try engine.items()
    #expect(adopted.allSatisfy { $0.state == "completed" })
    #expect(adopted.first { $0.id == "w" }?.path == "wanted.mp3")
    #expect(adopted.first { $0.id == "a" }?.path == items[0].path)
    #expect(adopted.first { $0.id == "a" }?.json["url"] as? String == scene.origin.url("/a.mp3"))
    #expect(try engine.cleanUp(["orphans": "adopt"]).acts.isEmpty)
  }

  @Test("All files missing at once: nothing is removed, and the reason is reported")
  func everythingGone() throws {
    let (scene, engine, items) = try scene()
    for item in items { try scene.move(item.path, to: "../away-\(item.id)") }
    let report = try engine.cleanUp()
    #expect(report.state == "refused")
    #expect(report.reason?.contains("mounted") == true)
    #expect(try engine.items().map(\.state) == ["completed", "completed", "completed"])
    // What comes to where the disk is missing proves nothing.
    scene.serve("/later.mp3", length: 30_000)
    try engine.order(
      "downloads/enqueue",
      ["url": scene.origin.url("/later.mp3"), "id": "later", "title": "later", "podcast": "Show"])
    try engine.wait(for: "later", toBe: "completed")
    #expect(try engine.cleanUp().state == "refused")
    for item in items { try scene.move("../away-\(item.id)", to: item.path) }
    #expect(try engine.cleanUp().steps.isEmpty)
  }

  @Test("Without its marker a library is not cleaned up")
  func noMarker() throws {
    let (scene, engine, items) = try scene()
    try scene.remove(items[0].path)
    try scene.remove(".podflux/library")
    let report = try engine.cleanUp()
    #expect(report.state == "refused")
    #expect(report.reason?.contains("marker") == true)
    #expect(try engine.items().count == 3)
    // Nor by an engine that starts without it, until a person confirms the library.
    try engine.kill()
    let next = try scene.start()
    #expect(try next.waitForStartCleanup().state == "refused")
    try scene.write("podflux library 1\n", to: ".podflux/library")
    #expect(try next.cleanUp().steps.map(\.decision) == ["forget"])
  }

  @Test("Links are not followed, and files behind them count as neither present nor missing")
  func links() throws {
    let (scene, engine, items) = try scene()
    let folder = scene.library + "/Show"
    try FileManager.default.moveItem(atPath: folder, toPath: scene.outside + "/Show")
    try FileManager.default.createSymbolicLink(atPath: folder, withDestinationPath: scene.outside + "/Show")
    let report = try engine.cleanUp()
    #expect(report.steps.map(\.decision) == ["leave"], "\(report.steps)")
    #expect(try engine.items().map(\.path) == items.map(\.path))
    #expect(try FileManager.default.contentsOfDirectory(atPath: scene.outside + "/Show").count == 3)
  }

  @Test("A folder that was moved inside the library is followed, although a link to it stands where it was")
  func linkedInside() throws {
    let (scene, engine, items) = try scene()
    try scene.write("", to: "Archive/.keep")
    let folder = scene.library + "/Show"
    try FileManager.default.moveItem(atPath: folder, toPath: scene.library + "/Archive/Show")
    try FileManager.default.createSymbolicLink(atPath: folder, withDestinationPath: "Archive/Show")
    let report = try engine.cleanUp()
    #expect(Set(report.steps.map(\.decision)) == ["leave", "follow"], "\(report.steps)")
    #expect(try engine.items().map(\.path) == items.map { $0.path.map { "Archive/\($0)" } })
    #expect(try engine.cleanUp().acts.isEmpty)
  }

  @Test("Partial files: orphans are deleted, and rows get the bytes on the disk")
  func partials() throws {
    let (scene, engine, _) = try scene(["a"])
    scene.serve("/slow.mp3", length: 8 << 20, bytesPerSecond: 2 << 20)
    try engine.order("downloads/enqueue", ["url": scene.origin.url("/slow.mp3"), "id": "slow"])
    try engine.waitForDownloads { _, items in items.map(Item.init).contains { $0.id == "slow" && $0.received > 600_000 }
    }
    try engine.order("downloads/pause", ["id": "slow"])
    try waitUntil("its bytes are durable") { try engine.item("slow").map { $0.durable > 0 } ?? false }
    truncate(scene.partialPath("slow"), 300_000)
    try Data("orphaned".utf8).write(to: URL(fileURLWithPath: scene.partialPath("absent")))
    try Data("no partial".utf8).write(to: URL(fileURLWithPath: scene.library + "/.podflux/partial/README"))
    let report = try engine.cleanUp(["orphans": "quarantine"])
    #expect(Set(report.steps.map(\.finding)) == ["orphan_partial", "partial", "stray_partial"], "\(report.steps)")
    #expect(report.usage("partial") == 300_008)
    #expect(try engine.item("slow")?.durable == 300_000)
    #expect(scene.partialFiles() == ["slow.part"])
    #expect(scene.quarantine() == [Data("no partial".utf8)])
    #expect(try engine.cleanUp().acts.isEmpty)

    try engine.order("downloads/resume", ["id": "slow"])
    #expect(
      scene.hash(of: try engine.wait(for: "slow", toBe: "completed").path)
        == Body.audio(length: 8 << 20, seed: 8 << 20).hash)
    #expect(scene.origin.requests.last?.rangeHeader == "bytes=\(300_000 - 65_536)-")
  }

  @Test("A folder that the engine created is removed when empty; a user's stays")
  func emptyFolders() throws {
    let (scene, engine, items) = try scene()
    for item in items { try scene.move(item.path, to: "x-\(item.id).mp3") }
    try FileManager.default.createDirectory(atPath: scene.library + "/Later", withIntermediateDirectories: false)
    let report = try engine.cleanUp()
    #expect(report.tally("empty_folder")["done"] == 1)
    #expect(!FileManager.default.fileExists(atPath: scene.library + "/Show"))
    #expect(FileManager.default.fileExists(atPath: scene.library + "/Later"))
  }

  @Test("A run is cancelled, one waits, a third is refused")
  func runs() throws {
    let (scene, engine, _) = try scene()
    for number in 0..<200 { try scene.write("\(number)", to: "many/\(number).mp3") }
    try engine.order("cleanup/run", ["orphans": "delete"])
    try engine.order("cleanup/run", ["mode": "plan"])
    #expect(try engine.refusal("cleanup/run").code == "conflict")
    #expect(try engine.order("cleanup/cancel")["affected"] as? Int == 2)
    try waitUntil("the end of what was under way") { try engine.cleanup()?.state == "cancelled" }
    #expect(try engine.cleanUp(["mode": "plan"]).state == "done")
    #expect(try engine.order("cleanup/cancel")["affected"] as? Int == 0)
  }

  @Test(
    "A pass at the start corrects rows and takes nothing away, unless it is switched off, or told to",
    arguments: [nil, "report", "quarantine"])
  func atStart(orphans: String?) throws {
    let (scene, engine, items) = try scene()
    try engine.order("settings/update", orphans.map { ["orphans": $0] } ?? ["cleanupOnStart": false])
    engine.closeInput()
    #expect(try engine.waitForEnd().status == 0)
    try scene.remove(items[0].path)
    try scene.write("mine", to: "mine.mp3")
    let next = try scene.start()
    next.closeInput()
    #expect(try next.waitForEnd().status == 0)
    #expect(scene.quarantine() == (orphans == "quarantine" ? [Data("mine".utf8)] : []))
    let result = try PodfluxCommand.run(["snapshot", "--library", scene.library])
    #expect(try snapshotItems(result.output).count == (orphans == nil ? 3 : 2))
  }

  @Test("Orphans follow the run's option, or else the settings at the time of the request")
  func orphansOfSettings() throws {
    let (scene, engine, _) = try scene()
    try scene.write("mine", to: "mine.mp3")
    #expect(try engine.cleanUp().steps.map(\.decision) == ["leave"])
    try engine.order("settings/update", ["orphans": "quarantine"])
    #expect(try engine.cleanUp(["orphans": "report"]).steps.map(\.decision) == ["leave"])
    #expect(try engine.cleanUp().steps.map(\.decision) == ["quarantine"])
    #expect(scene.quarantine() == [Data("mine".utf8)])
  }

  @Test("A restored file stays at its path; expired files are deleted")
  func quarantine() throws {
    let (scene, engine, _) = try scene(settings: ["checksum": true, "orphans": "quarantine"])
    try scene.write("mine", to: "mine.mp3")
    try engine.cleanUp()
    #expect(scene.publishedFiles().count == 3)
    let name = try #require(scene.quarantineNames().first)
    let result = try PodfluxCommand.run(["quarantine", "restore", name, "--library", scene.library])
    #expect(result.status == 0, "\(result.errors)")
    let report = try engine.cleanUp()
    #expect(report.steps.map(\.decision) == ["leave"], "\(report.steps)")
    #expect(scene.publishedFiles().contains("mine.mp3"))

    try scene.write("old", to: "old.mp3")
    try engine.cleanUp()
    try engine.order("settings/update", ["quarantineDays": 30])
    #expect(try engine.cleanUp().acts.isEmpty)
    let manifest = scene.library + "/.podflux/quarantine/old-1.mp3.manifest.json"
    let text = try String(contentsOfFile: manifest, encoding: .utf8)
    let year = try #require(text.firstRange(of: "\"at\":\"20"))
    try text.replacingCharacters(in: year, with: "\"at\":\"19").write(
      toFile: manifest, atomically: true, encoding: .utf8)
    #expect(try engine.cleanUp().freedBytes == 3)
    #expect(scene.quarantine().isEmpty)
  }
}
