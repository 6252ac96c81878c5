import Foundation
import ScriptedOrigin
import Testing
import TestScheduling
import TestSupport

@Suite("Commands for podcasts", .systemTest)
struct PodcastCommandTests {
  @Test(
    "From nothing: add looks and subscribes, sync refreshes, get takes an episode by its title, ls and why tell of it")
  func newcomer() throws {
    let scene = try Scene()
    let show = FeedOnOrigin(scene, path: "/feed.xml")
    show.publish(1...3)
    try scene.results("settings", "checksum=true")
    let look = try scene.podflux("add", show.url, "--dry-run")
    let first = "Show of /feed.xml: 3 episodes, the newest of 2026-06-03, about 30.0 kB"
    #expect(look.output == first + "\n  rule: the newest 3, then each new one\n  3 to download\n", "\(look)")
    #expect(try scene.results("ls", "feeds", "--json").isEmpty)
    #expect(try scene.results("add", show.url, "--none") == [first])
    let feeds = try scene.results("ls", "feeds")
    #expect(feeds.count == 2 && feeds[0].hasPrefix("FEED ") && feeds[1].hasPrefix("Show of /feed.xml "), "\(feeds)")
    #expect(try scene.results("ls", "episodes").count == 4)
    let path = "\(scene.library)/Show of -feed.xml/2026-06-02 Episode 2.mp3"
    #expect(try scene.results("get", "episode 2") == [path])
    #expect(try scene.results("get", "e\(4 - 2)").count == 1)
    let why = try scene.results("why", "Episode 2")
    #expect(why[0] == "Episode 2, of Show of /feed.xml." && why.contains("Its file is \(path)."), "\(why)")
    #expect(
      try scene.results("why", "Episode 1").contains { $0.hasPrefix("It is not downloaded: nothing has asked for it.") }
    )
    #expect(try scene.results("why", "show of").contains("3 episodes known, 1 of them here."))
    #expect(try scene.results("ls", "episodes", "show", "--state", "completed", "--json").count == 1)
  }

  @Test(
    "What cannot be a feed's address is wrong usage, with a word about what would be right, and makes no library",
    arguments: ["notaurl", "ftp://127.0.0.1/feed.xml", "http://", "file:///feed.xml"])
  func wrongAddresses(address: String) throws {
    let scene = try Scene()
    let refused = try scene.podflux("add", "http://127.0.0.1:1/feed.xml", address)
    #expect(refused.status == 64 && refused.output.isEmpty, "\(refused)")
    let words = "\"\(address)\" is no http or https URL; write one such as https://example.org/feed"
    #expect(refused.errors.contains(words), "\(refused)")
    #expect(!FileManager.default.fileExists(atPath: scene.library))
  }

  @Test(
    "A URL that cannot be fetched is wrong usage, and is told what is wrong with it",
    arguments: [
      ("http://m\u{FC}nc\u{FFFD}n.example/a", "a URL whose host is a name that DNS can have"),
      ("http://example.org/a b", "a URL without blanks, control characters and backslashes; escape them with %"),
      ("http://example.org/" + String(repeating: "x", count: 9000), "at most 8192 bytes long"),
    ])
  func unusableAddresses(address: String, wish: String) throws {
    let scene = try Scene()
    for command in ["add", "get"] {
      let refused = try scene.podflux(command, "http://127.0.0.1:1/first", address)
      #expect(refused.status == 64 && refused.output.isEmpty, "\(refused)")
      #expect(
        refused.errors.contains(String(address.prefix(18))) && refused.errors.contains("must be \(wish)"), "\(refused)")
      #expect(refused.errors.utf8.count < 1000)
    }
    let listed = try scene.podflux("get", "-i", "-", input: [address])
    #expect(listed.status == 64 && listed.errors.contains("line 1 must be \(wish)"), "\(listed)")
    #expect(!FileManager.default.fileExists(atPath: scene.library))
  }

  @Test("A title that no feed has is told, and what is no episode is told how it is subscribed to")
  func misunderstandings() throws {
    let scene = try Scene()
    let show = FeedOnOrigin(scene, path: "/feed.xml")
    show.publish(1...1)
    try scene.results("add", show.url, "--none")
    let unknown = try scene.podflux("ls", "feeds", "no such show")
    #expect(unknown.status == 1 && unknown.output.isEmpty && unknown.errors.contains("no such show"), "\(unknown)")
    let other = FeedOnOrigin(scene, path: "/other.xml")
    other.publish(1...1)
    let feed = try scene.podflux("get", other.url)
    #expect(feed.status == 1 && feed.errors.contains("podflux add subscribes to it"), "\(feed)")
  }

  @Test("A feed's files lie in the folder that its subscription names")
  func folders() throws {
    let scene = try Scene()
    let show = FeedOnOrigin(scene, path: "/feed.xml")
    show.publish(1...1)
    try scene.results("add", show.url, "--folder", "Radio/Mine")
    #expect(try scene.podflux("sync").status == 0)
    #expect(scene.publishedFiles() == ["Radio/Mine/2026-06-01 Episode 1.mp3"])
    try scene.results("rules", "show of", "--folder", "Other")
    #expect(try scene.podflux("rename").status == 0)
    #expect(scene.publishedFiles() == ["Other/2026-06-01 Episode 1.mp3"])
    let refused = try scene.podflux("add", show.url, "--folder", "")
    #expect(refused.status == 64 && refused.errors.contains("--folder takes a name"), "\(refused)")
  }

  @Test("What add cannot pass on is wrong usage")
  func impossibleValues() throws {
    let scene = try Scene()
    FeedOnOrigin(scene, path: "/feed.xml").publish(1...1)
    let refused = try scene.podflux(
      "add", scene.origin.url("/feed.xml"), "--title", String(repeating: "x", count: 2000))
    #expect(refused.status == 64 && refused.errors.contains("title must be at most 1024 bytes"), "\(refused)")
  }

  @Test("Two commands bring the newest three episodes of a feed, and the next sync each new one")
  func twoCommands() throws {
    let scene = try Scene()
    let show = FeedOnOrigin(scene, path: "/feed.xml")
    show.publish(1...5)
    let added = try scene.results("add", show.url)
    #expect(
      added.dropFirst() == [
        "  rule: the newest 3, then each new one.  All 5: podflux rules 'Show of /feed.xml' --all",
        "  3 to download; podflux sync waits for them",
      ])
    #expect(try scene.podflux("sync").status == 0)
    #expect(scene.publishedFiles().count == 3)
    show.publish(1...7)
    #expect(try scene.podflux("sync").status == 0)
    #expect(scene.publishedFiles().count == 5)
    #expect(try scene.podflux("add", show.url).errors == "  it was subscribed to before, and stays as it is\n")
    #expect(try scene.podflux("add", show.url, "--none", "--newest", "3").status == 64)
  }

  @Test("A file of a rule that a person gets by its title is the person's, and no rule deletes it")
  func claims() throws {
    let scene = try Scene()
    let show = FeedOnOrigin(scene, path: "/feed.xml")
    show.publish(1...3)
    try scene.results("add", show.url, "--all", "--keep", "3")
    #expect(try scene.podflux("sync").status == 0)
    let path = try #require(try scene.results("get", "episode 1").first)
    show.publish(1...5)
    let sync = try scene.podflux("sync")
    #expect(sync.status == 0)
    let deleted = sync.errors.split(separator: "\n").filter { $0.hasPrefix("removed ") }
    #expect(deleted.count == 1 && deleted[0].contains("Episode 2"), "\(sync)")
    let words = "1 download removed meanwhile, 1 with its file unless that was moved or changed: "
    #expect(sync.errors.contains(words), "\(sync)")
    let files = scene.publishedFiles().map { "\(scene.library)/\($0)" }
    #expect(files.count == 4 && files.contains(path), "\(files)")
  }

  @Test("rules names a file that it would delete, and that another program has changed since: it stays")
  func changedFiles() throws {
    let scene = try Scene()
    let show = FeedOnOrigin(scene, path: "/feed.xml")
    show.publish(1...4)
    try scene.results("add", show.url, "--all")
    #expect(try scene.podflux("sync").status == 0)
    let daemon = try scene.startDaemon()
    // Behind the comparison of the start, which would take the file as changed by a person.
    let client = try scene.attach()
    _ = try client.waitForStartCleanup()
    try client.leave()
    let file = try #require(scene.publishedFiles().first { $0.contains("Episode 1") })
    let path = "\(scene.library)/\(file)"
    let handle = try #require(FileHandle(forWritingAtPath: path))
    try handle.seekToEnd()
    try handle.write(contentsOf: Data("tag".utf8))
    try handle.close()
    let rules = try scene.podflux("rules", "Show of /feed.xml", "--keep", "2", "--socket", scene.socketPath)
    #expect(rules.errors.contains("0 to download, 1 deleted"), "\(rules)")
    #expect(rules.errors.contains("\(path) is no longer what was downloaded, and stays"), "\(rules)")
    #expect(scene.publishedFiles().count == 3)
    #expect(daemon.isAlive)
  }

  @Test("A feed whose first document ends early says so, and all of it comes once the whole document is there")
  func documentEndingEarly() throws {
    let scene = try Scene()
    let show = FeedOnOrigin(scene, path: "/feed.xml")
    // Within the item of the third newest.
    show.publish(1...5, cutBehind: "#3</guid>")
    let added = try scene.podflux("add", show.url, "--all")
    #expect(added.status == 1, "\(added)")
    #expect(added.output.hasPrefix("Show of /feed.xml: 2 episodes, "), "\(added)")
    let words = "the feed's document ends early: its last tag is missing, and so may be episodes"
    #expect(added.errors.contains("Show of /feed.xml: \(words)"), "\(added)")
    let first = try scene.podflux("sync")
    #expect(first.status == 1 && first.errors.contains("failed   feed Show of /feed.xml: \(words)"), "\(first)")
    #expect(scene.publishedFiles().isEmpty)
    #expect(try scene.results("why", "show of").contains("The last refresh failed: \(words)."))
    #expect(
      try scene.results("why", "Episode 5").contains { $0.contains("its feed was not read to its end yet") })
    // Under the same tag.
    show.publish(1...5)
    scene.origin.resetLog()
    let second = try scene.podflux("sync")
    #expect(second.status == 0 && second.errors.contains(": 1 with 3 new episodes"), "\(second)")
    #expect(scene.origin.requests.first { $0.path == "/feed.xml" }?.headers["If-None-Match"] == nil)
    #expect(scene.publishedFiles().count == 5)
    #expect(try !scene.results("why", "show of").contains { $0.contains("failed") })
    // A later part takes nothing away, and its new episode comes.
    show.publish(1...6, cutBehind: "#5</guid>")
    let third = try scene.podflux("sync")
    #expect(third.status == 1 && third.errors.contains(words), "\(third)")
    #expect(scene.publishedFiles().count == 6)
    let left = try scene.results("ls", "episodes", "--json").filter { $0.contains(#""missingFromFeed":true"#) }
    #expect(left.isEmpty)
  }

  @Test("sync tells what is new, what failed, and with which status it ends")
  func sync() throws {
    let scene = try Scene()
    let show = FeedOnOrigin(scene, path: "/feed.xml")
    show.publish(1...2)
    try scene.results("add", show.url, "--none")
    #expect(try scene.podflux("sync", "--due").errors == "No feed is due\n")
    show.publish(1...4)
    #expect(try scene.podflux("sync", "--due").errors == "No feed is due\n")
    let all = try scene.podflux("sync")
    #expect(all.status == 0 && all.errors.hasSuffix(": 1 with 2 new episodes\n"), "\(all)")
    #expect(try scene.podflux("sync").errors.hasSuffix(": 1 unchanged\n"))
    show.publish(1...6)
    let named = try scene.podflux("sync", "show of")
    #expect(named.status == 0 && named.output.isEmpty)
    #expect(
      named.errors.hasPrefix("Refreshed 1 feed in ") && named.errors.hasSuffix(": 1 with 2 new episodes\n"), "\(named)")
    scene.origin.serve("/feed.xml", .status(401))
    let refused = try scene.podflux("sync", "show of", "--json")
    #expect(refused.status == 77)
    #expect(
      refused.errors.contains("failed   feed Show of /feed.xml: the server answered 401 Unauthorized"), "\(refused)")
    #expect(refused.output.contains(#""failed":1"#))
    #expect(
      try scene.results("why", "show of").contains("The last refresh failed: the server answered 401 Unauthorized."))
    scene.origin.serve("/feed.xml", .status(410))
    #expect(try scene.podflux("sync", "show of").errors.contains("the server answered 410 Gone"))
    let ended = try scene.podflux("sync")
    #expect(ended.status == 0 && ended.errors.hasPrefix("1 feed left out, gone for good by the server's word (410)"))
  }

  @Test("A feed's downloads are those of its episodes, also if another feed has its title, or it had another one")
  func feedsOfOneTitle() throws {
    let scene = try Scene()
    let (one, other) = (FeedOnOrigin(scene, path: "/one.xml"), FeedOnOrigin(scene, path: "/other.xml"))
    one.publish(1...1)
    other.publish(1...1)
    try scene.results("add", one.url, other.url, "--all")
    #expect(try scene.podflux("sync").status == 0)
    #expect(scene.publishedFiles().count == 2)
    try scene.results("rules", other.url, "--title", "Show of /one.xml")
    #expect(try scene.results("ls", "downloads", other.url, "--json").count == 1)
    let id = try PodfluxProcess.parse(try scene.results("ls", "downloads", other.url, "--json")[0])["id"] as? String
    let removed = try scene.podflux("rm", "--feed", one.url, "-y")
    #expect(removed.status == 0 && removed.errors == "1 removed\n", "\(removed)")
    #expect(scene.publishedFiles().map { $0.hasPrefix("Show of -other.xml/") } == [true])
    let left = try scene.results("ls", "downloads", "--json").map { try PodfluxProcess.parse($0)["id"] as? String }
    #expect(left == [id])
    #expect(try scene.podflux("pause", "--feed", other.url, "--state", "failed").errors == "0 paused\n")
  }

  @Test("A template names a feed's files, and rename gives those that are there the names of another one")
  func names() throws {
    let scene = try Scene()
    let show = FeedOnOrigin(scene, path: "/feed.xml")
    show.publish(1...2)
    let wrong = try scene.podflux("add", show.url, "--name", "{podcast}/{titel}")
    #expect(wrong.status == 64 && wrong.errors.contains("there is no field {titel}"), "\(wrong)")
    let added = try scene.podflux("add", show.url, "--none", "--name", "{podcast}/{index:2} {title}")
    #expect(added.errors.contains("a file's name, for example: Night Trains/412 Vienna to Hamburg.mp3"), "\(added)")
    let folder = "Show of -feed.xml"
    #expect(try scene.results("get", "episode 2") == ["\(scene.library)/\(folder)/02 Episode 2.mp3"])
    #expect(try scene.podflux("rename", "--plan").errors == "all files have their names\n")

    let set = try scene.podflux("settings", "filenameTemplate={date} {title}")
    #expect(set.errors == "a file's name, for example: 2026-03-06 Vienna to Hamburg.mp3\n", "\(set)")
    // The feed's own template still counts.
    #expect(try scene.podflux("rename").errors == "all files have their names\n")
    _ = try scene.podflux("get", show.url + ".1.mp3", "--title", "Other")
    try scene.results("settings", "filenameTemplate={podcast}x {title}")
    let plan = try scene.podflux("rename", "--plan")
    #expect(plan.output.contains("planned  Other.mp3  x Other.mp3  that is its name by now"), "\(plan)")
    #expect(try scene.podflux("rename", "--feed", "show of").errors == "all files have their names\n")
    #expect(try scene.podflux("rename").errors == "1 found, 1 done, 0 left as they are\n")
    #expect(scene.publishedFiles() == ["\(folder)/02 Episode 2.mp3", "x Other.mp3"])
    #expect(try scene.podflux("rename", "--feed", "nothing").status == 1)
  }

  @Test("Marks, import and export")
  func marksAndLists() throws {
    let scene = try Scene()
    let show = FeedOnOrigin(scene, path: "/feed.xml")
    show.publish(1...2)
    let document = scene.outside + "/list.opml"
    let opml = """
      <opml version="2.0"><body><outline type="rss" text="Mine" xmlUrl="\(show.url)"/>
      <outline type="rss" text="None" xmlUrl="ftp://example.org/x"/></body></opml>
      """
    try Data(opml.utf8).write(to: URL(fileURLWithPath: document))
    let dry = try scene.podflux("import", document, "--dry-run")
    #expect(dry.status == 1 && dry.output == "Mine  \(show.url)\n" && dry.errors.contains("ftp:"), "\(dry)")
    let added = try scene.podflux("import", document)
    #expect(added.status == 1 && added.errors.contains("1 added, 0 known before, 1 rejected"), "\(added)")
    #expect(added.errors.contains("podflux rules FEED --newest 3 sets a rule"), "\(added)")
    #expect(try scene.podflux("sync", "mine").status == 0)
    #expect(try scene.podflux("mark", "--feed", "mine", "--played").errors == "2 marked\n")
    #expect(try scene.podflux("mark", "Episode 1", "--unplayed", "--favorite").status == 0)
    let episodes = try scene.results("ls", "episodes", "--sort", "title", "--json").map(PodfluxProcess.parse)
    #expect(episodes.map { $0["played"] as? Bool } == [false, true])
    #expect(episodes.map { $0["favorite"] as? Bool } == [true, false])
    #expect(try scene.podflux("mark", "Episode 1").status == 64)
    let exported = scene.outside + "/out.opml"
    try scene.results("export", "-o", exported)
    #expect(try String(contentsOfFile: exported, encoding: .utf8).contains("xmlUrl=\"\(show.url)\""))
    #expect(try scene.results("export", "--json")[0].contains(#"xmlUrl=\"\#(show.url)\""#))
    let rss = "<rss version=\"2.0\"><channel><title>T</title></channel></rss>"
    let feed = try scene.podflux("import", "-", input: [rss])
    #expect(feed.errors.contains("subscribe to its address with podflux add"), "\(feed)")
    #expect(try scene.podflux("rm", "mine").errors == "1 feed removed\n")
    #expect(try scene.results("ls", "feeds", "--json").isEmpty)
  }

  @Test("sync waits for each of many feeds, while most of them wait for their turn", arguments: ["--quiet", "--due"])
  func manyFeeds(option: String) throws {
    let scene = try Scene()
    let shows = (0..<50).map { FeedOnOrigin(scene, path: "/\($0).xml") }
    for show in shows { show.publish(1...2) }
    let outlines = shows.map { "<outline type=\"rss\" xmlUrl=\"\($0.url)\"/>" }
    let list = "<opml version=\"2.0\"><body>\(outlines.joined())</body></opml>"
    #expect(try scene.podflux("import", "-", input: [list]).status == 0)
    #expect(try scene.podflux("sync", "--refresh-only", option).status == 0)
    let feeds = try scene.results("ls", "feeds", "--json").map(PodfluxProcess.parse)
    #expect(feeds.map { $0["episodes"] as? Int } == Array(repeating: 2, count: shows.count))
  }

  @Test("A list that ends early is imported as far as it goes, and fails")
  func cutList() throws {
    let scene = try Scene()
    let outlines = (0..<9).map { "<outline xmlUrl=\"http://127.0.0.1:9/\($0)\"/>" }
    let whole = "<opml version=\"2.0\"><body>\(outlines.joined())</body></opml>"
    let cut = try scene.podflux("import", "-", input: [String(whole.prefix(whole.count / 2))])
    #expect(cut.status == 1 && cut.errors.contains("the document ends early"), "\(cut)")
    let again = try scene.podflux("import", "-", input: [whole])
    #expect(again.status == 0 && !again.errors.contains("ends early"), "\(again)")
  }

  @Test("A list from another program is imported whole, however long it is, and in its own encoding")
  func pipedList() throws {
    let scene = try Scene()
    let padding = String(repeating: "x", count: 200)
    let outlines = (0..<4000).map { number in
      let url = "http://127.0.0.1:9/\(number)?token=\(padding)"
      let outline = "<outline type=\"rss\" text=\"Show \(number)\" xmlUrl=\"\(url)\"/>"
      return number.isMultiple(of: 2) ? outline : "<outline text=\"Group &amp; more\">\(outline)</outline>"
    }
    let list = "<opml version=\"2.0\"><body>\(outlines.joined())<outline xmlUrl=\"ftp://e.org/x\"/></body></opml>"
    let added = try scene.podflux("import", "-", input: [list])
    #expect(added.status == 1 && added.errors.contains("4000 added, 0 known before, 1 rejected"), "\(added)")
    let again = try scene.podflux("import", "-", "--json", input: [list])
    #expect(try PodfluxProcess.parse(again.output)["known"] as? Int == 4000, "\(again)")
    let feeds = try scene.results("ls", "feeds", "--json").map(PodfluxProcess.parse)
    #expect(feeds.count == 4000 && feeds.count { $0["group"] as? String == "Group & more" } == 2000)
    #expect(try scene.results("export", "--with-secrets").joined().contains("3999?token=\(padding)"))
  }

  @Test("A private feed behind a redirect keeps its token")
  func privateRedirect() throws {
    let scene = try Scene()
    let show = FeedOnOrigin(scene, path: "/new.xml?token=SECRET")
    show.publish(1...1)
    scene.origin.serve("/old.xml?token=SECRET", .redirect(301, to: show.url))
    let added = try scene.podflux("add", scene.origin.url("/old.xml?token=SECRET"))
    #expect(added.status == 0, "\(added)")
    #expect(try scene.podflux("sync").status == 0)
    #expect(scene.publishedFiles().count == 1)
    let removed = try scene.podflux("rm", scene.origin.url("/new.xml?token=OTHER"))
    #expect(removed.status == 64 && scene.publishedFiles().count == 1, "\(removed)")
  }

  @Test("An ambiguous selector lists candidates, changes nothing and ends with 64")
  func ambiguous() throws {
    let scene = try Scene()
    for name in ["a", "b"] {
      scene.serve("/\(name).mp3", length: 40_000)
      try scene.results("get", scene.origin.url("/\(name).mp3"), "--title", "Clause \(name)")
    }
    for command in ["why", "rm", "verify", "pause"] {
      let result = try scene.podflux(command, "clause")
      #expect(result.status == 64 && result.output.isEmpty)
      #expect(result.errors.hasPrefix("podflux: \"clause\" is in several titles, and nothing was done;"), "\(result)")
      #expect(result.errors.contains("  download  d-"))
      #expect(result.errors.contains("  Clause a  \(scene.origin.url("/a.mp3"))\n"), "\(result)")
    }
    #expect(scene.publishedFiles().count == 2)
  }

  @Test("A URL that several downloads show removes none of them")
  func ambiguousURL() throws {
    let scene = try Scene()
    for key in ["one", "two"] {
      scene.serve("/dl?key=\(key)", length: 40_000, seed: key == "one" ? 1 : 2)
      try scene.results("get", scene.origin.url("/dl?key=\(key)"), "--title", key)
    }
    let removed = try scene.podflux("rm", scene.origin.url("/dl?key=one"))
    #expect(removed.status == 64 && removed.errors.contains("is the URL of several"), "\(removed)")
    #expect(scene.publishedFiles().count == 2)
  }
}
