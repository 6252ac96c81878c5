import Foundation
import ScriptedOrigin
import Testing
import TestScheduling
import TestSupport

@Suite("podflux get", .systemTest)
struct GetTests {
  @Test("stdout has the paths of the files, and nothing else; what is here is not fetched again")
  func paths() throws {
    let scene = try Scene()
    let body = scene.serve("/a.mp3", length: 60_000).body
    scene.serve("/b.mp3", length: 50_000)
    let urls = ["/a.mp3", "/b.mp3"].map(scene.origin.url)
    let result = try scene.podflux("get", urls[0], urls[1])
    #expect(result.status == 0)
    let paths = result.output.split(separator: "\n").map(String.init).sorted()
    #expect(paths == ["\(scene.library)/a.mp3", "\(scene.library)/b.mp3"])
    let done = result.errors.split(separator: "\n").filter { $0.hasPrefix("done ") }
    #expect(done.count == 2, "\(result.errors)")
    #expect(scene.hash(of: "a.mp3") == body.hash)
    scene.origin.resetLog()
    #expect(try scene.results("get", "--quiet", urls[0]) == ["\(scene.library)/a.mp3"])
    #expect(scene.origin.requests.isEmpty)
  }

  @Test("Options say what the file is; a list may come from stdin; --json has a line for each file")
  func options() throws {
    let scene = try Scene()
    for name in ["a", "b", "c"] { scene.serve("/\(name).mp3", length: 40_000) }
    let hash = scene.serve("/d.mp3", length: 40_001).body.hash
    #expect(
      try scene.results(
        "get", scene.origin.url("/a.mp3"), "--podcast", "Night Trains", "--title", "Vienna", "--published",
        "2026-03-06",
        "--header", "X-Token: hidden") == ["\(scene.library)/Night Trains/2026-03-06 Vienna.mp3"])
    #expect(scene.origin.requests.last?.headers["X-Token"] == "hidden")
    let list = ["\u{FEFF}" + scene.origin.url("/b.mp3"), "# my list", "", "  " + scene.origin.url("/c.mp3")]
    #expect(
      try scene.results("get", "-i", "-", input: list).sorted() == ["b", "c"].map { "\(scene.library)/\($0).mp3" })
    let lines = try scene.results(
      "get", "--json", scene.origin.url("/d.mp3"), "--sha256", hash, "--path", "x/d.mp3", "--mirror",
      scene.origin.url("/a.mp3"))
    let file = try PodfluxProcess.parse(lines[0])
    #expect(file["path"] as? String == "\(scene.library)/x/d.mp3" && file["bytes"] as? Int == 40_001)
  }

  @Test("The URL of an episode is the episode; with an option of its own it is a file like others")
  func episodes() throws {
    let scene = try Scene()
    let show = FeedOnOrigin(scene, path: "/feed.xml")
    show.publish(1...3)
    try scene.results("add", show.url, "--none")
    let (one, two) = (scene.origin.url("/feed.xml.1.mp3"), scene.origin.url("/feed.xml.2.mp3"))
    scene.serve("/a.mp3", length: 40_000)
    let folder = "\(scene.library)/Show of -feed.xml"
    let path = "\(folder)/2026-06-01 Episode 1.mp3"
    let both = try scene.results("get", one, scene.origin.url("/a.mp3"), one)
    #expect(both.sorted() == [path, "\(scene.library)/a.mp3"])
    #expect(try scene.results("get", one) == [path])
    #expect(try scene.results("ls", "episodes", "--state", "completed", "--json").count == 1)
    #expect(try scene.results("get", two, "--path", "b.mp3") == ["\(scene.library)/b.mp3"])
    #expect(try scene.results("ls", "downloads", "--json").count == 3)
  }

  @Test("A file that was here before has to have the digest that is asked for")
  func knownFile() throws {
    let scene = try Scene()
    let hash = scene.serve("/a.mp3", length: 40_000).body.hash
    let url = scene.origin.url("/a.mp3")
    try scene.results("get", url)
    let path = "\(scene.library)/a.mp3\n"
    #expect(try scene.podflux("get", url, "--sha256", hash.uppercased()).output == path)
    let other = try scene.podflux("get", url, "--sha256", String(repeating: "0", count: 64))
    #expect(other.status == 1 && other.output.isEmpty, "\(other)")
    #expect(other.errors.contains("it is here already, and has another SHA-256: \(hash)\n"), "\(other)")
    let named = try scene.podflux("get", url, "--title", "Other", "--path", "b.mp3")
    #expect(named.status == 0 && named.output == path, "\(named)")
    let note = "--title and --path change nothing: what is known already keeps its name\n"
    #expect(named.errors.hasPrefix(note), "\(named)")
  }

  @Test("What has failed is tried again by its URL, and a name that means nothing lets nothing begin")
  func again() throws {
    let scene = try Scene()
    let url = scene.origin.url("/a.mp3")
    scene.origin.serve("/a.mp3", .status(404))
    for _ in 0..<2 { #expect(try scene.podflux("get", url).status == 1) }
    #expect(try scene.results("ls", "--json").count == 1)
    let other = scene.origin.url("/b.mp3")
    scene.serve("/b.mp3", length: 40_000)
    #expect(try scene.podflux("get", other, "nothing of this name").status == 1)
    #expect(try scene.results("ls", "--json").count == 1)
    scene.serve("/a.mp3", length: 40_000)
    #expect(try scene.results("get", url) == ["\(scene.library)/a.mp3"])
    #expect(try scene.results("ls", "--json").count == 1)
  }

  @Test("ls --since a day has what was published at its midnight, and nothing from before")
  func since() throws {
    let scene = try Scene()
    for (name, moment) in [("a", "2026-03-26T23:59:59.999Z"), ("b", "2026-03-27")] {
      scene.serve("/\(name).mp3", length: 40_000)
      try scene.results("get", scene.origin.url("/\(name).mp3"), "--title", name, "--published", moment)
    }
    for since in ["2026-03-27", "2026-03-27T00:00:00Z"] {
      let list = try scene.podflux("ls", "downloads", "--since", since, "--json", environment: ["TZ": "UTC"])
      let lines = list.output.split(separator: "\n")
      #expect(lines.count == 1 && lines[0].contains(#""title":"b""#), "\(list)")
    }
  }

  @Test("What fails is named on stderr and ends with 1, what needs credentials with 77, what is typed wrongly with 64")
  func statuses() throws {
    let scene = try Scene()
    scene.origin.serve("/gone.mp3", .status(404))
    scene.origin.serve("/private.mp3", .status(401))
    let failed = try scene.podflux("get", scene.origin.url("/gone.mp3"))
    #expect(failed.status == 1 && failed.output.isEmpty)
    #expect(failed.errors == "failed   gone.mp3: the server answered 404 Not Found\n")
    #expect(try scene.podflux("get", scene.origin.url("/private.mp3")).status == 77)
    let scheme = try scene.podflux("get", "ftp://example.org/1.mp3")
    #expect(scheme.status == 64 && scheme.errors.contains("is no http or https URL"), "\(scheme)")
    #expect(try scene.podflux("get", "nowhere").status == 1)
    #expect(try scene.podflux("get").status == 64)
    scene.serve("/slow.mp3", length: 1 << 20, bytesPerSecond: 1 << 16)
    #expect(try scene.podflux("get", "--no-wait", scene.origin.url("/slow.mp3")).status == 75)
    #expect(try scene.podflux("ls", "--library", scene.outside + "/nowhere").status == 65)
  }

  @Test("A path on stdout names its file, also with a flag in it; a word that is no UTF-8 is refused")
  func rawPaths() throws {
    let scene = try Scene()
    scene.serve("/a.mp3", length: 40_000)
    let flag = "\u{1F3F4}\u{E0067}\u{E0062}\u{E0065}\u{E006E}\u{E0067}\u{E007F}"
    let paths = try scene.results("get", scene.origin.url("/a.mp3"), "--title", "Match day \(flag)")
    #expect(FileManager.default.fileExists(atPath: try #require(paths.first)), "\(paths)")
    let words = try Shell.run("podflux ls --library \(scene.outside)/$(printf 'caf\\351')")
    #expect(words.status == 64 && words.output.isEmpty, "\(words)")
    let password = try Shell.run(
      "printf 'p\\344ss\\n' | podflux get http://127.0.0.1:9/x --user me --password-stdin --library \(scene.library)")
    #expect(password.status == 64, "\(password)")
  }

  @Test("A title from outside cannot steer the terminal")
  func hostileTitle() throws {
    let scene = try Scene()
    scene.origin.serve("/x.mp3", .status(404))
    let result = try scene.podflux("get", scene.origin.url("/x.mp3"), "--title", "a\u{1B}[31mb\u{202E}c")
    #expect(!result.errors.contains("\u{1B}") && !result.errors.contains("\u{202E}"), "\(result.errors)")
    let listed = try scene.podflux("ls")
    #expect(listed.status == 0 && !listed.output.contains("\u{1B}") && !listed.output.contains("\u{202E}"))
  }

  @Test("^C ends cleanly with 130, says how to go on, and sync goes on from the bytes that are there")
  func interruption() throws {
    let scene = try Scene()
    let body = scene.serve("/a.mp3", length: 2 << 20, bytesPerSecond: 1 << 20).body
    let get = try scene.begin("get", scene.origin.url("/a.mp3"))
    try waitUntil("bytes", upTo: 20) {
      let item = try? scene.podflux("ls", "--json").output
      return item?.contains(#""state":"running""#) == true && !scene.partialFiles().isEmpty
    }
    get.signal(SIGINT)
    #expect(try get.waitForEnd() == 130)
    #expect(get.output.isEmpty)
    #expect(get.errors == "interrupted; everything is kept, and podflux sync goes on with it\n", "\(get.errors)")
    #expect(try scene.podflux("sync").status == 0)
    #expect(scene.hash(of: "a.mp3") == body.hash)
  }

  @Test("Without a terminal get says once what it waits for")
  func waits() throws {
    let scene = try Scene()
    scene.serve("/a.mp3", length: 40_000)
    // Three days from now, for a minute.
    let days = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"]
    let day = days[(Calendar.current.component(.weekday, from: Date()) + 2) % days.count]
    try scene.results("settings", #"schedule=[{"days":["\#(day)"],"from":"03:00","to":"03:01"}]"#)
    let get = try scene.begin("get", scene.origin.url("/a.mp3"))
    let words = "waiting  a.mp3: waits: the schedule is closed, again "
    try waitUntil("a line that says so", upTo: 20) { get.errors.contains(words) }
    get.signal(SIGINT)
    #expect(try get.waitForEnd() == 130)
    #expect(get.errors.components(separatedBy: words).count == 2, "\(get.errors)")
  }

  @Test("A second terminal uses the first one's engine, and goes on with an engine of its own when that is done")
  func twoTerminals() throws {
    let scene = try Scene()
    scene.serve("/a.mp3", length: 1 << 20, bytesPerSecond: 1 << 20)
    scene.serve("/b.mp3", length: 3 << 20, bytesPerSecond: 1 << 20)
    let first = try scene.begin("get", scene.origin.url("/a.mp3"))
    try waitUntil("the first engine's socket", upTo: 20) {
      let names = try? FileManager.default.contentsOfDirectory(atPath: scene.outside + "/podflux")
      return names?.contains { $0.hasSuffix(".sock") } == true
    }
    let second = try scene.begin("get", scene.origin.url("/b.mp3"))
    #expect(try first.waitForEnd() == 0)
    #expect(first.output == "\(scene.library)/a.mp3\n")
    #expect(try second.waitForEnd() == 0, "\(second.errors)")
    #expect(second.output == "\(scene.library)/b.mp3\n")
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: scene.outside + "/podflux").allSatisfy {
        !$0.hasSuffix(".sock")
      })
  }

  @Test("Beside a daemon a command is its client; an engine without a socket leaves one clear sentence and 75")
  func engines() throws {
    let scene = try Scene()
    scene.serve("/a.mp3", length: 60_000)
    let engine = try scene.start()
    let locked = try scene.podflux("get", scene.origin.url("/a.mp3"))
    #expect(locked.status == 75)
    #expect(
      locked.errors
        == "podflux: an engine (process \(engine.pid)) holds this library and does not listen where commands look for it; name its socket with --socket, or wait until it has ended\n"
    )
    engine.closeInput()
    _ = try engine.waitForEnd()
    #expect(try scene.podflux("watch", "--json").status == 69)
    let daemon = try scene.startDaemon()
    try scene.attach().leave()
    let get = try scene.podflux("get", "--socket", scene.socketPath, scene.origin.url("/a.mp3"))
    #expect(get.status == 0 && get.output == "\(scene.library)/a.mp3\n", "\(get)")
    #expect(daemon.isAlive)
  }
}
