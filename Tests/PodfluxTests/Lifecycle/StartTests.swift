import Foundation
import Testing
import TestScheduling
import TestSupport

@Suite("Starts that are refused", .systemTest)
struct StartTests {
  @Test(
    "Wrong usage ends with 64 and a word on stderr",
    arguments: [
      ["run", "--library"], ["run", "--library", "/nowhere", "--fly"],
      ["run", "--library", "/nowhere", "--on-eof", "sleep"], ["run", "--library", "/nowhere", "--log-level", "loud"],
      ["fly"], ["snapshot", "--library", "/nowhere", "[]"], ["snapshot", "--library", "/nowhere", "{"],
      ["snapshot", "--library", "/nowhere", #"{"stores":["fly"]}"#],
    ])
  func usage(arguments: [String]) throws {
    let result = try PodfluxCommand.run(arguments)
    #expect(result.status == 64)
    #expect(!result.errors.isEmpty)
    #expect(result.output.isEmpty)
    #expect(!FileManager.default.fileExists(atPath: "/nowhere"))
  }

  @Test("A second engine ends with 75 and names the first, which continues")
  func held() throws {
    let scene = try Scene()
    let engine = try scene.start()
    let result = try PodfluxCommand.run(["run", "--library", scene.library])
    #expect(result.status == 75)
    #expect(result.errors.contains("\(engine.pid)"))
    #expect(result.output.isEmpty)
    try engine.order("downloads/enqueue", ["url": "http://127.0.0.1:1/a", "paused": true])
  }

  @Test("After a SIGKILL no process holds the library, with any content of the lock file")
  func freedByKill() throws {
    let scene = try Scene()
    try scene.start().kill()
    _ = try scene.start()
  }

  @Test("A library of a newer version ends with 65, untouched")
  func newer() throws {
    try expectRefusal { database in
      // The file contains the migrations' names; a library with an unknown one belongs to a newer version.
      database.replaceAll("1-downloads", with: "9-downloads")
    }
  }

  @Test("Another program's database ends with 65, untouched")
  func foreign() throws {
    // The application id is at byte 68 (sqlite.org/fileformat.html section 1.3).
    try expectRefusal { $0.replaceSubrange(68..<72, with: Data([0, 0, 0, 7])) }
  }

  @Test("A damaged database ends with 65, untouched")
  func damagedHeader() throws {
    try expectRefusal { $0.replaceSubrange(0..<16, with: Data("not a database!!".utf8)) }
  }

  @Test("A database with a damaged page ends with 65, untouched")
  func damagedPage() throws {
    // A snapshot reads only a few pages, and may not meet the damage.
    try expectRefusal(of: ["run"]) { $0.replaceSubrange(8192..<8292, with: Data(repeating: 0xFF, count: 100)) }
  }

  @Test("A truncated database ends with 65, untouched")
  func truncated() throws {
    try expectRefusal { $0 = $0.prefix($0.count / 2) }
  }

  /// What can happen to a database.
  enum Loss: String, CaseIterable {
    case deleted, emptied, cutToAByte, withoutLog
  }

  @Test(
    "A library whose database is lost ends with 65 and keeps its partial files, until its note is deleted too",
    arguments: Loss.allCases)
  func lost(_ loss: Loss) throws {
    let scene = try Scene()
    let engine = try scene.start()
    try engine.order("downloads/enqueue", ["url": "http://127.0.0.1:1/1", "paused": true])
    try engine.kill()
    let files = FileManager.default
    let folder = scene.library + "/.podflux/"
    let (database, partial) = (folder + "podflux.sqlite", folder + "partial/1.part")
    try Data("kept".utf8).write(to: URL(fileURLWithPath: partial))
    for suffix in ["-wal", "-shm"] { try files.removeItem(atPath: database + suffix) }
    switch loss {
    case .deleted: try files.removeItem(atPath: database)
    case .emptied: try Data().write(to: URL(fileURLWithPath: database))
    case .cutToAByte: try Data([0x53]).write(to: URL(fileURLWithPath: database))
    case .withoutLog: break
    }
    let before = files.contents(atPath: database)
    for command in [["run"], ["snapshot"], ["sync"], ["add", "http://127.0.0.1:1/feed.xml"]] {
      let result = try PodfluxCommand.run(command + ["--library", scene.library])
      #expect(result.status == 65 && result.output.isEmpty, "\(command): \(result)")
      #expect(result.errors.contains("is gone or empty; restore it from a backup, without"), "\(command): \(result)")
      #expect(files.contents(atPath: database) == before)
      #expect(files.fileExists(atPath: partial))
    }
    try files.removeItem(atPath: folder + "database")
    let anew = try scene.start()
    #expect(try anew.items().isEmpty)
  }

  @Test("An engine whose database is deleted refuses what it cannot keep")
  func deletedUnderEngine() throws {
    let scene = try Scene()
    let engine = try scene.start()
    let wish: [String: Any] = ["url": "http://127.0.0.1:1/1", "paused": true]
    try engine.order("downloads/enqueue", wish)
    for suffix in ["", "-wal", "-shm"] {
      try? FileManager.default.removeItem(atPath: scene.library + "/.podflux/podflux.sqlite" + suffix)
    }
    #expect(try engine.refusal("downloads/enqueue", wish).code == "storage_failure")
  }

  @Test("An empty path is wrong usage, and not the working directory")
  func emptyPath() throws {
    for arguments in [["run"], ["ls"], ["add", "http://127.0.0.1:1/feed.xml"]] {
      let result = try PodfluxCommand.run(arguments + ["--library", ""])
      #expect(result.status == 64 && result.errors.contains("--library: the path is empty"), "\(result)")
    }
    let scene = try Scene()
    for option in ["--state", "--journal", "--ca-file"] {
      let result = try PodfluxCommand.run(["run", "--library", scene.library, option, ""])
      #expect(result.status == 64 && result.errors.contains("\(option): the path is empty"), "\(result)")
    }
  }

  @Test(
    "Where too few files may be open the start is refused in words: add hung, with no descriptor for its own client",
    arguments: ["run", "add http://127.0.0.1:1/feed"])
  func tooFewFiles(command: String) throws {
    let scene = try Scene()
    let result = try PodfluxCommand.run(
      command.split(separator: " ").map(String.init) + ["--library", scene.library], environment: scene.environment,
      launcher: ["/bin/sh", "-c", "ulimit -n 24; exec \"$0\" \"$@\""])
    #expect(result.status == 1 && result.output.isEmpty, "\(result)")
    let words = "at most 24 files may be open, and Podflux needs 64 (ulimit -n, LimitNOFILE=)"
    #expect(result.errors == "podflux: the engine cannot start: \(words)\n")
    #expect(!FileManager.default.fileExists(atPath: scene.library))
  }

  @Test("A library of another format ends with 65, untouched")
  func format() throws {
    let scene = try Scene()
    try runOnce(scene)
    let marker = scene.library + "/.podflux/library"
    try Data("podflux library 2\n".utf8).write(to: URL(fileURLWithPath: marker))
    #expect(try PodfluxCommand.run(["run", "--library", scene.library]).status == 65)
    #expect(try String(contentsOfFile: marker, encoding: .utf8) == "podflux library 2\n")
  }

  @Test("A file as the library's path ends with 65")
  func file() throws {
    let scene = try Scene()
    try Data("x".utf8).write(to: URL(fileURLWithPath: scene.library))
    let result = try PodfluxCommand.run(["run", "--library", scene.library])
    #expect(result.status == 65)
    #expect(!result.errors.isEmpty)
  }

  @Test("A .podflux that is a symbolic link ends with 65, and nothing is written there")
  func linkedEngineFolder() throws {
    let scene = try Scene()
    let files = FileManager.default
    let elsewhere = scene.outside + "/elsewhere"
    try files.createDirectory(atPath: elsewhere, withIntermediateDirectories: true)
    try files.createDirectory(atPath: scene.library, withIntermediateDirectories: true)
    try files.createSymbolicLink(atPath: scene.library + "/.podflux", withDestinationPath: elsewhere)
    #expect(try PodfluxCommand.run(["run", "--library", scene.library]).status == 65)
    #expect(try files.contentsOfDirectory(atPath: elsewhere).isEmpty)
  }

  /// Damages a valid library's database, and expects engine and snapshot to leave it unchanged.
  private func expectRefusal(of commands: [String] = ["run", "snapshot"], _ damage: (inout Data) -> Void) throws {
    let scene = try Scene()
    try runOnce(scene)
    let path = scene.library + "/.podflux/podflux.sqlite"
    var database = try Data(contentsOf: URL(fileURLWithPath: path))
    damage(&database)
    try database.write(to: URL(fileURLWithPath: path))
    for command in commands {
      let result = try PodfluxCommand.run([command, "--library", scene.library])
      #expect(result.status == 65, "\(command): \(result.errors)")
      #expect(!result.errors.isEmpty)
      #expect(result.output.prefix(80) == "")
      #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == database, "\(command) changed the file")
    }
  }

  /// Creates a library with some rows, closed and checkpointed.
  private func runOnce(_ scene: Scene) throws {
    let engine = try scene.start()
    for number in 0..<50 {
      try engine.order("downloads/enqueue", ["url": "http://127.0.0.1:1/\(number)", "paused": true])
    }
    engine.closeInput()
    #expect(try engine.waitForEnd().status == 0)
  }
}

extension Data {
  fileprivate mutating func replaceAll(_ text: String, with other: String) {
    let (pattern, replacement) = (Data(text.utf8), Data(other.utf8))
    while let range = range(of: pattern) { replaceSubrange(range, with: replacement) }
  }
}
