import Foundation
import ScriptedOrigin
import Synchronization
import Testing
import TestScheduling
import TestSupport

/// Folders with a user's music, covers and notes: the engine must not touch files that are not its own.
///
/// `PODFLUX_FOREIGN_FOLDERS` sets their number, `PODFLUX_FOREIGN_SEED` the seed.
@Suite("Foreign files", .systemTest)
struct ForeignFilesTests {
  private static let environment = ProcessInfo.processInfo.environment
  private static let count = environment["PODFLUX_FOREIGN_FOLDERS"].flatMap(Int.init) ?? 10
  private static let seed = environment["PODFLUX_FOREIGN_SEED"].flatMap(UInt64.init) ?? 50_000

  @Test("One download and one restart in a folder that holds music, covers and notes: nothing moves")
  func firstDay() throws {
    let scene = try Scene()
    try scene.start().kill()
    var others = ForeignFiles(in: scene)
    for name in ["song.mp3", "Album/01.mp3", "Album/cover.jpg", "notes.txt", "Show/folder.jpg"] {
      try others.write("the user's \(name)", to: Array(name.utf8))
    }
    let engine = try scene.startEager()
    scene.serve("/a.mp3", length: 60_000)
    try engine.order(
      "downloads/enqueue", ["url": scene.origin.url("/a.mp3"), "id": "a", "title": "a", "podcast": "Show"])
    let path = try #require(try engine.wait(for: "a", toBe: "completed").path)
    engine.closeInput()
    #expect(try engine.waitForEnd().status == 0)
    try scene.edit(path, .tagInFront)
    let next = try scene.start()
    #expect(try next.waitForStartCleanup().acts.map(\.finding) == ["modified"])
    #expect(try next.item("a")?.state == "completed")
    #expect(others.problems().isEmpty)
    #expect(scene.quarantine().isEmpty)
    // A folder that existed before stays too.
    try next.order("downloads/remove", ["id": "a"])
    try scene.remove("Show/folder.jpg")
    try waitUntil("the file goes") { !FileManager.default.fileExists(atPath: scene.library + "/" + path) }
    try next.cleanUp()
    #expect(FileManager.default.fileExists(atPath: scene.library + "/Show"))
  }

  @Test("After downloads, edits, restarts, kills and runs without options every foreign file is unchanged")
  func folders() throws {
    let problems = Mutex<[String]>([])
    DispatchQueue.concurrentPerform(iterations: Self.count) { number in
      do {
        var round = try ForeignRound(seed: Self.seed &+ UInt64(number))
        let found = try round.run()
        problems.withLock { $0 += found.map { "folder \(number): \($0)" } }
      } catch {
        problems.withLock { $0.append("folder \(number): \(error)") }
      }
    }
    let found = problems.withLock { $0 }
    #expect(
      found.isEmpty, "PODFLUX_FOREIGN_FOLDERS=\(Self.count) PODFLUX_FOREIGN_SEED=\(Self.seed): \(found.prefix(5))")
  }
}

/// One folder, and the operations on it.
private struct ForeignRound {
  private let scene: Scene
  private var random: SeededRandom
  private var others: ForeignFiles
  private var edited: Set<String> = []
  private var enqueued = 0

  init(seed: UInt64) throws {
    random = SeededRandom(seed: seed)
    scene = try Scene()
    try FileManager.default.createDirectory(atPath: scene.library, withIntermediateDirectories: true)
    others = ForeignFiles(in: scene)
    for _ in 0..<Int.random(in: 5...25, using: &random) { try others.add(&random) }
  }

  mutating func run() throws -> [String] {
    for _ in 0..<Int.random(in: 2...4, using: &random) {
      let engine = try scene.startEager(settings: ["checksum": Bool.random(using: &random)])
      try engine.waitForStartCleanup()
      try download(on: engine)
      for _ in 0..<Int.random(in: 0...3, using: &random) { try others.add(&random) }
      try edit(on: engine)
      if Bool.random(using: &random) { try engine.cleanUp(Bool.random(using: &random) ? ["deep": true] : [:]) }
      if Bool.random(using: &random) {
        _ = try engine.ask("cleanup/run", [:])
        try engine.kill()
      } else {
        engine.closeInput()
        _ = try engine.waitForEnd()
      }
      try editAtRest()
    }
    return try judge()
  }

  private mutating func download(on engine: PodfluxProcess) throws {
    let ids = (0..<Int.random(in: 1...4, using: &random)).map { "ep-\(enqueued + $0)" }
    for id in ids {
      enqueued += 1
      scene.serve("/\(id).mp3", length: 20_000 + enqueued % 3, seed: UInt64(enqueued))
      let podcast = ["Show", "Album", "Notes"].randomElement(using: &random) ?? "Show"
      try engine.order(
        "downloads/enqueue", ["url": scene.origin.url("/\(id).mp3"), "id": id, "title": id, "podcast": podcast])
    }
    for id in ids { try engine.wait(for: id, toBe: "completed") }
  }

  private mutating func edit(on engine: PodfluxProcess) throws {
    paths = try engine.items().compactMap(\.path)
    try editAtRest()
  }

  /// The episodes' paths, as last seen.
  private var paths: [String] = []

  private mutating func editAtRest() throws {
    for path in paths where Int.random(in: 0..<3, using: &random) == 0 {
      guard let manner = Scene.Edit.allCases.randomElement(using: &random) else { continue }
      try scene.edit(path, manner)
      edited.insert(path)
    }
  }

