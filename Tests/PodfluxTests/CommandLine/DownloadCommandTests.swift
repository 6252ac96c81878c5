import Foundation
import ScriptedOrigin
import Testing
import TestScheduling
import TestSupport

@Suite("Commands for downloads", .systemTest)
struct DownloadCommandTests {
  @Test("pause, resume, retry, verify and rm, by selector, by state and by feed")
  func selections() throws {
    let scene = try Scene()
    scene.serve("/a.mp3", length: 60_000)
    scene.serve("/slow.mp3", length: 4 << 20, bytesPerSecond: 1 << 18)
    scene.origin.serve("/gone.mp3", .status(404))
    try scene.results("get", scene.origin.url("/a.mp3"), "--title", "Here")
    #expect(try scene.podflux("get", "--no-wait", scene.origin.url("/slow.mp3")).status == 75)
    #expect(try scene.podflux("pause", "slow.mp3").errors == "1 paused\n")
    #expect(try scene.results("ls", "--state", "paused", "--json").count == 1)
    #expect(try scene.podflux("resume", "--state", "paused", "--json").output == "{\"affected\":1}\n")
    #expect(try scene.podflux("get", scene.origin.url("/gone.mp3")).status == 1)
    let retried = try scene.podflux("retry", "--state", "failed")
    #expect(retried.errors == "1 queued\n", "\(retried)")
    #expect(try scene.podflux("retry", "here").status == 1)
    #expect(try scene.podflux("verify", "here").errors == "1 verified\n")
    #expect(try scene.podflux("rm", "--state", "completed", "--plan").output.contains("Here"))
    #expect(scene.publishedFiles() == ["Here.mp3"])
    #expect(try scene.podflux("rm", "here", "--keep-file").errors == "1 removed\n")
    #expect(scene.publishedFiles() == ["Here.mp3"])
    #expect(try scene.podflux("rm", "--all").status == 0)
    #expect(try scene.results("ls", "--json").isEmpty)
    #expect(scene.partialFiles().isEmpty, "the engine of rm lets the attempt end, and deletes what it has received")
    #expect(try scene.podflux("pause").status == 64)
    #expect(try scene.podflux("pause", "x", "--all").status == 64)
  }

  /// Three files whose reading takes a while, a daemon that has them, and a client of it.
  private func largeFiles() throws -> (scene: Scene, daemon: PodfluxProcess, client: PodfluxProcess) {
    let scene = try Scene()
    for number in 1...3 {
      scene.serve("/\(number).mp3", length: 16 << 20, seed: UInt64(number))
      try scene.results("get", scene.origin.url("/\(number).mp3"))
    }
    return (scene, try scene.startDaemon(), try scene.attach())
  }

  @Test("verify reports a verdict for each file, also for those that another client has had read already")
  func verifiedForOthers() throws {
    let (scene, daemon, client) = try largeFiles()
    // Owed, and most likely not done yet, when the command orders it.
    #expect(try client.order("downloads/verify", ["all": true])["affected"] as? Int == 3)
    let verified = try scene.podflux("verify", "--all", "--socket", scene.socketPath)
    #expect(verified.status == 0 && verified.errors == "3 verified\n", "\(verified)")
    #expect(daemon.isAlive)
  }

  @Test("verify ends although another client removes by a condition what it waits for")
  func removedWhileVerified() throws {
    let (scene, daemon, client) = try largeFiles()
    let verify = try scene.begin("verify", "--all", "--socket", scene.socketPath)
    try client.order("downloads/remove", ["all": true])
    #expect(try verify.waitForEnd() == 0, "\(verify.errors)")
    #expect(verify.errors.contains(" verified"))
    #expect(daemon.isAlive)
  }

