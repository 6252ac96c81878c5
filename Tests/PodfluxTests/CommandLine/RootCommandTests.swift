import Foundation
import Testing
import TestScheduling
import TestSupport

@Suite(
  "Root in the library of another user", .systemTest,
  .enabled(
    if: geteuid() == 0 && access("/usr/bin/setpriv", X_OK) == 0, "only root with setpriv can be another user"))
struct RootCommandTests {
  /// Runs a command as the user to whom the library belongs.
  private static let owner = [
    "/usr/bin/setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "/usr/bin/env", "HOME=/nonexistent",
  ]

  /// A scene whose library another user has made.
  private func sceneOfOther() throws -> Scene {
    let scene = try Scene()
    try FileManager.default.createDirectory(atPath: scene.library, withIntermediateDirectories: false)
    #expect(chown(scene.library, 65534, 65534) == 0)
    // As /tmp is.
    chmod(scene.outside, 0o1777)
    let made = try PodfluxCommand.run(
      ["settings", "maxConcurrent=3", "--library", scene.library], launcher: Self.owner)
    #expect(made.status == 0, "\(made)")
    return scene
  }

  private func ownedByRoot(in folder: String) -> [String] {
    let names = FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String } ?? []
    return names.filter { name in
      var status = stat()
      return lstat("\(folder)/\(name)", &status) == 0 && status.st_uid == 0
    }
  }

  @Test("Commands that would run an engine end with 64, and leave nothing that the owner's engine cannot change")
  func refused() throws {
    let scene = try sceneOfOther()
    for command in [["sync"], ["add", "http://127.0.0.1:1/feed", "--none"]] {
      let result = try PodfluxCommand.run(command + ["--library", scene.library])
      #expect(result.status == 64, "\(result)")
      #expect(result.errors.contains("the library belongs to ") && result.errors.contains("run this as that user ("))
    }
    let shown = try PodfluxCommand.run(["ls", "downloads", "--library", scene.library])
    #expect(shown.status == 0, "\(shown)")
    #expect(ownedByRoot(in: scene.library) == [])
    let own = try PodfluxCommand.run(["sync", "--library", scene.library], launcher: Self.owner)
    #expect(own.status == 0, "\(own)")
  }

  @Test("An empty folder of another user becomes no library of root's by a command")
  func folder() throws {
    let scene = try Scene()
    try FileManager.default.createDirectory(atPath: scene.library, withIntermediateDirectories: false)
    // A user without a name.
    #expect(chown(scene.library, 70_001, 70_002) == 0)
    let result = try PodfluxCommand.run(["settings", "maxConcurrent=3", "--library", scene.library])
    #expect(result.status == 64, "\(result)")
    #expect(result.errors.contains("(setpriv --reuid=70001 --regid=70002 --clear-groups env HOME=/ podflux …)"))
    #expect(try FileManager.default.contentsOfDirectory(atPath: scene.library) == [])
    // As the sentence says it.
    chmod(scene.outside, 0o1777)
    let own = try PodfluxCommand.run(
      ["settings", "maxConcurrent=3", "--library", scene.library],
      launcher: [
        "/usr/bin/setpriv", "--reuid=70001", "--regid=70002", "--clear-groups", "/usr/bin/env", "HOME=/",
      ])
    #expect(own.status == 0, "\(own)")
  }

  @Test("A library of root's whose state is another user's is that user's, also if nothing but the library names it")
  func state() throws {
    let scene = try Scene()
    let state = scene.outside + "/state"
    for folder in [scene.library, state] {
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    }
    let made = try PodfluxCommand.run(
      ["settings", "maxConcurrent=3", "--library", scene.library, "--state", state])
    #expect(made.status == 0, "\(made)")
    #expect(chown(state, 65534, 65534) == 0)
    for options in [["--state", state], []] {
      let result = try PodfluxCommand.run(["sync", "--library", scene.library] + options)
      #expect(result.status == 64, "\(result)")
      #expect(result.errors.contains("the library belongs to "))
    }
  }

  @Test("What root restores lies in a folder of the library's owner")
  func restored() throws {
    let scene = try sceneOfOther()
    let quarantine = scene.library + "/.podflux/quarantine"
    #expect(mkdir(quarantine, 0o700) == 0 && chown(quarantine, 65534, 65534) == 0)
    try Data("notes".utf8).write(to: URL(fileURLWithPath: quarantine + "/notes.txt"))
    let result = try PodfluxCommand.run(
      ["quarantine", "restore", "notes.txt", "--to", "New/Show/notes.txt", "--library", scene.library])
    #expect(result.status == 0, "\(result)")
    #expect(ownedByRoot(in: scene.library) == ["New/Show/notes.txt"], "the test's own file keeps its owner")
  }

  @Test("podflux run warns, and runs; what root has made in a folder of another user is root's library")
  func run() throws {
    let scene = try sceneOfOther()
    let result = try PodfluxCommand.run(["run", "--library", scene.library])
    #expect(result.status == 0, "\(result)")
    #expect(result.errors.contains("and this engine runs as root"))

    let own = try Scene()
    #expect(try PodfluxCommand.run(["settings", "maxConcurrent=3", "--library", own.library]).status == 0)
    #expect(chown(own.library, 65534, 65534) == 0)
    #expect(try PodfluxCommand.run(["settings", "maxConcurrent=4", "--library", own.library]).status == 0)
  }
}
