import Foundation
import ScriptedOrigin
import Testing
import TestScheduling
import TestSupport

/// Each of these was found by a tester who had the binary and the documents only.
@Suite("Commands that can be trusted", .systemTest)
struct TrustedCommandTests {
  @Test("An engine of another library than the one that was named is not spoken to")
  func otherLibrary() throws {
    let scene = try Scene()
    scene.serve("/a.mp3", length: 60_000)
    try scene.results("get", scene.origin.url("/a.mp3"))
    let daemon = try scene.startDaemon()
    try scene.attach().leave()
    let other = scene.outside + "/other"
    let refused = try scene.podflux("rm", "--library", other, "--socket", scene.socketPath, "--all", "-y")
    #expect(refused.status == 64 && refused.errors.contains("has the library \(scene.library), and not"), "\(refused)")
    // A socket of the environment is that of its own library.
    let elsewhere = ["PODFLUX_SOCKET": scene.socketPath, "PODFLUX_LIBRARY": other]
    let removed = try scene.podflux("rm", "--all", "-y", environment: elsewhere)
    #expect(removed.status == 65 && removed.errors.contains("\"\(other)\" is no library"), "\(removed)")
    #expect(scene.publishedFiles() == ["a.mp3"])
    // What says of a socket, and nothing of a library, means the engine there.
    let status = try scene.podflux("status", "--socket", scene.socketPath, environment: ["PODFLUX_LIBRARY": other])
    #expect(status.output.contains("1 here; an engine runs"), "\(status)")
    #expect(daemon.isAlive)
  }

  @Test("More than ten files that no download knows are deleted with -y only")
  func manyOrphans() throws {
    let scene = try Scene()
    scene.serve("/a.mp3", length: 60_000)
    try scene.results("get", scene.origin.url("/a.mp3"))
    for number in 1...11 {
      try FileManager.default.copyItem(atPath: "\(scene.library)/a.mp3", toPath: "\(scene.library)/own \(number).mp3")
    }
    let refused = try scene.podflux("clean", "--orphans", "delete")
    #expect(refused.status == 64 && refused.errors.contains("11 files that no download knows would be deleted"))
    #expect(scene.publishedFiles().count == 12)
    try FileManager.default.removeItem(atPath: "\(scene.library)/own 11.mp3")
    #expect(try scene.podflux("clean", "--orphans", "delete").status == 0)
    #expect(scene.publishedFiles() == ["a.mp3"])
  }

  @Test("Favorites that are none any more are deleted by rules: many of them with -y only, and counted")
  func formerFavorites() throws {
    let scene = try Scene()
    let show = FeedOnOrigin(scene, path: "/feed.xml")
    show.publish(1...12)
    try scene.results("add", show.url, "--all")
    #expect(try scene.podflux("sync").status == 0)
    try scene.results("mark", "--feed", show.url, "--favorite")
    #expect(try scene.podflux("rules", show.url, "--keep", "1").status == 0)
    #expect(scene.publishedFiles().count == 12)
    let refused = try scene.podflux("mark", "--feed", show.url, "--unfavorite")
    let words = "12 favorites that rules have downloaded could be deleted"
    #expect(refused.status == 64 && refused.errors.contains(words), "\(refused)")
    #expect(scene.publishedFiles().count == 12)
    let one = try scene.podflux("mark", "Episode 12", "--unfavorite")
    #expect(one.status == 0 && one.errors.contains("1 marked\n") && !one.errors.contains("deleted"), "\(one)")
    let all = try scene.podflux("mark", "--feed", show.url, "--unfavorite", "-y")
    #expect(all.status == 0 && all.errors.hasSuffix("11 deleted by rules\n"), "\(all)")
    #expect(scene.publishedFiles().count == 1)
  }

