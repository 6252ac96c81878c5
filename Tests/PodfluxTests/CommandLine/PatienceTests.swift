import Foundation
import ScriptedOrigin
import Testing
import TestScheduling
import TestSupport

/// A tester stopped `podflux get` with ^Z, and each other command waited for its engine without end and without a word;
/// cron's `podflux sync` waited for a day that a server had asked for, and the next ones beside it.
@Suite("Commands do not wait without end", .systemTest)
struct PatienceTests {
  @Test("A stopped engine is named by each command that asks it, which ends with 75; with SIGCONT it goes on")
  func stoppedEngine() throws {
    let scene = try Scene()
    let body = scene.serve("/a.mp3", length: 12 << 20, bytesPerSecond: 1 << 20).body
    scene.serve("/b.mp3", length: 30 << 20, bytesPerSecond: 1 << 18)
    let engine = try scene.begin("get", scene.origin.url("/a.mp3"))
    try waitUntil("the engine's first partial file", upTo: 20) { !scene.partialFiles().isEmpty }
    let early = try scene.begin("get", scene.origin.url("/b.mp3"))
    try waitUntil("the early client's download", upTo: 20) { scene.partialFiles().count == 2 }
    engine.signal(SIGSTOP)
    let words = """
      the engine (process \(engine.id)) is stopped and does not answer; let it go on with fg in its terminal, or with \
      kill -CONT \(engine.id)
      """
    let late = try [
      scene.begin("sync"), scene.begin("rm", "--all", "-y"), scene.begin("watch", "--json"), scene.begin("attach"),
    ]
    let status = try scene.begin("status")
    for command in late {
      #expect(try command.waitForEnd() == 75)
      #expect(command.errors == "podflux: \(words)\n" && command.output.isEmpty)
    }
    #expect(try early.waitForEnd() == 75)
    #expect(early.errors.hasSuffix("podflux: \(words)\n"), "\(early.errors)")
    #expect(try status.waitForEnd() == 0)
    #expect(status.output.contains("; \(words)\n"), "\(status.output)")
    engine.signal(SIGCONT)
    #expect(try engine.waitForEnd() == 0, "\(engine.errors)")
    #expect(scene.hash(of: "a.mp3") == body.hash)
  }

  @Test("A command that ^Z has stopped has freed the library: another one goes on alone, and the first with fg")
  func stoppedCommand() throws {
    let scene = try Scene()
    let body = scene.serve("/a.mp3", length: 3 << 20, bytesPerSecond: 1 << 20).body
    let get = try scene.begin("get", scene.origin.url("/a.mp3"))
    try waitUntil("a partial file", upTo: 20) { !scene.partialFiles().isEmpty }
    get.signal(SIGTSTP)
    try waitUntil("the command to be stopped", upTo: 20) {
      let status = try String(contentsOfFile: "/proc/\(get.id)/stat", encoding: .utf8)
      return status.split(separator: ")").last?.hasPrefix(" T") == true
    }
    let other = try scene.podflux("settings", "maxConcurrent=3")
    #expect(other.status == 0, "\(other)")
    get.signal(SIGCONT)
    #expect(try get.waitForEnd() == 0, "\(get.errors)")
    #expect(scene.hash(of: "a.mp3") == body.hash)
  }

  @Test(
    "^C ends a command that waits for a stopped engine at once, and says who goes on",
    arguments: [
      ("pause", "everything is kept, and podflux sync goes on with it"),
      (
        "verify",
        "the engine that runs, or the next one, reads the files that are left; podflux ls --state failed then shows what "
          + "was damaged"
      ),
    ])
  func interruption(name: String, words: String) throws {
    let scene = try Scene()
    scene.serve("/a.mp3", length: 3 << 20, bytesPerSecond: 1 << 20)
    let engine = try scene.begin("get", scene.origin.url("/a.mp3"))
    try waitUntil("the engine's first partial file", upTo: 20) { !scene.partialFiles().isEmpty }
    engine.signal(SIGSTOP)
    let command = try scene.begin(name, "--all")
    try waitUntil("the command's connection", upTo: 20) { try Self.sockets(of: command.id) > 0 }
    let begin = ContinuousClock.now
    command.signal(SIGINT)
    #expect(try command.waitForEnd() == 130)
    #expect(ContinuousClock.now - begin < .seconds(10))
    #expect(command.errors == "interrupted; \(words)\n")
    engine.signal(SIGCONT)
  }

  /// How many sockets a process has open.
  private static func sockets(of process: Int32) throws -> Int {
    let folder = "/proc/\(process)/fd/"
    return try FileManager.default.contentsOfDirectory(atPath: folder).count { name in
      // A descriptor may be closed meanwhile.
      (try? FileManager.default.destinationOfSymbolicLink(atPath: folder + name))?.hasPrefix("socket:") == true
    }
  }

  @Test("What a server has put off for a day ends get and sync with 75, by name, and stays for later")
  func putOff() throws {
    let (scene, elsewhere) = (try Scene(), try Scene())
    scene.origin.serve("/a.mp3", .status(429, headers: ["Retry-After": "86400"]))
    let get = try scene.podflux("get", scene.origin.url("/a.mp3"))
    let words = #/a.mp3: again tomorrow \d\d:\d\d: the server answered 429/#
    #expect(get.status == 75 && get.output.isEmpty && get.errors.contains(words), "\(get)")
    for options in [[], ["--quiet"]] {
      let sync = try PodfluxCommand.run(["sync"] + options, environment: scene.environment)
      #expect(sync.status == 75 && sync.errors.contains(words), "\(sync)")
      #expect(sync.errors.contains("podflux: 1 waits for room, for the network, for the schedule, "), "\(sync)")
      #expect(sync.errors.contains(" or for a later attempt; podflux why says of each for what\n"), "\(sync)")
    }
    // What is at another server does not wait for it, and what is at that one does.
    elsewhere.serve("/b.mp3", length: 60_000)
    #expect(try scene.results("get", elsewhere.origin.url("/b.mp3")) == ["\(scene.library)/b.mp3"])
    let same = try scene.podflux("get", scene.origin.url("/c.mp3"))
    let pause = "podflux: c.mp3: waits: its server asked for a pause, again tomorrow "
    #expect(same.status == 75 && same.errors.contains(pause), "\(same)")
    #expect(scene.origin.requests.map(\.path) == ["/a.mp3"])
    #expect(try scene.results("ls", "--state", "waiting", "--json").count == 2)
  }
}
