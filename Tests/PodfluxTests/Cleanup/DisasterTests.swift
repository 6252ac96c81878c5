import Foundation
import ScriptedOrigin
import Synchronization
import Testing
import TestScheduling
import TestSupport

/// The real binary repairs libraries after random external changes, and is killed meanwhile.
///
/// `PODFLUX_DISASTERS` sets their number, `PODFLUX_DISASTER_SEED` the seed.
@Suite("Disasters", .systemTest)
struct DisasterTests {
  private static let environment = ProcessInfo.processInfo.environment
  private static let count = environment["PODFLUX_DISASTERS"].flatMap(Int.init) ?? 24
  private static let seed = environment["PODFLUX_DISASTER_SEED"].flatMap(UInt64.init) ?? 30_000

  @Test("Afterwards rows and files agree, no content is lost, and a second run finds nothing to do")
  func disasters() throws {
    let problems = Mutex<[String]>([])
    DispatchQueue.concurrentPerform(iterations: Self.count) { number in
      do {
        var round = try DisasterRound(seed: Self.seed &+ UInt64(number))
        try round.run()
        problems.withLock { $0 += round.problems.map { "round \(number): \($0)" } }
      } catch {
        problems.withLock { $0.append("round \(number): \(error)") }
      }
    }
    let found = problems.withLock { $0 }
    #expect(found.isEmpty, "PODFLUX_DISASTERS=\(Self.count) PODFLUX_DISASTER_SEED=\(Self.seed): \(found.prefix(5))")
  }
}

/// One library, its disasters, and its repair.
private struct DisasterRound {
  private let scene: Scene
  private var random: SeededRandom
  private var strikes: [Disaster] = []
  private(set) var problems: [String] = []
  private let options: [String: Any]
  private let deletesOrphans: Bool

  init(seed: UInt64) throws {
    random = SeededRandom(seed: seed)
    scene = try Scene()
    let orphans = ["quarantine", "quarantine", "quarantine", "delete", "adopt", "report"].randomElement(using: &random)
    let missing = ["forget", "redownload", "mark"].randomElement(using: &random)
    deletesOrphans = orphans == "delete"
    options = ["orphans": orphans ?? "", "missing": missing ?? "", "deep": Bool.random(using: &random)]
  }

  mutating func run() throws {
    try fill()
    for _ in 0..<Int.random(in: 1...8, using: &random) {
      guard let disaster = Disaster.allCases.randomElement(using: &random) else { break }
      strikes.append(disaster)
      try disaster.strike(scene, &random)
    }
    let before = scene.contents(of: "")
    try clean()
    let engine = try scene.startEager()
    try engine.waitForStartCleanup()
    let last = try engine.cleanUp(options)
    // When no work is left, downloads that are fetched again have their files, and taken files are in quarantine.
    try engine.waitForDownloads { counts, _ in
      counts["queued"] == 0 && counts["running"] == 0 && counts["waiting"] == 0
    }
    let report = try engine.cleanUp(options)
    try expect(
      report.state == last.state && report.acts.isEmpty,
      """
      a second run has nothing to do: \(report.acts) after \(last.steps), \(last.run); there are \
      \(try engine.items().map { "\($0.id) \($0.state) \($0.path ?? "-")" })
      """)
    if report.state != "refused" { try check(engine, report) }
    try check(contents: before)
    engine.closeInput()
    expect(try engine.waitForEnd().status == 0, "the engine ends well")
    try restoreAll()
  }

  /// Completed downloads, one of them at the top, a half-complete one, and a failed one.
  private mutating func fill() throws {
    try FileManager.default.createDirectory(atPath: scene.outside + "/precious", withIntermediateDirectories: true)
    try Data("precious".utf8).write(to: URL(fileURLWithPath: scene.outside + "/precious/file"))
    let engine = try scene.startEager(settings: ["checksum": Int.random(in: 0...3, using: &random) > 0])
    for number in 0..<8 {
      scene.serve("/\(number).mp3", length: 20_000 + number % 3, seed: UInt64(number) + 1)
      var download = ["url": scene.origin.url("/\(number).mp3"), "id": "\(number)", "title": "Title \(number)"]
      if number > 0 { download["podcast"] = "Show \(number % 3)" }
      try engine.order("downloads/enqueue", download)
    }
    scene.serve("/half", length: 4 << 20, bytesPerSecond: 4 << 20)
    try engine.order("downloads/enqueue", ["url": scene.origin.url("/half"), "id": "half"])
    try engine.waitForDownloads { counts, items in
      counts["completed"] == 8 && items.map(Item.init).contains { $0.id == "half" && $0.received > 300_000 }
    }
    try engine.order("downloads/pause", ["id": "half"])
    engine.signal(SIGTERM)
    expect(try engine.waitForEnd().status == 0, "the first engine ends well")
  }

  /// Runs a cleanup, and is killed meanwhile, perhaps repeatedly.
  private mutating func clean() throws {
    for _ in 0..<Int.random(in: 0...3, using: &random) {
      let engine = try scene.start()
      // A killed engine's request may still be waiting.
      _ = try engine.ask("cleanup/run", options)
      let revisions = Int.random(in: 0...12, using: &random)
      let begin = try engine.revision()
      try waitUntil("some turns", upTo: 5) {
        try engine.revision() >= begin + revisions || engine.cleanup()?.isEnd == true
      }
      try engine.kill()
    }
  }