  @Test("A command that only reads, and is told a socket, reads the library of the engine there")
  func readersOfSockets() throws {
    let scene = try Scene()
    scene.serve("/a.mp3", length: 60_000)
    try scene.results("get", scene.origin.url("/a.mp3"))
    let daemon = try scene.startDaemon()
    try scene.attach().leave()
    let elsewhere = ["PODFLUX_LIBRARY": scene.outside + "/other"]
    let commands = [
      (["ls"], "a.mp3"), (["why", "a.mp3"], "\(scene.library)/a.mp3"), (["export"], "<opml"),
      (["settings", "maxConcurrent"], "4"), (["sessions"], ""), (["rm", "--plan", "--all"], "a.mp3"),
      (["status"], "1 here"),
    ]
    for (command, words) in commands {
      let environment = scene.environment.merging(elsewhere) { $1 }
      let read = try PodfluxCommand.run(command + ["--socket", scene.socketPath], environment: environment)
      #expect(read.status == 0 && (words.isEmpty || read.output.contains(words)), "\(command): \(read)")
      let alone = try PodfluxCommand.run(command + ["--socket", scene.outside + "/no.sock"], environment: environment)
      #expect(alone.status == 69 && alone.output.isEmpty, "\(command): \(alone)")
    }
    let other = try scene.podflux("ls", "--library", scene.outside + "/other", "--socket", scene.socketPath)
    #expect(other.status == 64 && other.errors.contains("has the library \(scene.library), and not"), "\(other)")
    #expect(daemon.isAlive)
  }

  @Test("A command that changes something, and is told a socket at which no engine listens, changes no other library")
  func writersOfSockets() throws {
    let scene = try Scene()
    scene.serve("/a.mp3", length: 60_000)
    try scene.results("get", scene.origin.url("/a.mp3"))
    let commands = [
      ["rm", "--all", "-y"], ["pause", "--all"], ["settings", "maxConcurrent=2"], ["sync"], ["clean"],
      ["get", scene.origin.url("/b.mp3")], ["verify", "--all"],
    ]
    for command in commands {
      let alone = try PodfluxCommand.run(
        command + ["--socket", scene.outside + "/no.sock"], environment: scene.environment)
      #expect(alone.status == 69 && alone.errors.contains("no engine listens"), "\(command): \(alone)")
    }
    #expect(scene.publishedFiles().count == 1)
    #expect(try scene.podflux("settings", "maxConcurrent").output.contains("4"))
    let named = try scene.podflux(
      "rm", "--all", "-y", "--library", scene.library, "--socket", scene.outside + "/no.sock")
    #expect(named.status == 0 && scene.publishedFiles().isEmpty, "\(named)")
  }

  @Test("An engine whose library was named by a relative path is another one for a client in another folder")
  func relativeLibrary() throws {
    let scene = try Scene()
    scene.serve("/a.mp3", length: 60_000)
    try scene.results("get", scene.origin.url("/a.mp3"))
    let library = URL(fileURLWithPath: scene.library)
    let (folder, name) = (library.deletingLastPathComponent().path, library.lastPathComponent)
    let begun = try Shell.run("cd '\(folder)' && podflux run --library '\(name)' --network offline < /dev/null")
    #expect(begun.output.contains("\"library\":\"\(scene.library)\""), "\(begun)")
    let daemon = try scene.startDaemon()
    try scene.attach().leave()
    let other = scene.outside + "/elsewhere"
    try FileManager.default.createDirectory(atPath: other, withIntermediateDirectories: true)
    let removed = try Shell.run(
      "cd '\(other)' && podflux rm --all -y --library '\(name)' --socket '\(scene.socketPath)'")
    #expect(removed.status == 64, "\(removed)")
    #expect(scene.publishedFiles() == ["a.mp3"] && daemon.isAlive)
  }

