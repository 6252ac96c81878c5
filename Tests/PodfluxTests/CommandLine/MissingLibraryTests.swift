import Foundation
import ScriptedOrigin
import Testing
import TestSupport

/// A tester mistyped `--library`, and each command made a library there and said that all was well.
@Suite("Commands without a library", .systemTest)
struct MissingLibraryTests {
  @Test(
    "What only looks, or concerns what is there, ends with 65 at a mistyped path, and makes nothing",
    arguments: [
      "clean --plan", "clean", "rename --plan", "rename", "adopt --plan", "adopt", "pause --all", "resume --all",
      "retry --all", "verify --all", "rm x", "rm --all -y", "mark x --played", "rules x", "sessions close x",
      "sessions open x", "get x", "sync", "sync x", "ls", "status",
    ])
  func mistyped(command: String) throws {
    let scene = try Scene()
    try expectNothing(of: command.split(separator: " ").map(String.init), in: scene)
  }

  @Test("A look at a feed needs no library, and makes none")
  func preview() throws {
    let scene = try Scene()
    let show = FeedOnOrigin(scene, path: "/feed.xml")
    show.publish(1...2)
    let path = scene.outside + "/none"
    let temporary = scene.outside + "/temporary"
    try FileManager.default.createDirectory(atPath: temporary, withIntermediateDirectories: false)
    let result = try PodfluxCommand.run(
      ["add", show.url, "--dry-run", "--library", path],
      environment: scene.environment.merging(["TMPDIR": temporary]) { $1 })
    #expect(result.status == 0 && result.errors.isEmpty, "\(result)")
    #expect(result.output.hasPrefix("Show of /feed.xml: 2 episodes") && result.output.contains("2 to download"))
    #expect(!FileManager.default.fileExists(atPath: path))
    #expect(try FileManager.default.contentsOfDirectory(atPath: temporary).isEmpty)
  }

  private func expectNothing(of command: [String], in scene: Scene) throws {
    let path = scene.outside + "/mistyped"
    let result = try PodfluxCommand.run(command + ["--library", path], environment: scene.environment)
    #expect(result.status == 65 && result.output.isEmpty, "\(result)")
    let sentence =
      "is no library of Podflux; podflux add and podflux get make one there, and --library names another folder"
    #expect(result.errors == "podflux: \"\(path)\" \(sentence)\n")
    #expect(!FileManager.default.fileExists(atPath: path))
  }

  @Test(
    "A relative path in a working directory that is gone is refused: the library was made in /",
    arguments: [["status", "--library", "none"], ["daemon", "--library", "none"], ["attach", "--socket", "none"]])
  func goneFolder(command: [String]) throws {
    let scene = try Scene()
    let script = "mkdir gone && cd gone && rmdir ../gone && exec \"$0\" \"$@\""
    let result = try PodfluxCommand.run(
      command, environment: scene.environment, launcher: ["/usr/bin/env", "-C", scene.outside, "/bin/sh", "-c", script])
    #expect(result.status == 64 && result.output.isEmpty, "\(result)")
    #expect(result.errors == "podflux: \(command[1]): the working directory is gone; give an absolute path\n")
  }

  @Test("A folder of other files is no library: no orphan in it is deleted")
  func otherFolder() throws {
    let scene = try Scene()
    try FileManager.default.createDirectory(atPath: scene.library, withIntermediateDirectories: false)
    try scene.write("mine", to: "mine.mp3")
    #expect(try scene.podflux("clean", "--orphans", "delete").status == 65)
    #expect(try FileManager.default.contentsOfDirectory(atPath: scene.library) == ["mine.mp3"])
  }

  @Test("import --dry-run takes a folder of other files as import does, and refuses a damaged library")
  func importIntoOtherFolder() throws {
    let scene = try Scene()
    try FileManager.default.createDirectory(atPath: scene.library, withIntermediateDirectories: false)
    try scene.write("mine", to: "mine.mp3")
    let url = scene.origin.url("/feed.xml")
    let document = #"<opml version="2.0"><body><outline type="rss" text="Mine" xmlUrl="\#(url)"/></body></opml>"#
    let dry = try scene.podflux("import", "-", "--dry-run", input: [document])
    #expect(dry.status == 0 && dry.output == "Mine  \(url)\n", "\(dry)")
    #expect(try FileManager.default.contentsOfDirectory(atPath: scene.library) == ["mine.mp3"])
    try FileManager.default.createDirectory(atPath: scene.library + "/.podflux", withIntermediateDirectories: false)
    #expect(try scene.podflux("import", "-", "--dry-run", input: [document]).status == 65)
  }

  @Test("Where an engine runs, the library is its own")
  func running() throws {
    let scene = try Scene()
    let daemon = try scene.startDaemon()
    try scene.attach().leave()
    let paused = try scene.podflux(
      "pause", "--all", "--socket", scene.socketPath, environment: ["PODFLUX_LIBRARY": scene.outside + "/mistyped"])
    #expect(paused.status == 0 && paused.errors == "0 paused\n", "\(paused)")
    #expect(daemon.isAlive)
  }
}