  // MARK: Checks

  private mutating func check(_ engine: PodfluxProcess, _ report: CleanupReport) throws {
    let files = Set(scene.regularFiles())
    var owned: [String: String] = [:]
    for item in try engine.items() where item.state == "completed" {
      guard let path = item.path else { continue }
      expect(owned.updateValue(item.id, forKey: path) == nil, "one file belongs to one download: \(path)")
      let left = report.steps.contains {
        $0.finding == "foreign" && $0.path.map { path == $0 || path.hasPrefix($0 + "/") } ?? false
      }
      expect(files.contains(path) || left, "the file of \(item.id) is there: \(path)")
      let length = FileManager.default.contents(atPath: scene.library + "/" + path)?.count
      expect(left || length == (item.json["bytes"] as? [String: Any])?["total"] as? Int, "\(path) has its length")
      if let sha256 = item.json["sha256"] as? String, options["deep"] as? Bool == true {
        expect(left || scene.hash(of: path) == sha256, "\(path) has its content")
      }
    }
    let left = Set(report.steps.filter { $0.status == "left" }.compactMap(\.path))
    for path in files where owned[path] == nil {
      let isBehind = left.contains { path.hasPrefix($0 + "/") }
      expect(left.contains(path) || isBehind, "\(path) is no download's, and the report does not say why it was left")
    }
    for name in scene.partialFiles() {
      guard name.hasSuffix(".part") else {
        expect(
          left.contains(name), "\(name) among the partial files is none, and the report does not say why it was left")
        continue
      }
      let id = String(name.dropLast(".part".count))
      expect(try engine.item(id).map { $0.state != "completed" } ?? false, "the partial file \(name) has an owner")
    }
  }

  /// Every byte that existed before exists still, in the library or in quarantine.
  private mutating func check(contents before: Set<String>) throws {
    let after = scene.contents(of: "").union(scene.contents(of: "/.podflux/quarantine"))
    if !deletesOrphans {
      expect(before.isSubset(of: after), "\(before.subtracting(after).count) contents are gone")
    }
    let precious = FileManager.default.contents(atPath: scene.outside + "/precious/file")
    expect(precious == Data("precious".utf8), "what is outside is untouched")
  }

  /// All files in quarantine can be restored.
  private mutating func restoreAll() throws {
    for (number, name) in scene.quarantineNames().enumerated() {
      let content = FileManager.default.contents(atPath: scene.library + "/.podflux/quarantine/" + name)
      let arguments = ["quarantine", "restore", name, "--to", "restored-\(number)", "--library", scene.library]
      let result = try PodfluxCommand.run(arguments)
      expect(result.status == 0, "\(name) can be restored: \(result.errors)")
      let restored = FileManager.default.contents(atPath: scene.library + "/restored-\(number)")
      expect(restored == content, "\(name) is restored whole")
    }
    expect(scene.quarantineNames().isEmpty, "the quarantine is empty then")
  }

  private mutating func expect(_ condition: Bool, _ what: @autoclosure () throws -> String) rethrows {
    if !condition {
      problems.append(try "not so: \(what()) [\(strikes.map(\.rawValue).joined(separator: ", ")); \(options)]")
    }
  }
}

extension Scene {
  /// The hashes of all regular files under a folder, not behind links; without the engine's own files and manifests.
  fileprivate func contents(of folder: String) -> Set<String> {
    var hashes: Set<String> = []
    walk(Array((library + folder).utf8), &hashes, isTop: folder.isEmpty)
    return hashes
  }

  /// Names may not be UTF-8: Foundation skips such files.
  private func walk(_ folder: [UInt8], _ hashes: inout Set<String>, isTop: Bool) {
    guard let stream = opendir(folder.map { CChar(bitPattern: $0) } + [0]) else { return }
    defer { closedir(stream) }
    while let entry = readdir(stream) {
      guard let offset = MemoryLayout<dirent>.offset(of: \.d_name) else { return }
      let pointer = UnsafeRawPointer(entry).advanced(by: offset).assumingMemoryBound(to: UInt8.self)
      let name = Array(
        UnsafeBufferPointer(
          start: pointer, count: strlen(UnsafeRawPointer(pointer).assumingMemoryBound(to: CChar.self))))
      let text = String(decoding: name, as: UTF8.self)
      guard text != ".", text != "..", !(isTop && text == ".podflux"), !text.hasSuffix(".json") else { continue }
      let path = folder + [UInt8(ascii: "/")] + name
      var status = stat()
      guard lstat(path.map { CChar(bitPattern: $0) } + [0], &status) == 0 else { continue }
      switch status.st_mode & S_IFMT {
      case S_IFDIR: walk(path, &hashes, isTop: false)
      case S_IFREG: hashes.insert(Self.hash(ofFileAt: path))
      default: break
      }
    }
  }

  private static func hash(ofFileAt path: [UInt8]) -> String {
    let file = open(path.map { CChar(bitPattern: $0) } + [0], O_RDONLY)
    guard file >= 0 else { return "unreadable" }
    defer { close(file) }
    let digest = MessageDigest()
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while case let count = read(file, &buffer, buffer.count), count > 0 {
      buffer[..<count].withUnsafeBytes { digest.update($0) }
    }
    return MessageDigest.text(of: digest.finalize())
  }
}
