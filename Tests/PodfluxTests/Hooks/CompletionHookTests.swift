import Foundation
import ScriptedOrigin
import Testing
import TestScheduling
import TestSupport

@Suite("A program that is run for each completed download", .systemTest)
struct CompletionHookTests {
  /// Writes a program for a shell that this test, and not the engine, has chosen.
  private func program(_ scene: Scene, _ script: String) throws -> String {
    let path = scene.outside + "/hook"
    try "#!/bin/sh\ncd '\(scene.outside)'\n\(script)\n".write(toFile: path, atomically: true, encoding: .utf8)
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
    return path
  }

  /// The lines of a file outside the library.
  private func lines(_ scene: Scene, _ name: String) -> [String] {
    let text = (try? String(contentsOfFile: scene.outside + "/" + name, encoding: .utf8)) ?? ""
    return text.split(separator: "\n").map { String($0) }
  }

  private func items(_ scene: Scene, _ name: String = "items") throws -> [[String: Any]] {
    try lines(scene, name).map {
      try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
    }
  }

  private func download(_ names: [String], _ engine: PodfluxProcess, _ scene: Scene) throws {
    for name in names {
      scene.serve("/\(name).mp3", length: 20_000)
      try engine.order("downloads/enqueue", ["url": scene.origin.url("/\(name).mp3"), "id": name, "title": name])
    }
  }

  /// The processes that the engine has started and not taken leave of, zombies included.
  private func children(of engine: PodfluxProcess) throws -> [String] {
    let threads = "/proc/\(engine.pid)/task"
    return try FileManager.default.contentsOfDirectory(atPath: threads).flatMap { thread in
      let text = (try? String(contentsOfFile: threads + "/\(thread)/children", encoding: .utf8)) ?? ""
      return text.split(separator: " ").map { String($0) }
    }
  }

  @Test("It gets none of the variables with which the service manager speaks to the engine")
  func environment() throws {
    let scene = try Scene()
    let hook = try program(scene, "env > before; mv before variables")
    let variables = ["NOTIFY_SOCKET": scene.outside + "/manager", "WATCHDOG_USEC": "60000000", "PODFLUX_SAID": "yes"]
    let engine = try scene.start(["--on-complete", hook], environment: variables)
    try download(["one"], engine, scene)
    try waitUntil("the program's variables") { !lines(scene, "variables").isEmpty }
    let found = lines(scene, "variables")
    #expect(found.contains("PODFLUX_SAID=yes") && !found.contains { $0.contains("NOTIFY_") || $0.contains("WATCHDOG") })
  }