  @Test("sync ends with 1 and names what has failed while feeds were refreshed, and says what failed before")
  func failuresWhileRefreshing() throws {
    let scene = try Scene()
    let (quick, slow) = (FeedOnOrigin(scene, path: "/quick.xml"), FeedOnOrigin(scene, path: "/slow.xml"))
    quick.publish(1...1)
    slow.publish(1...1)
    try scene.results("add", quick.url, slow.url)
    #expect(try scene.podflux("sync").status == 0)
    quick.publish(1...2)
    scene.origin.serve("/quick.xml.2.mp3", .status(404))
    slow.publish(1...2, bytesPerSecond: 1000)
    let sync = try scene.podflux("sync")
    #expect(sync.status == 1, "\(sync)")
    let line = "failed   Show of /quick.xml: Episode 2: the server answered 404 Not Found"
    #expect(sync.errors.contains(line), "\(sync)")
    let again = try scene.podflux("sync", "quick")
    #expect(again.status == 0 && again.errors.contains("1 download had failed before: podflux ls"), "\(again)")
  }

  @Test("Rules that delete many files are changed with -y only; rm --plan names the downloads that go with a feed")
  func manyDeletions() throws {
    let scene = try Scene()
    let show = FeedOnOrigin(scene, path: "/feed.xml")
    show.publish(1...12)
    try scene.results("add", show.url, "--all")
    #expect(try scene.podflux("sync").status == 0)
    let plan = try scene.podflux("rm", "show of", "--plan")
    #expect(plan.output.contains("Episode 12") && plan.errors.contains("12 downloads with "), "\(plan)")
    let refused = try scene.podflux("rules", "show of", "--keep", "1")
    #expect(refused.status == 64 && refused.errors.contains("the files of 11 downloads would be deleted"), "\(refused)")
    #expect(scene.publishedFiles().count == 12)
    let changed = try scene.podflux("rules", "show of", "--keep", "1", "-y")
    #expect(changed.status == 0 && changed.errors.contains("0 to download, 11 deleted"), "\(changed)")
    #expect(scene.publishedFiles().count == 1)
    show.publish(1...13)
    let sync = try scene.podflux("sync")
    #expect(sync.errors.contains("1 download removed meanwhile"), "\(sync)")
  }

  @Test("rm of a feed asks for all downloads that go with it, and for those without a complete file too")
  func unfinishedDownloads() throws {
    let scene = try Scene()
    let show = FeedOnOrigin(scene, path: "/feed.xml")
    show.publish(1...12)
    try scene.results("add", show.url, "--all")
    try scene.results("pause", "--all")
    let plan = try scene.podflux("rm", "show of", "--plan")
    #expect(plan.output.contains("Episode 12") && plan.errors.contains("12 downloads with "), "\(plan)")
    let refused = try scene.podflux("rm", "show of")
    #expect(refused.status == 64 && refused.errors.contains("1 feed and 12 downloads would be removed"), "\(refused)")
    #expect(try scene.podflux("rm", "show of", "-y").status == 0)
    #expect(try scene.results("ls", "downloads", "--json").isEmpty)
  }

  @Test("What a rule wants is there when the command ends that has set it, so that all of it can be paused or removed")
  func decidedRules() throws {
    let scene = try Scene()
    let show = FeedOnOrigin(scene, path: "/feed.xml")
    // A turn decides about 256.
    let number = 1300
    show.publish(1...number)
    try scene.results("add", show.url, "--new")
    try scene.results("rules", "show of", "--all")
    #expect(try scene.results("ls", "downloads", "--json").count == number)
    let paused = try scene.podflux("pause", "--all")
    #expect(paused.errors.contains("\(number) paused") || paused.output.contains("\(number) paused"), "\(paused)")
    #expect(scene.origin.requests.allSatisfy { $0.path == "/feed.xml" })
    try scene.results("rm", "--all", "-y")
    #expect(try scene.results("ls", "downloads", "--json").isEmpty)
  }

  @Test("A command that waits for nothing asks no server: it would break the request off")
  func noRequests() throws {
    let scene = try Scene()
    let show = FeedOnOrigin(scene, path: "/feed.xml")
    show.publish(1...1)
    try scene.results("add", show.url)
    try scene.results("mark", "Episode 1", "--favorite")
    try scene.results("rules", "show of")
    try scene.results("pause", "--all")
    try scene.results("resume", "--all")
    #expect(scene.origin.snapshot.requests(path: "/feed.xml.1.mp3").isEmpty)
  }

