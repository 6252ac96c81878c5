import Foundation
import ScriptedOrigin
import Testing
import TestScheduling
import TestSupport

/// `downloads/verify`: the engine reads completed files again (see the article Protocol).
@Suite("Verifying", .systemTest)
struct VerifyTests {
  /// An external change of a completed file.
  enum Damage: String, CaseIterable {
    case flippedByte, truncated, missing, replacedByAnother, replacedByLink, replacedByFolder
  }

  @Test("An intact file's download stays completed, with a checksum and without", arguments: [true, false])
  func intact(hasChecksum: Bool) throws {
    let scene = try Scene()
    let engine = try scene.startSettled(settings: ["checksum": hasChecksum])
    let before = try scene.download(["a", "b"], on: engine)
    #expect(before.allSatisfy { ($0.json["sha256"] is String) == hasChecksum })
    #expect(try engine.order("downloads/verify", ["all": true])["affected"] as? Int == 2)
    // A copy has another inode and the same content.
    try scene.replaceByCopy(try #require(before[1].path))
    engine.closeInput()
    #expect(try engine.waitForEnd().status == 0)
    let next = try scene.start()
    #expect(try next.order("downloads/verify", ["ids": ["a", "b", "absent"]])["affected"] as? Int == 2)
    next.closeInput()
    #expect(try next.waitForEnd().status == 0)
    let items = try scene.start().items()
    #expect(items.map(\.state) == ["completed", "completed"])
    #expect(items.map(\.path) == before.map(\.path))
    #expect(scene.quarantined().isEmpty)
  }

  @Test(
    "A damaged or missing file fails, is quarantined, and is fetched again on request", arguments: Damage.allCases)
  func damaged(_ damage: Damage) throws {
    let scene = try Scene()
    let engine = try scene.startSettled(settings: ["checksum": true])
    let path = try #require(try scene.download(["a"], on: engine)[0].path)
    let hash = scene.hash(of: path)
    let remains = try scene.apply(damage, to: path)
    #expect(try engine.order("downloads/verify", ["id": "a"])["affected"] as? Int == 1)
    let failed = try engine.wait(for: "a", toBe: "failed")
    #expect(failed.errorCode == "corrupt_file")
    #expect(failed.path == nil)
    #expect(failed.durable == 0)

    try engine.order("downloads/resume", ["id": "a"])
    let item = try engine.wait(for: "a", toBe: "completed")
    #expect(scene.hash(of: item.path) == hash)
    #expect(scene.origin.requests.count == 2)
    switch damage {
    case .flippedByte, .truncated:
      #expect(scene.quarantined().keys.sorted() == ["a-1.mp3"])
      #expect(scene.quarantined()["a-1.mp3"] == remains)
      #expect(item.path == path)
    case .missing:
      #expect(scene.quarantined().isEmpty)
      #expect(item.path == path)
    case .replacedByAnother, .replacedByLink, .replacedByFolder:
      // The user's own file: neither moved nor overwritten.
      #expect(scene.quarantined().isEmpty)
      #expect(item.path != path)
      #expect(FileManager.default.contents(atPath: scene.library + "/" + path) == remains)
    }
  }

  @Test("A file that has grown is edited, even at once, and with its time set back", arguments: [true, false])
  func grown(hasChecksum: Bool) throws {
    let scene = try Scene()
    let engine = try scene.startSettled(settings: ["checksum": hasChecksum])
    let path = try #require(try scene.download(["a"], on: engine)[0].path)
    try scene.rot(path) { _ in
      let file = try FileHandle(forWritingTo: URL(fileURLWithPath: scene.library + "/" + path))
      try file.seekToEnd()
      try file.write(contentsOf: Data("TAG".utf8))
      try file.close()
    }
    try engine.order("downloads/verify", ["id": "a"])
    engine.closeInput()
    #expect(try engine.waitForEnd().status == 0)
    let item = try #require(try scene.start().items().first)
    #expect(item.state == "completed" && item.path == path && scene.quarantined().isEmpty)
  }

  @Test("Without a checksum the length is compared")
  func withoutChecksum() throws {
    let scene = try Scene()
    let engine = try scene.startSettled()
    let items = try scene.download(["a", "b"], on: engine)
    try scene.apply(.flippedByte, to: try #require(items[0].path))
    try scene.apply(.truncated, to: try #require(items[1].path))
    try engine.order("downloads/verify", ["all": true])
    try engine.wait(for: "b", toBe: "failed")
    engine.closeInput()
    #expect(try engine.waitForEnd().status == 0)
    #expect(try scene.start().items().map(\.state) == ["completed", "failed"])
  }

  @Test("An edited file's download stays completed, and shows the edit", arguments: Scene.Edit.allCases)
  func edited(_ manner: Scene.Edit) throws {
    let scene = try Scene()
    let engine = try scene.startSettled(settings: ["checksum": true])
    let path = try #require(try scene.download(["a"], on: engine)[0].path)
    try scene.edit(path, manner)
    try engine.order("downloads/verify", ["all": true])
    engine.closeInput()
    #expect(try engine.waitForEnd().status == 0)
    let item = try #require(try scene.start().item("a"))
    #expect(item.state == "completed")
    #expect(item.json["sha256"] as? String == scene.hash(of: path))
    #expect((item.json["modifiedAt"] is String) == (manner != .touched))
    #expect(scene.quarantined().isEmpty)
  }

  @Test("Only completed downloads are verified")
  func refusals() throws {
    let scene = try Scene()
    let engine = try scene.startSettled()
    try engine.order("downloads/enqueue", ["url": scene.origin.url("/p.mp3"), "id": "p", "paused": true])
    #expect(try engine.refusal("downloads/verify", ["id": "p"]).code == "illegal_transition")
    #expect(try engine.refusal("downloads/verify", ["id": "absent"]).code == "not_found")
    #expect(try engine.order("downloads/verify", ["all": true])["affected"] as? Int == 0)
  }

  @Test("Damaged twice, both are kept")
  func twice() throws {
    let scene = try Scene()
    let engine = try scene.startSettled(settings: ["checksum": true])
    let path = try #require(try scene.download(["a"], on: engine)[0].path)
    for _ in 1...2 {
      try scene.apply(.flippedByte, to: path)
      try engine.order("downloads/verify", ["id": "a"])
      try engine.wait(for: "a", toBe: "failed")
      try engine.order("downloads/retry", ["id": "a"])
      try engine.wait(for: "a", toBe: "completed")
    }
    #expect(scene.quarantined().keys.sorted() == ["a-1.mp3", "a-2.mp3"])
  }

  @Test("An unreadable file does not count as damaged", .enabled(if: geteuid() != 0, "root reads everything"))
  func unreadable() throws {
    let scene = try Scene()
    let engine = try scene.startSettled(settings: ["checksum": true])
    let path = try #require(try scene.download(["a"], on: engine)[0].path)
    #expect(chmod(scene.library + "/" + path, 0) == 0)
    try engine.order("downloads/verify", ["id": "a"])
    engine.closeInput()
    #expect(try engine.waitForEnd().status == 0)
    #expect(try scene.start().item("a")?.state == "completed")
    #expect(scene.log.contains("cannot be read"))
  }

  @Test("Killed while files are read: the next start continues without a request")
  func killed() throws {
    let scene = try Scene()
    let engine = try scene.startSettled(settings: ["checksum": true])
    let large = (0..<4).map { "large-\($0)" }
    let items = try scene.download(large, length: 24 << 20, on: engine) + scene.download(["last"], on: engine)
    let path = try #require(items.last?.path)
    let remains = try scene.apply(.flippedByte, to: path)
    #expect(try engine.order("downloads/verify", ["all": true])["affected"] as? Int == 5)
    try engine.kill()
    let next = try scene.start()
    try next.wait(for: "last", toBe: "failed")
    next.closeInput()
    #expect(try next.waitForEnd().status == 0)
    #expect(scene.quarantined() == ["last-1.mp3": remains])
    #expect(try scene.start().items().map(\.state) == large.map { _ in "completed" } + ["failed"])
  }

  @Test("A stop does not wait for running verifications, and the next start continues", .systemTestAlone)
  func stopped() throws {
    let scene = try Scene()
    let engine = try scene.startSettled(settings: ["checksum": true])
    let items = try scene.download((0..<4).map { "large-\($0)" }, length: 24 << 20, on: engine)
    try scene.apply(.flippedByte, to: try #require(items.last?.path))
    try engine.order("downloads/verify", ["all": true])
    engine.signal(SIGTERM)
    #expect(try engine.waitForEnd(upTo: 2).status == 0)
    #expect(try scene.start().wait(for: "large-3", toBe: "failed").errorCode == "corrupt_file")
  }
}

extension Scene {
  /// Downloads distinct files and waits until all are completed.
  fileprivate func download(_ ids: [String], length: Int = 300_000, on engine: PodfluxProcess) throws -> [Item] {
    for (index, id) in ids.enumerated() {
      serve("/\(id).mp3", length: length, seed: UInt64(index + 1))
      try engine.order("downloads/enqueue", ["url": origin.url("/\(id).mp3"), "id": id, "title": id])
    }
    return try ids.map { try engine.wait(for: $0, toBe: "completed") }
  }

  /// The files in quarantine, by name, without the manifests.
  fileprivate func quarantined() -> [String: Data] {
    let folder = library + "/.podflux/quarantine"
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    let files = names.filter { !$0.hasSuffix(".manifest.json") }
    return files.reduce(into: [:]) { $0[$1] = FileManager.default.contents(atPath: folder + "/" + $1) }
  }

  fileprivate func replaceByCopy(_ path: String) throws {
    let url = URL(fileURLWithPath: library + "/" + path)
    try Data(contentsOf: url).write(to: url, options: .atomic)
  }

  /// Changes a completed file; returns its new content, if it is a file.
  @discardableResult
  fileprivate func apply(_ damage: VerifyTests.Damage, to path: String) throws -> Data? {
    let url = URL(fileURLWithPath: library + "/" + path)
    var data = try Data(contentsOf: url)
    switch damage {
    case .flippedByte:
      data[data.count / 2] ^= 1
      try rot(path) { _ in try data.write(to: url) }
    case .truncated:
      data = data.prefix(data.count - 1)
      try rot(path) { _ in try data.write(to: url) }
    case .missing:
      try FileManager.default.removeItem(at: url)
    case .replacedByAnother:
      data[0] ^= 1
      try data.write(to: url, options: .atomic)
    case .replacedByLink:
      try data.write(to: URL(fileURLWithPath: outside + "/elsewhere"))
      try FileManager.default.removeItem(at: url)
      try FileManager.default.createSymbolicLink(atPath: url.path, withDestinationPath: outside + "/elsewhere")
    case .replacedByFolder:
      try FileManager.default.removeItem(at: url)
      try FileManager.default.createDirectory(at: url, withIntermediateDirectories: false)
    }
    return FileManager.default.contents(atPath: url.path)
  }
}