  @Test("It gets the item as a line on its stdin, its arguments as they are, and no descriptor of the engine's")
  func item() throws {
    let scene = try Scene()
    let hook = try program(scene, #"printf '%s\n' "$@" >> words; cat >> items; readlink /proc/$$/fd/* >> files"#)
    let engine = try scene.start([
      "--on-complete", hook, "--on-complete-argument", "--flag", "--on-complete-argument", "a  'b' $HOME;",
    ])
    try download(["one"], engine, scene)
    try waitUntil("the first item") { try items(scene).count == 1 }
    let item = try #require(try items(scene).first)
    #expect(item["id"] as? String == "one" && item["state"] as? String == "completed")
    let path = try #require(item["path"] as? String)
    let library = try #require(item["library"] as? String)
    #expect(FileManager.default.fileExists(atPath: library + "/" + path))
    #expect(item["episode"] is NSNull && item["feed"] is NSNull)
    #expect(lines(scene, "items")[0].hasPrefix(#"{"addedAt":"#))
    let show = FeedOnOrigin(scene, path: "/feed.xml")
    show.publish(1...1)
    try engine.order("feeds/subscribe", ["url": show.url, "id": "show"])
    _ = try engine.waitForFeed("show") { $0["episodes"] as? Int == 1 }
    let episode = try #require(try engine.episodes([:]).first?["id"] as? String)
    try engine.order("episodes/download", ["id": episode])
    try waitUntil("the episode") { try items(scene).count == 2 }
    #expect(try items(scene)[1]["episode"] as? String == episode)
    #expect(try items(scene)[1]["feed"] as? String == "show")
    try waitUntil("the words") { lines(scene, "words").count == 4 }
    #expect(lines(scene, "words").prefix(2) == ["--flag", "a  'b' $HOME;"])
    // Beside its three it has the script that the shell reads, and the file that this writes.
    let own: Set = [hook, scene.outside + "/files"]
    let others = lines(scene, "files").filter { !own.contains($0) && $0.firstMatch(of: /^pipe:|memfd:/) == nil }
    #expect(others == [])
  }

  @Test(
    "One runs at a time, in the order of completion, all of them before a drained engine ends, and none is left over")
  func inOrder() throws {
    let scene = try Scene()
    let hook = try program(
      scene, "mkdir running || echo overlap >> faults\ncat >> items\nsleep 0.05\nrmdir running\necho done >> ends")
    let engine = try scene.start(["--on-complete", hook])
    try engine.order("settings/update", ["maxConcurrent": 1])
    let names = (1...12).map { "d\($0)" }
    try download(names, engine, scene)
    engine.closeInput()
    #expect(try engine.waitForEnd().status == 0)
    #expect(try items(scene).compactMap { $0["id"] as? String } == names)
    #expect(lines(scene, "ends").count == names.count && lines(scene, "faults") == [])
    #expect(!scene.log.contains("on-complete"))
  }

  @Test(
    "A program that crashes, fails or takes too long is a line of the log, the next one runs, and no zombie is left")
  func failures() throws {
    let scene = try Scene()
    let hook = try program(
      scene,
      """
      item=$(cat)
      case "$item" in
      *'"id":"crash"'*) kill -SEGV $$ ;;
      *'"id":"exit"'*) echo "no \\033[31m room" >&2; exit 3 ;;
      *'"id":"slow"'*) trap '' TERM; (trap '' TERM; sleep 600) & echo $! > grandchild; sleep 600 ;;
      *) echo "$item" >> items ;;
      esac
      """)
    let engine = try scene.start(["--on-complete", hook, "--on-complete-seconds", "1"])
    try engine.order("settings/update", ["maxConcurrent": 1])
    try download(["crash", "exit", "slow", "last"], engine, scene)
    try waitUntil("the last item") { try items(scene).count == 1 }
    #expect(try items(scene)[0]["id"] as? String == "last")
    try waitUntil("the log") { scene.log.contains("longer than 1 s") }
    #expect(scene.log.contains("signal 11 ended it") && scene.log.contains("it exited with status 3"))
    #expect(scene.log.contains("said=no \u{FFFD}[31m room"))
    let grandchild = try #require(lines(scene, "grandchild").first.flatMap { Int32($0) })
    try waitUntil("the end of its own child") { kill(grandchild, 0) != 0 }
    try waitUntil("no child of the engine's") { try children(of: engine).isEmpty }
    #expect(try engine.order("snapshot")["downloads"] is [String: Any])
  }

  @Test("A path at which no program is ends the command with 64 before anything is made", arguments: ["run", "daemon"])
  func noProgram(command: String) throws {
    let scene = try Scene()
    let plain = scene.outside + "/plain"
    try "words".write(toFile: plain, atomically: true, encoding: .utf8)
    for (arguments, words) in [
      (["--on-complete", "/nowhere/hook"], "/nowhere/hook: No such file or directory"),
      (["--on-complete", plain], "\(plain) is no executable file"),
      (["--on-complete", scene.outside], "is no executable file"),
      (["--on-complete-argument", "x"], "need --on-complete"),
      (["--on-complete", "/bin/true", "--on-complete-seconds", "0"], "--on-complete-seconds takes 1 to 86400"),
    ] {
      let result = try PodfluxCommand.run([command, "--library", scene.library] + arguments)
      #expect(result.status == 64 && result.errors.contains(words), "\(result.errors)")
    }
    #expect(!FileManager.default.fileExists(atPath: scene.library))
  }

  @Test("A signal ends the engine within 2 s, and with it a program that does not listen", .systemTestAlone)
  func stopping() throws {
    let scene = try Scene()
    let hook = try program(scene, "trap '' TERM; echo $$ > hook.pid; while :; do sleep 1; done")
    let engine = try scene.start(["--on-complete", hook])
    try download(["a", "b"], engine, scene)
    try waitUntil("the program") { !lines(scene, "hook.pid").isEmpty }
    _ = try engine.waitForAllCompleted()
    let begin = ContinuousClock.now
    engine.signal(SIGTERM)
    #expect(try engine.waitForEnd().status == 0)
    #expect(ContinuousClock.now - begin < .seconds(2))
    let child = try #require(lines(scene, "hook.pid").first.flatMap { Int32($0) })
    try waitUntil("the end of the program") { kill(child, 0) != 0 }
    #expect(scene.log.contains("the engine ended before it"))
    #expect(scene.log.contains("is not run for some completions"))
    #expect(engine.lines.last?.contains(#""type":"engine/stopped""#) == true)
  }
}