  @Test("A database that is older than the files gets their episodes back before rules fetch them again")
  func olderDatabase() throws {
    let scene = try Scene()
    let show = FeedOnOrigin(scene, path: "/feed.xml")
    show.publish(1...2)
    try scene.results("add", show.url, "--all")
    #expect(try scene.podflux("sync").status == 0)
    let database = scene.library + "/.podflux/podflux.sqlite"
    let backup = try Data(contentsOf: URL(fileURLWithPath: database))
    show.publish(1...4)
    #expect(try scene.podflux("sync").status == 0)
    let files = scene.publishedFiles()
    for suffix in ["-wal", "-shm"] { try? FileManager.default.removeItem(atPath: database + suffix) }
    try backup.write(to: URL(fileURLWithPath: database))
    #expect(try scene.podflux("sync", "--refresh-only").status == 0)
    let adopted = try scene.podflux("adopt")
    #expect(adopted.status == 0, "\(adopted)")
    #expect(try scene.podflux("sync").status == 0)
    #expect(files.count == 4 && scene.publishedFiles() == files)
    #expect(try scene.results("ls", "episodes", "--json").count { $0.contains("\"state\":\"completed\"") } == 4)
  }

  @Test("A file that was away with its disk is its download's again when it is back, and its rule's")
  func backAgain() throws {
    let scene = try Scene()
    let shows = [FeedOnOrigin(scene, path: "/one.xml"), FeedOnOrigin(scene, path: "/two.xml")]
    for show in shows { show.publish(1...2) }
    try scene.results("add", shows[0].url, shows[1].url, "--all")
    #expect(try scene.podflux("sync").status == 0)
    let files = scene.publishedFiles()
    let folder = try #require(files.first?.split(separator: "/").first.map { "\(scene.library)/\($0)" })
    try FileManager.default.moveItem(atPath: folder, toPath: scene.outside + "/away")
    #expect(try scene.podflux("sync").status == 0)
    try FileManager.default.moveItem(atPath: scene.outside + "/away", toPath: folder)
    #expect(try scene.podflux("sync").status == 0)
    #expect(scene.publishedFiles() == files)
    let downloads = try scene.results("ls", "downloads", "--json")
    #expect(downloads.count == 4 && downloads.allSatisfy { $0.contains("\"origin\":\"auto\"") }, "\(downloads)")
    let episodes = try scene.results("ls", "episodes", "--json")
    #expect(episodes.count { $0.contains("its file is back") } == 2, "\(episodes)")
    // Rules count it as theirs, as before.
    for show in shows { #expect(try scene.podflux("rules", show.url, "--keep", "1").status == 0) }
    #expect(scene.publishedFiles().count == 2)
  }

  @Test("rules changes the parts of the condition that it names, and says the condition")
  func conditions() throws {
    let scene = try Scene()
    let show = FeedOnOrigin(scene, path: "/feed.xml")
    show.publish(1...2)
    try scene.results("add", show.url, "--new", "--match", "Night", "--exclude", "Trailer", "--max", "1h")
    let changed = try scene.results("rules", "show of", "--min", "5m", "--match", "Day")
    #expect(
      changed == [
        "Show of /feed.xml: each new one, of those with \"Day\" in the title, without \"Trailer\" in the title and of 5m to 1h"
      ])
    #expect(try scene.results("rules", "show of", "--no-condition") == ["Show of /feed.xml: each new one"])
    #expect(try scene.podflux("rules", "show of", "--no-condition", "--min", "5m").status == 64)
    #expect(try scene.results("rules", "show of", "--keep", "9", "--keep-days", "9").count == 3)
    #expect(try scene.results("rules", "show of", "--keep-all") == ["Show of /feed.xml: each new one"])
    #expect(try scene.podflux("rules", "show of", "--keep-all", "--keep", "3").status == 64)
    try scene.results("rules", "show of", "--none")
    #expect(try scene.results("rules", "show of", "--no-condition") == ["Show of /feed.xml: no rules"])
    let refused = try scene.podflux("rules", "show of", "--oldest-first")
    #expect(refused.status == 64 && refused.errors.contains("give --newest or --all, too"), "\(refused)")
  }