  @Test("More than ten downloads are not removed unasked without a terminal")
  func question() throws {
    let scene = try Scene()
    let lines = (1...11).map { scene.origin.url("/\($0).mp3") }
    #expect(try scene.podflux("get", "-i", "-", input: lines).status == 1)
    let refused = try scene.podflux("rm", "--all")
    #expect(refused.status == 64 && refused.errors.contains("11 downloads would be removed"), "\(refused)")
    #expect(try scene.results("ls", "--json").count == 11)
    #expect(try scene.results("rm", "--all", "--plan", "--json").count == 11)
    let plan = try scene.podflux("rm", "--all", "--plan")
    #expect(plan.output.split(separator: "\n").count == 12, "\(plan)")
    #expect(plan.errors.hasPrefix("11 downloads with "), "\(plan)")
    #expect(try scene.podflux("rm", "--all", "-y").errors == "11 removed\n")
  }

  @Test("A file that cannot be deleted is named, and rm ends with 1")
  func undeleted() throws {
    let scene = try Scene()
    for name in ["a", "b"] {
      scene.serve("/\(name).mp3", length: 60_000)
      try scene.results("get", scene.origin.url("/\(name).mp3"), "--podcast", name)
    }
    // Nothing behind a link is deleted.
    try FileManager.default.moveItem(atPath: scene.library + "/a", toPath: scene.outside + "/a")
    try FileManager.default.createSymbolicLink(atPath: scene.library + "/a", withDestinationPath: scene.outside + "/a")
    let removed = try scene.podflux("rm", "--all")
    #expect(removed.status == 1, "\(removed)")
    let lines = removed.errors.split(separator: "\n")
    #expect(lines.contains("2 removed"), "\(removed)")
    #expect(lines.contains { $0.contains("/a/") && $0.contains("could not be deleted") }, "\(removed)")
    #expect(!lines.contains { $0.contains("/b/") }, "\(removed)")
    #expect(try FileManager.default.contentsOfDirectory(atPath: scene.outside + "/a").count == 1)
  }

  @Test("status counts without an engine, and asks the one that runs")
  func status() throws {
    let scene = try Scene()
    scene.serve("/a.mp3", length: 60_000)
    try scene.results("get", scene.origin.url("/a.mp3"))
    #expect(try scene.results("status") == ["\(scene.library): 1 here; no engine runs"])
    #expect(try scene.podflux("status", "--exit-when-idle").status == 0)
    let daemon = try scene.startDaemon()
    try scene.attach().leave()
    let running = try scene.podflux("status", "--socket", scene.socketPath)
    #expect(running.output.hasSuffix("1 here; an engine runs\n"), "\(running)")
    let json = try PodfluxProcess.parse(try scene.results("status", "--json")[0])
    #expect(json["downloads"] is [String: Any])
    #expect(daemon.isAlive)
  }

  @Test("status --exit-when-idle --json prints JSON, also if stderr is a terminal or nothing is to be drawn")
  func watchedJSON() throws {
    let scene = try Scene()
    scene.serve("/a.mp3", length: 60_000)
    try scene.results("get", scene.origin.url("/a.mp3"))
    let command = ["status", "--exit-when-idle", "--json"]
    for result in [
      try PodfluxCommand.run(command, environment: scene.environment),
      try PodfluxCommand.run(command + ["--progress", "none"], environment: scene.environment),
    ] {
      let lines = result.output.split(separator: "\n")
      #expect(result.status == 0 && lines.count == 1, "\(result)")
      #expect(try PodfluxProcess.parse(String(try #require(lines.first)))["downloads"] is [String: Any])
    }
    // A pseudoterminal for stderr, and a pipe for stdout.
    let script = """
      import os, subprocess, sys
      keyboard, screen = os.openpty()
      done = subprocess.run(sys.argv[1:], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=screen)
      sys.stdout.buffer.write(done.stdout)
      sys.exit(done.returncode)
      """
    let (status, printed) = try python(script, command, in: scene)
    #expect(status == 0)
    #expect(try PodfluxProcess.parse(printed)["downloads"] is [String: Any], "\(printed)")
  }