  private mutating func judge() throws -> [String] {
    let engine = try scene.start()
    try engine.waitForStartCleanup()
    var problems = others.problems()
    let items = try engine.items()
    if items.count != enqueued { problems.append("there are \(items.count) downloads of \(enqueued)") }
    for item in items where item.state != "completed" {
      let wasEdited = item.path.map(edited.contains) ?? false
      problems.append("\(item.id) is \(item.state) \(item.errorCode ?? ""), edited: \(wasEdited)")
    }
    for path in edited where !items.contains(where: { $0.path == path }) { problems.append("\(path) is an orphan") }
    if !scene.quarantineNames().isEmpty { problems.append("in quarantine: \(scene.quarantineNames())") }
    let acts = try engine.cleanUp().acts
    if !acts.isEmpty { problems.append("a second pass does \(acts)") }
    return problems
  }
}

/// The files that a user and other programs have put into a library, and checks of them.
private struct ForeignFiles {
  private let library: String
  /// The contents by path; nil for a folder.
  private var contents: [[UInt8]: Data?] = [:]
  private var links: [[UInt8]: String] = [:]

  init(in scene: Scene) {
    library = scene.library
  }

  private static let folders = ["", "Album/", "Show/", "Notes/deep/er/", "@eaDir/x.mp3/", "Show/.thumbs/"]
  private static let names: [[UInt8]] =
    [
      "cover.jpg", "folder.jpg", "song.mp3", "ep.nfo", "SYNOPHOTO_THUMB.jpg", ".hidden", "-rf", "a\nb", "x.part",
      "name (2).mp3", "Thumbs.db", "Süß.mp3",
    ].map { Array($0.utf8) } + [[0xFF, 0xFE, 0x2E, 0x6D, 0x70, 0x33], [0x63, 0x61, 0x66, 0xE9]]

  /// Adds a random entry.
  mutating func add(_ random: inout SeededRandom) throws {
    let folder = Array((Self.folders.randomElement(using: &random) ?? "").utf8)
    let name = Self.names.randomElement(using: &random) ?? []
    let number = Array("\(Int.random(in: 0...9, using: &random))".utf8)
    let path = folder + (Bool.random(using: &random) ? number : []) + name
    switch Int.random(in: 0..<8, using: &random) {
    case 0: try link(path, to: "/nowhere")
    case 1: try makeFolder(path + Array(" folder".utf8))
    case 2:
      guard
        let other = contents.keys.sorted(by: { $0.lexicographicallyPrecedes($1) }).first(where: {
          contents[$0] != .some(nil)
        })
      else { return }
      try hardLink(other, path)
    case 3: try write(String(decoding: [0xFF, 0xFB, 0x90, 0x44] as [UInt8], as: UTF8.self) + "music", to: path)
    default: try write("the user's \(UInt64.random(in: 0 ... .max, using: &random))", to: path)
    }
  }

  mutating func write(_ text: String, to path: [UInt8]) throws {
    guard contents[path] == nil, links[path] == nil else { return }
    try makeFolders(above: path)
    let file = open(absolute(path), O_WRONLY | O_CREAT | O_EXCL, 0o644)
    guard file >= 0 else { return }
    defer { close(file) }
    let bytes = Array(text.utf8)
    guard Glibc.write(file, bytes, bytes.count) == bytes.count else { throw POSIXError(.EIO) }
    contents[path] = Data(bytes)
  }

  private mutating func link(_ path: [UInt8], to target: String) throws {
    guard contents[path] == nil, links[path] == nil else { return }
    try makeFolders(above: path)
    if symlink(target, absolute(path)) == 0 { links[path] = target }
  }

  private mutating func hardLink(_ path: [UInt8], _ newPath: [UInt8]) throws {
    guard let data = contents[path] ?? nil, contents[newPath] == nil, links[newPath] == nil else { return }
    try makeFolders(above: newPath)
    if Glibc.link(absolute(path), absolute(newPath)) == 0 { contents[newPath] = data }
  }

  private mutating func makeFolder(_ path: [UInt8]) throws {
    try makeFolders(above: path)
    if mkdir(absolute(path), 0o755) == 0 { contents[path] = .some(nil) }
  }

  private func makeFolders(above path: [UInt8]) throws {
    for index in path.indices where path[index] == UInt8(ascii: "/") { mkdir(absolute(Array(path[..<index])), 0o755) }
  }

  /// The entries that have changed.
  func problems() -> [String] {
    var problems: [String] = []
    for (path, data) in contents {
      var status = stat()
      let isThere = lstat(absolute(path), &status) == 0
      let name = String(decoding: path, as: UTF8.self)
      guard let data else {
        if !isThere || status.st_mode & S_IFMT != S_IFDIR { problems.append("the folder \(name) is gone") }
        continue
      }
      if !isThere || read(path) != data { problems.append("\(name) is not what it was") }
    }
    for path in links.keys {
      var status = stat()
      if lstat(absolute(path), &status) != 0 || status.st_mode & S_IFMT != S_IFLNK {
        problems.append("the link \(String(decoding: path, as: UTF8.self)) is gone")
      }
    }
    return problems.sorted()
  }

  private func read(_ path: [UInt8]) -> Data? {
    let file = open(absolute(path), O_RDONLY)
    guard file >= 0 else { return nil }
    defer { close(file) }
    var buffer = [UInt8](repeating: 0, count: 1 << 12)
    let count = Glibc.read(file, &buffer, buffer.count)
    return count < 0 ? nil : Data(buffer[..<count])
  }

  private func absolute(_ path: [UInt8]) -> [CChar] {
    (Array((library + "/").utf8) + path + [0]).map { CChar(bitPattern: $0) }
  }
}