  @Test("What add has said of a feed can be changed later")
  func changedSubscription() throws {
    let scene = try Scene()
    let show = FeedOnOrigin(scene, path: "/feed.xml")
    show.publish(1...1)
    try scene.results("add", show.url, "--none", "--group", "a", "--title", "Mine", "--header", "X-Key: 1")
    let changed = try scene.results(
      "rules", "Mine", "--group", "b/c", "--title", "", "--name", "{title}", "--header", "X-Key: 2", "--paused")
    #expect(changed == ["Show of /feed.xml: no rules"])
    let feed = try scene.results("ls", "feeds", "--json").map(PodfluxProcess.parse)[0]
    #expect(feed["group"] as? String == "b/c" && feed["paused"] as? Bool == true, "\(feed)")
    #expect(feed["filenameTemplate"] as? String == "{title}")
    #expect(try scene.podflux("sync", "show of").status == 0)
    #expect(scene.origin.snapshot.requests(path: "/feed.xml").last?.headers["X-Key"] == "2")
    try scene.results("get", "Episode 1")
    #expect(scene.publishedFiles() == ["Episode 1.mp3"])
    for wrong in [["--name", "{nothing}"], ["--paused", "--unpaused"], ["--plan", "--title", "x"]] {
      #expect(try PodfluxCommand.run(["rules", "show of"] + wrong, environment: scene.environment).status == 64)
    }
  }

  @Test("A feed that goes leaves the files that another feed's episodes have")
  func sharedFiles() throws {
    let scene = try Scene()
    let show = FeedOnOrigin(scene, path: "/feed.xml")
    show.publish(1...2)
    try scene.results("add", show.url)
    let items = (1...2).map { number in
      """
      <item><guid isPermaLink="false">c\(number)</guid><title>Episode \(number)</title>
      <enclosure url="\(show.url).\(number).mp3" type="audio/mpeg" length="1"/></item>
      """
    }
    let copy = "<rss version=\"2.0\"><channel><title>Copy</title>\(items.joined())</channel></rss>"
    scene.origin.serve("/copy.xml", .resource(Resource(.text(copy), mediaType: "application/rss+xml")))
    try scene.results("add", scene.origin.url("/copy.xml"))
    #expect(try scene.podflux("sync").status == 0)
    #expect(try scene.podflux("rm", "Copy").errors == "1 feed removed\n")
    #expect(scene.publishedFiles().count == 2)
    #expect(try scene.podflux("rm", "show of").status == 0)
    #expect(scene.publishedFiles().isEmpty)
  }

  @Test("A feed that is divided into documents is added and fetched whole")
  func divided() throws {
    let scene = try Scene()
    for number in 1...3 {
      scene.serve("/\(number).mp3", length: 30_000)
      let next = scene.origin.url("/feed\(number + 1)")
      let link = "<atom:link xmlns:atom=\"http://www.w3.org/2005/Atom\" rel=\"next\" href=\"\(next)\"/>"
      let document = """
        <?xml version="1.0"?><rss version="2.0"><channel><title>Divided</title>\(number < 3 ? link : "")<item>
        <guid>\(number)</guid><title>\(number)</title>
        <enclosure url="\(scene.origin.url("/\(number).mp3"))" type="audio/mpeg" length="30000"/></item></channel></rss>
        """
      scene.origin.serve("/feed\(number)", .resource(Resource(.text(document), mediaType: "application/rss+xml")))
    }
    let plan = try scene.podflux("add", scene.origin.url("/feed1"), "--all", "--dry-run")
    #expect(plan.output.contains("3 episodes"), "\(plan)")
    try scene.results("add", scene.origin.url("/feed1"), "--all")
    #expect(try scene.podflux("sync").status == 0)
    #expect(scene.publishedFiles() == ["Divided/1.mp3", "Divided/2.mp3", "Divided/3.mp3"])
  }