  /// Runs a script of Python with the command as its arguments. Returns its status and what it prints.
  private func python(
    _ script: String, _ command: [String], in scene: Scene
  ) throws -> (status: Int32, output: String) {
    let python = Process()
    python.executableURL = URL(fileURLWithPath: "/usr/bin/python3")
    python.arguments = ["-c", script, PodfluxProcess.executablePath] + command
    python.environment = ProcessInfo.processInfo.environment.merging(scene.environment) { $1 }
    let output = Pipe()
    python.standardOutput = output
    try python.run()
    let printed = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
    python.waitUntilExit()
    return (python.terminationStatus, printed)
  }

  @Test("A signal at a question for a password leaves the terminal as it was")
  func interruptedQuestion() throws {
    let scene = try Scene()
    let script = """
      import os, signal, subprocess, sys, termios
      signal.pthread_sigmask(signal.SIG_SETMASK, [])
      signal.signal(signal.SIGTERM, signal.SIG_DFL)
      keyboard, screen = os.openpty()
      shows = lambda: bool(termios.tcgetattr(screen)[3] & termios.ECHO)
      child = subprocess.Popen(sys.argv[1:], stdin=screen, stderr=screen, stdout=subprocess.DEVNULL)
      said = b""
      while b"assword" not in said: said += os.read(keyboard, 4096)
      asking = shows()
      child.send_signal(signal.SIGTERM)
      print(asking, child.wait(20), shows())
      """
    let (status, printed) = try python(script, ["get", "http://127.0.0.1:9/a.mp3", "--user", "ann"], in: scene)
    #expect(status == 0 && printed == "False -15 True\n", "\(printed)")
  }

  @Test("A suspended engine is told of by status, which reads the library that it has given up")
  func suspended() throws {
    let scene = try Scene()
    scene.serve("/a.mp3", length: 60_000)
    try scene.results("get", scene.origin.url("/a.mp3"))
    let daemon = try scene.startDaemon()
    let client = try scene.attach()
    try client.order("engine/suspend")
    let status = try scene.podflux("status", "--socket", scene.socketPath)
    #expect(status.status == 0 && status.output == "\(scene.library): 1 here; its engine is suspended\n", "\(status)")
    #expect(try scene.podflux("status", "--socket", scene.socketPath, "--exit-when-idle").status == 0)
    #expect(daemon.isAlive)
  }

  @Test("Settings are printed, changed durably, and refused with what would be right")
  func settings() throws {
    let scene = try Scene()
    #expect(try scene.podflux("settings", "maxConcurrent=9", "userAgent=Mine/1", "checksum=true").status == 0)
    #expect(try scene.results("settings", "maxConcurrent", "userAgent") == ["maxConcurrent=9", "userAgent=Mine/1"])
    #expect(try scene.results("settings", "checksum") == ["true"])
    #expect(try scene.results("settings", "network={\"user\":\"any\"}", "--json")[0].contains(#""user":"any""#))
    for (word, part) in [
      ("maxConcurrent=0", "an integer from 1 to 256"), ("maxConcurrent=x", "an integer from 1 to 256"),
      ("fly=1", "there is no setting \"fly\""), ("orphans=eat", "one of"),
    ] {
      let refused = try scene.podflux("settings", word)
      #expect(refused.status == 64 && refused.errors.contains(part), "\(refused)")
    }
    #expect(try scene.results("settings", "maxConcurrent") == ["9"])
  }

  @Test("Where all files are gone at once, clean changes nothing, and names the command that would")
  func everythingGone() throws {
    let scene = try Scene()
    for name in ["a", "b"] {
      scene.serve("/\(name).mp3", length: 40_000)
      try scene.results("get", scene.origin.url("/\(name).mp3"))
    }
    for name in scene.publishedFiles() { try FileManager.default.removeItem(atPath: scene.library + "/" + name) }
    let clean = try scene.podflux("clean")
    #expect(clean.status == 1, "\(clean)")
    #expect(clean.errors.contains("podflux: nothing was changed: the files of all 2 earlier downloads"), "\(clean)")
    #expect(!clean.errors.contains("downloads/remove"), "\(clean)")
    #expect(clean.errors.hasSuffix("or remove the downloads with podflux rm\n"), "\(clean)")
  }

