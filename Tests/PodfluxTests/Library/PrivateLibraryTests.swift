import Foundation
import Testing
import TestScheduling
import TestSupport

/// The permissions of the engine's own files, on the real binary.
@Suite("The engine's own files", .systemTest)
struct PrivateLibraryTests {
  private let scene: Scene
  private var engineFolder: String { scene.library + "/.podflux" }

  init() throws {
    scene = try Scene()
  }

  private func mode(_ name: String) -> mode_t {
    var status = stat()
    return lstat(engineFolder + "/" + name, &status) == 0 ? status.st_mode & 0o777 : 0
  }

  private func runOnce() throws {
    let engine = try scene.start()
    engine.closeInput()
    #expect(try engine.waitForEnd().status == 0)
  }

  /// A database that was a link was written through to any destination; a pipe made the start wait forever.
  @Test(
    "A database that is no file in the library is refused in one sentence, and nothing is changed",
    arguments: ["link", "pipe", "folder"], ["podflux.sqlite", "podflux.sqlite-wal"])
  func noFile(kind: String, name: String) throws {
    try runOnce()
    let path = engineFolder + "/" + name
    let outside = scene.outside + "/elsewhere.sqlite"
    let isThere = FileManager.default.fileExists(atPath: path)
    if isThere {
      try FileManager.default.moveItem(atPath: path, toPath: outside)
    } else {
      try Data().write(to: URL(fileURLWithPath: outside))
    }
    let before = FileManager.default.contents(atPath: outside)
    switch kind {
    case "link": try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: outside)
    case "pipe": #expect(mkfifo(path, 0o600) == 0)
    default: try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    }
    for arguments in [["run", "--library", scene.library], ["snapshot", "--library", scene.library]] {
      let result = try PodfluxCommand.run(arguments)
      #expect(result.status == 65, "\(arguments): \(result.errors)")
      #expect(
        result.errors.contains(kind == "link" ? "is a symbolic link" : "is not a regular file"), "\(result.errors)")
      #expect(result.errors.split(separator: "\n").count == 1, "\(result.errors)")
      #expect(!result.output.contains("engine/ready"))
    }
    #expect(FileManager.default.contents(atPath: outside) == before)
  }

  /// After `cp -r` every user could read the passwords in it.
  @Test("A copied library becomes private when opened; published files keep their modes")
  func copied() throws {
    scene.serve("/a.mp3", length: 2_000)
    let engine = try scene.start()
    try engine.order("downloads/enqueue", ["url": scene.origin.url("/a.mp3"), "id": "a", "path": "a.mp3"])
    _ = try engine.wait(for: "a", toBe: "completed")
    for name in ["podflux.sqlite", "podflux.sqlite-wal", "podflux.sqlite-shm"] {
      #expect(mode(name) == 0o600, "\(name)")
    }
    let published = mode("../a.mp3")
    #expect(published == 0o644)
    try engine.kill()

    let folders = ["", "partial", "quarantine"]
    try FileManager.default.createDirectory(
      atPath: engineFolder + "/quarantine", withIntermediateDirectories: true)
    for name in folders { #expect(chmod(engineFolder + "/" + name, 0o755) == 0) }
    let names = try FileManager.default.contentsOfDirectory(atPath: engineFolder).filter { $0.contains("sqlite") }
    for name in names { #expect(chmod(engineFolder + "/" + name, 0o644) == 0) }
    let next = try scene.start()
    for name in folders { #expect(mode(name) == 0o700, "\(name)") }
    for name in names { #expect(mode(name) == 0o600, "\(name)") }
    #expect(mode("../a.mp3") == published)
    #expect(try next.item("a")?.state == "completed")
  }
}