  @Test("Of several enclosures the first that is audio or video is the episode")
  func enclosures() throws {
    let scene = try Scene()
    scene.serve("/1.mp3", length: 30_000)
    let document = """
      <?xml version="1.0"?><rss version="2.0"><channel><title>Pictured</title><item><guid>1</guid><title>One</title>
      <enclosure url="\(scene.origin.url("/cover.jpg"))" type="image/jpeg" length="9"/>
      <enclosure url="\(scene.origin.url("/1.mp3"))" type="audio/mpeg" length="30000"/>
      <enclosure url="\(scene.origin.url("/1.mp4"))" type="video/mp4" length="40000"/></item></channel></rss>
      """
    scene.origin.serve("/feed", .resource(Resource(.text(document), mediaType: "application/rss+xml")))
    try scene.results("add", scene.origin.url("/feed"))
    #expect(try scene.podflux("sync").status == 0)
    #expect(scene.publishedFiles() == ["Pictured/One.mp3"])
    let episode = try PodfluxProcess.parse(try scene.results("ls", "episodes", "--json")[0])
    #expect((episode["alternates"] as? [Any])?.count == 1)
  }

  @Test(
    "clean is the only cleanup of its own engine: a plan changes nothing, and missing files come back if they are to")
  func ownCleanups() throws {
    let scene = try Scene()
    for name in ["a", "b"] { scene.serve("/\(name).mp3", length: 30_000) }
    try scene.results("get", scene.origin.url("/a.mp3"), scene.origin.url("/b.mp3"))
    try scene.results("settings", "orphans=delete")
    let (orphan, missing) = (scene.library + "/mine.mp3", scene.library + "/a.mp3")
    try Data("mine".utf8).write(to: URL(fileURLWithPath: orphan))
    try FileManager.default.removeItem(atPath: missing)
    for _ in 0..<4 {
      let plan = try scene.podflux("clean", "--plan")
      #expect(plan.status == 0 && plan.errors.contains("2 found"), "\(plan)")
      #expect(FileManager.default.fileExists(atPath: orphan))
    }
    let clean = try scene.podflux("clean", "--missing", "redownload", "--orphans", "report")
    #expect(clean.status == 0, "\(clean)")
    #expect(FileManager.default.fileExists(atPath: orphan))
    try scene.results("settings", "cleanupOnStart=false")
    #expect(try scene.podflux("sync").status == 0)
    #expect(FileManager.default.fileExists(atPath: missing))
  }