  @Test("clean plans without a change, and quarantines what it is told to")
  func clean() throws {
    let scene = try Scene()
    scene.serve("/a.mp3", length: 60_000)
    try scene.results("get", scene.origin.url("/a.mp3"))
    #expect(try scene.podflux("clean").errors.hasSuffix("rows and files agree\n"))
    try scene.write("mine", to: "notes.txt")
    let plan = try scene.podflux("clean", "--plan", "--orphans", "quarantine")
    #expect(plan.output.contains("notes.txt") && plan.errors.hasSuffix("nothing was changed\n"), "\(plan)")
    #expect(scene.publishedFiles() == ["a.mp3", "notes.txt"])
    let clean = try scene.podflux("clean", "--orphans", "quarantine")
    #expect(clean.status == 0 && clean.errors.hasPrefix("1 found, 1 done, 0 left as they are\nto restore a file: "))
    #expect(scene.publishedFiles() == ["a.mp3"])
  }

  @Test("rm beside a daemon deletes a file that a person has moved since the daemon last looked")
  func removedMoved() throws {
    let scene = try Scene()
    for name in ["a", "b"] { scene.serve("/\(name).mp3", length: 60_000) }
    try scene.results("get", scene.origin.url("/a.mp3"), scene.origin.url("/b.mp3"))
    let daemon = try scene.startSettledDaemon()
    try scene.move("a.mp3", to: "moved.mp3")
    let removed = try scene.podflux("rm", "a.mp3", "--socket", scene.socketPath)
    #expect(removed.errors == "1 removed\n", "\(removed)")
    #expect(scene.publishedFiles() == ["b.mp3"])
    #expect(daemon.isAlive)
  }

  @Test("^C ends clean where it is: what is left then stays, whatever is run next")
  func interruptedClean() throws {
    let scene = try Scene()
    scene.serve("/a.mp3", length: 60_000)
    try scene.results("get", scene.origin.url("/a.mp3"))
    let number = 4000
    for file in 0..<number { try scene.write("mine", to: "mine/\(file).txt") }
    let clean = try scene.begin("clean", "--orphans", "delete", "-y")
    try waitUntil("the first deletion", upTo: 60) { scene.publishedFiles().count < number }
    clean.signal(SIGINT)
    #expect(try clean.waitForEnd() == 130)
    #expect(clean.errors.hasSuffix("interrupted; what was done stays done, and the rest is left as it is\n"))
    let left = scene.publishedFiles().count
    try #require(left > 1, "it was done before the signal came")
    #expect(try scene.podflux("clean", "--plan").status == 0)
    #expect(try scene.podflux("settings", "maxConcurrent=3").status == 0)
    #expect(scene.publishedFiles().count == left)
  }

  @Test("A quota that deletes what rules have fetched is set only by a person who has been told")
  func quota() throws {
    let scene = try Scene()
    let show = FeedOnOrigin(scene, path: "/feed.xml")
    show.publish(1...3)
    try scene.results("add", show.url)
    #expect(try scene.podflux("sync").status == 0)
    let files = scene.publishedFiles()
    #expect(files.count == 3)
    let asked = try scene.podflux("settings", "storageQuotaBytes=1")
    #expect(asked.status == 64 && asked.errors.contains("would be deleted until 1 byte"), "\(asked)")
    #expect(scene.publishedFiles() == files)
    #expect(try scene.podflux("settings", "storageQuotaBytes=1000000000000").status == 0)
    #expect(try scene.podflux("settings", "maxPerHost=2", "maxPerHost=3").status == 64)
  }

  @Test("A configuration names the library; a mistake in it ends each command with 64 and one sentence")
  func configuration() throws {
    let scene = try Scene()
    scene.serve("/a.mp3", length: 60_000)
    let folder = scene.outside + "/config/podflux"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let file = URL(fileURLWithPath: folder + "/config.yaml")
    try Data("library: \(scene.library)\n".utf8).write(to: file)
    let unset = ["PODFLUX_LIBRARY": ""]
    let url = scene.origin.url("/a.mp3")
    #expect(try scene.podflux("get", url, environment: unset).output == "\(scene.library)/a.mp3\n")
    #expect(try scene.podflux("snapshot", environment: unset).status == 0)
    try Data("libary: /x\n".utf8).write(to: file)
    for command in [["ls"], ["get", url], ["run"], ["daemon"], ["snapshot"], ["settings", "checksum=true"]] {
      let result = try PodfluxCommand.run(command, environment: scene.environment)
      #expect(result.status == 64 && result.output.isEmpty)
      #expect(result.errors.hasPrefix("podflux: \(file.path): there is no key \"libary\"; known are "), "\(result)")
    }
  }

  @Test("The state and the journal of the library that the environment names are not those of another one")
  func otherLibrary() throws {
    let scene = try Scene()
    scene.serve("/a.mp3", length: 60_000)
    let show = FeedOnOrigin(scene, path: "/feed.xml")
    show.publish(1...2)
    let other = scene.outside + "/other"
    try scene.results("get", "--library", other, scene.origin.url("/a.mp3"))
    let own = ["PODFLUX_STATE": scene.outside + "/state", "PODFLUX_JOURNAL": scene.journal]
    #expect(try scene.podflux("get", scene.origin.url("/a.mp3"), environment: own).status == 0)
    #expect(FileManager.default.fileExists(atPath: scene.outside + "/state"))
    let before = try #require(FileManager.default.contents(atPath: scene.journal))
    let list = try scene.podflux("ls", "--library", other, "--json", environment: own)
    #expect(list.status == 0 && list.output.split(separator: "\n").count == 1, "\(list)")
    #expect(try scene.podflux("pause", "--library", other, "--all", environment: own).status == 0)
    let none = scene.outside + "/none"
    #expect(try scene.podflux("add", show.url, "--dry-run", "--library", none, environment: own).status == 0)
    // Also where the library that is named is the missing one.
    let missing = ["PODFLUX_LIBRARY": none, "PODFLUX_JOURNAL": scene.journal]
    #expect(try scene.podflux("add", show.url, "--dry-run", environment: missing).status == 0)
    #expect(FileManager.default.contents(atPath: scene.journal) == before)
    #expect(try scene.replay().status == 0)
  }

  @Test(
    "watch prints the lines of an observer; completion scripts come for each shell; every command has help with an example"
  )
  func others() throws {
    let scene = try Scene()
    let daemon = try scene.startDaemon()
    try scene.attach().leave()
    let watch = try scene.begin("watch", "--json", "--socket", scene.socketPath, "--store", "settings")
    try waitUntil("a line", upTo: 20) { watch.output.contains("\n") }
    #expect(watch.output.hasPrefix(#"{"meta":{"revision":"#) && watch.output.contains(#""store":"settings""#))
    watch.signal(SIGINT)
    #expect(try watch.waitForEnd() == 130)
    for shell in ["bash", "zsh", "fish"] { #expect(try scene.results("completion", shell).count > 50) }
    for command in [
      "get", "add", "sync", "ls", "why", "status", "pause", "resume", "retry", "verify", "rm", "mark", "import",
      "export",
      "clean", "settings", "watch", "completion",
    ] {
      let help = try scene.podflux("help", command)
      #expect(help.status == 0 && help.output.contains("podflux \(command) "), "\(command)")
      #expect(command == "completion" || help.output.contains("--json"), "\(command)")
    }
    #expect(daemon.isAlive)
  }
}