  @Test("A file with secrets is its owner's alone, and what was there stays if it cannot be written")
  func exports() throws {
    let scene = try Scene()
    FeedOnOrigin(scene, path: "/feed.xml").publish(1...1)
    try scene.results("add", scene.origin.url("/feed.xml"), "--none")
    let path = scene.outside + "/feeds.opml"
    try Data("former".utf8).write(to: URL(fileURLWithPath: path))
    try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path)
    try scene.results("export", "-o", path, "--with-secrets")
    let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? NSNumber
    #expect(mode?.intValue == 0o600)
    #expect(try String(contentsOfFile: path, encoding: .utf8).contains("/feed.xml"))
    #expect(try FileManager.default.contentsOfDirectory(atPath: scene.outside).filter { $0.hasSuffix(".new") }.isEmpty)
  }

  @Test("OPML in another encoding is imported; an address that is none is named without its password")
  func encodings() throws {
    let scene = try Scene()
    let opml = """
      <?xml version="1.0" encoding="ISO-8859-1"?><opml version="2.0"><body>
      <outline text="Caf\u{E9}" type="rss" xmlUrl="\(scene.origin.url("/feed.xml"))"/></body></opml>
      """
    let path = scene.outside + "/latin.opml"
    try #require(opml.data(using: .isoLatin1)).write(to: URL(fileURLWithPath: path))
    #expect(try scene.results("import", path, "--dry-run").first?.hasPrefix("Caf\u{E9}") == true)
    let imported = try scene.podflux("import", path)
    #expect(imported.status == 0 && imported.errors.contains("1 added"), "\(imported)")
    let refused = try scene.podflux("add", "http://me:OUR-SECRET@h:99999/f?token=OUR-SECRET")
    #expect(refused.status == 64 && refused.errors.contains("h:99999/f"), "\(refused)")
    #expect(!refused.errors.contains("OUR-SECRET"))
  }

  @Test("A list of URLs with a line that is none is refused whole, with the line's number")
  func wrongLines() throws {
    let scene = try Scene()
    let lines = [scene.origin.url("/a.mp3"), "", "example.org/2.mp3"]
    let refused = try scene.podflux("get", "-i", "-", input: lines)
    #expect(refused.status == 64 && refused.errors.contains("line 3 is no http or https URL"), "\(refused)")
    #expect(scene.origin.requests.isEmpty)
  }

  @Test(
    "What cannot be written to stdout ends a command with 1",
    arguments: [
      ["ls"], ["snapshot"], ["completion", "bash"], ["run"], ["attach"], ["status", "--watch"],
      ["status", "--watch", "--json"],
    ])
  func fullOutput(command: [String]) throws {
    let scene = try Scene()
    try scene.results("settings", "checksum=true")
    let daemon = command == ["attach"] ? try scene.startDaemon([], environment: scene.environment) : nil
    if daemon != nil { try scene.attach(["--library", scene.library], environment: scene.environment).leave() }
    let process = Process()
    process.executableURL = URL(fileURLWithPath: PodfluxProcess.executablePath)
    process.arguments = command
    process.environment = ProcessInfo.processInfo.environment.merging(scene.environment) { $1 }
    process.standardInput = FileHandle.nullDevice
    let full = try #require(FileHandle(forWritingAtPath: "/dev/full"))
    process.standardOutput = full
    let errors = Pipe()
    process.standardError = errors
    try process.run()
    process.waitUntilExit()
    let said = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    #expect(process.terminationReason == .exit && process.terminationStatus == 1, "\(said)")
    #expect(said == "podflux: the output cannot be written: No space left on device\n")
    #expect(daemon?.isAlive != false)
  }

  @Test("One feed in two spellings of its URL is one subscription; a sort order may begin with a dash")
  func spellings() throws {
    let scene = try Scene()
    let show = FeedOnOrigin(scene, path: "/feed.xml")
    show.publish(1...2)
    try scene.results("add", show.url, "--none")
    let other = show.url.replacing("http://", with: "HTTP://") + "#top"
    #expect(try scene.podflux("add", other, "--none").errors.contains("subscribed to before"))
    let document = "<opml><body><outline xmlUrl=\"\(other)\"/></body></opml>"
    #expect(try scene.podflux("import", "-", input: [document]).errors == "0 added, 1 known before\n")
    let titles = try scene.results("ls", "episodes", "--sort", "-title", "--json").map(PodfluxProcess.parse)
    #expect(titles.map { $0["title"] as? String } == ["Episode 2", "Episode 1"])
  }

  @Test("When rm and rename have ended, so has their work on files")
  func workIsDone() throws {
    let scene = try Scene()
    let show = FeedOnOrigin(scene, path: "/feed.xml")
    show.publish(1...90)
    try scene.results("settings", "sidecars=[\"info\"]")
    try scene.results("add", show.url, "--all")
    #expect(try scene.podflux("sync").status == 0)
    #expect(scene.publishedFiles().count == 180, "each has its sidecar when sync ends")
    try scene.results("settings", "filenameTemplate={podcast}/{title}")
    #expect(try scene.podflux("rename").status == 0)
    let renamed = scene.publishedFiles()
    #expect(renamed.count == 180 && renamed.allSatisfy { !$0.contains("2026-") }, "\(renamed)")
    #expect(try scene.podflux("rm", "--feed", "show of", "-y").errors == "90 removed\n")
    #expect(scene.publishedFiles().isEmpty)
  }

  @Test("rm deletes the file that is there, also if another program has changed it while an engine runs")
  func editedFile() throws {
    let scene = try Scene()
    scene.serve("/a.mp3", length: 60_000)
    let daemon = try scene.startDaemon()
    try scene.attach().leave()
    let socket = ["PODFLUX_SOCKET": scene.socketPath]
    #expect(try scene.podflux("get", scene.origin.url("/a.mp3"), environment: socket).status == 0)
    let file = try FileHandle(forWritingTo: URL(fileURLWithPath: scene.library + "/a.mp3"))
    try file.seekToEnd()
    try file.write(contentsOf: Data("TAG".utf8) + Data(repeating: 0, count: 125))
    try file.close()
    let removed = try scene.podflux("rm", "a", environment: socket)
    #expect(removed.status == 0 && removed.errors == "1 removed\n", "\(removed)")
    #expect(scene.publishedFiles().isEmpty && daemon.isAlive)
  }

  @Test("Of commands that ask for a cleanup at once each has its own, one after the other")
  func manyCleanups() throws {
    let scene = try Scene()
    for name in ["a", "b"] {
      scene.serve("/\(name).mp3", length: 40_000)
      try scene.results("get", scene.origin.url("/\(name).mp3"))
    }
    let daemon = try scene.startDaemon()
    try scene.attach().leave()
    let commands = try (0..<6).map { number in
      try scene.begin(number.isMultiple(of: 2) ? "rename" : "clean", "--plan", "--socket", scene.socketPath)
    }
    for command in commands {
      #expect(try command.waitForEnd() == 0, "\(command.errors)")
    }
    #expect(daemon.isAlive)
  }

  @Test("What waits for room that nothing makes ends sync with 75, by name")
  func roomless() throws {
    let scene = try Scene()
    let show = FeedOnOrigin(scene, path: "/feed.xml")
    show.publish(1...3)
    try scene.results("settings", "storageQuotaBytes=25000")
    try scene.results("add", show.url, "--all")
    let sync = try scene.podflux("sync")
    #expect(sync.status == 75 && sync.errors.contains("Episode 1: waits: "), "\(sync)")
    #expect(scene.publishedFiles().count == 2)
  }

  @Test("A link on the way to one new name leaves that file, and the others are renamed")
  func linkedFolder() throws {
    let scene = try Scene()
    for name in ["a", "b"] {
      scene.serve("/\(name).mp3", length: 40_000)
      try scene.results("get", scene.origin.url("/\(name).mp3"), "--title", "t", "--podcast", name)
    }
    try FileManager.default.createSymbolicLink(
      atPath: scene.library + "/x", withDestinationPath: scene.outside)
    try scene.results("settings", "filenameTemplate={podcast}/new {title}")
    try FileManager.default.createSymbolicLink(atPath: scene.library + "/c", withDestinationPath: scene.outside)
    let id = try PodfluxProcess.parse(try scene.results("ls", "--json")[0])["id"] as? String
    let update = try PodfluxCommand.run(
      ["run"],
      input: [#"{"type":"downloads/update","payload":{"id":"\#(try #require(id))","podcast":"c"}}"#],
      environment: scene.environment)
    #expect(update.status == 0)
    let renamed = try scene.podflux("rename")
    #expect(renamed.status == 0 && renamed.errors == "2 found, 1 done, 1 left as they are\n", "\(renamed)")
    #expect(scene.publishedFiles().contains { $0.hasSuffix("/new t.mp3") })
  }
}
