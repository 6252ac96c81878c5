import Foundation
import ScriptedOrigin
import Testing
import TestScheduling
import TestSupport

@Suite("Commands for private feeds", .systemTest)
struct SessionCommandTests {
  private func scene(_ scheme: PasswordGuard.Scheme = .basic) throws -> Scene {
    let scene = try Scene()
    let guardian = PasswordGuard(scheme, realm: "Night Trains", user: "me", password: "s3cret pw")
    let file = Resource(.audio(length: 20_000, seed: 1), entityTag: .strong("a"))
    let document = """
      <?xml version="1.0"?><rss version="2.0"><channel><title>Members</title><item><guid>1</guid><title>One</title>
      <enclosure url="\(scene.origin.url("/one.mp3"))" type="audio/mpeg" length="20000"/></item></channel></rss>
      """
    scene.origin.serveOtherPaths { request in
      guardian.guarding(
        request.path == "/feed"
          ? .resource(Resource(.text(document), mediaType: "application/rss+xml")) : .resource(file), from: request)
    }
    return scene
  }

  @Test("add logs in with a password from stdin, and sync downloads", arguments: PasswordGuard.Scheme.allCases)
  func add(scheme: PasswordGuard.Scheme) throws {
    let scene = try scene(scheme)
    let added = try scene.podflux(
      "add", scene.origin.url("/feed"), "--user", "me", "--password-stdin", "--login", scheme.rawValue,
      input: ["s3cret pw"])
    #expect(added.status == 0 && added.output.hasPrefix("Members: 1 episode"), "\(added)")
    #expect(try scene.podflux("sync").status == 0)
    #expect(scene.publishedFiles().count == 1)
    let sessions = try scene.results("sessions")
    #expect(sessions.count == 2 && sessions[1].contains("127.0.0.1:\(scene.origin.port)"), "\(sessions)")
  }

  @Test("A login in the address becomes a session, which is for the episodes too, and stands in no row")
  func loginInAddress() throws {
    let scene = try scene()
    let url = scene.origin.url("/feed").replacing("http://", with: "http://me:s3cret%20pw@")
    let added = try scene.podflux("add", url, "--all")
    #expect(added.status == 0 && added.output.hasPrefix("Members: 1 episode"), "\(added)")
    #expect(try scene.podflux("sync").status == 0)
    #expect(scene.publishedFiles().count == 1)
    #expect(try scene.results("sessions").count == 2)
    let rows = try #require(FileManager.default.contents(atPath: scene.library + "/.podflux/podflux.sqlite"))
    #expect(rows.range(of: Data("s3cret".utf8)) == nil)
  }

  @Test("A list with a login in an address makes a session as add does, and knows the feed again")
  func importedLogin() throws {
    let scene = try scene()
    let url = scene.origin.url("/feed").replacing("http://", with: "http://me:s3cret%20pw@")
    let outline = "<outline text=\"Friends\"><outline type=\"rss\" text=\"Mine\" xmlUrl=\"\(url)\"/></outline>"
    let list = "<opml version=\"2.0\"><body>\(outline)</body></opml>"
    #expect(try scene.podflux("import", "-", "--dry-run", input: [list]).output.hasPrefix("Mine  "))
    #expect(try scene.podflux("import", "-", input: [list]).errors.hasPrefix("1 added, 0 known before"))
    #expect(try scene.podflux("import", "-", input: [list]).errors == "0 added, 1 known before\n")
    #expect(try scene.podflux("import", "-", "--dry-run", input: [list]).output.isEmpty)
    #expect(try scene.podflux("add", url).errors.contains("was subscribed to before"))
    // What a list says of a login that is there is old.
    let former = list.replacing("s3cret%20pw", with: "former")
    #expect(try scene.podflux("import", "-", input: [former]).errors == "0 added, 1 known before\n")
    #expect(try scene.results("ls", "feeds", "--json").map { $0.contains(#""group":"Friends""#) } == [true])
    #expect(try scene.podflux("rules", "Mine", "--all").status == 0)
    #expect(try scene.podflux("sync").status == 0)
    #expect(scene.publishedFiles().count == 1)
    let rows = try #require(FileManager.default.contents(atPath: scene.library + "/.podflux/podflux.sqlite"))
    #expect(rows.range(of: Data("s3cret".utf8)) == nil)
    // Two logins of one address are two subscriptions, which keep them there.
    let other = outline.replacing("/feed", with: "/other").replacing("s3cret%20pw", with: "word")
    let two = list.replacing(outline, with: other + other.replacing("me:", with: "you:"))
    #expect(try scene.podflux("import", "-", input: [two]).errors.hasPrefix("2 added, 0 known before"))
    #expect(try scene.podflux("import", "-", input: [two]).errors == "0 added, 2 known before\n")
  }

  @Test("add takes the parameter's secret from stdin, and refuses a login without its name")
  func parameter() throws {
    let scene = try Scene()
    let document = """
      <?xml version="1.0"?><rss version="2.0"><channel><title>Members</title><item><guid>1</guid><title>One</title>
      <enclosure url="\(scene.origin.url("/one.mp3"))" type="audio/mpeg" length="20000"/></item></channel></rss>
      """
    let file = Resource(.audio(length: 20_000, seed: 1), entityTag: .strong("a"))
    scene.origin.serveOtherPaths { request in
      guard request.target.hasSuffix("?auth=s3cret%20pw") else { return .status(401) }
      return request.path == "/feed"
        ? .resource(Resource(.text(document), mediaType: "application/rss+xml")) : .resource(file)
    }
    let added = try scene.podflux(
      "add", scene.origin.url("/feed"), "--login", "parameter", "--parameter", "auth", "--password-stdin",
      input: ["s3cret pw"])
    #expect(added.status == 0 && added.output.hasPrefix("Members: 1 episode"), "\(added)")
    #expect(try scene.podflux("sync").status == 0)
    #expect(scene.publishedFiles().count == 1)
    for arguments in [["--login", "parameter"], ["--parameter", "auth"]] {
      let wrong = try PodfluxCommand.run(
        ["add", scene.origin.url("/feed"), "--password-stdin"] + arguments, input: ["x"],
        environment: scene.environment)
      #expect(wrong.status == 64 && wrong.errors.contains("parameter"), "\(wrong)")
    }
  }

  @Test("With --login parameter the token of the URL is the login; no message repeats it")
  func tokenOfURL() throws {
    let scene = try Scene()
    let file = Resource(.audio(length: 20_000, seed: 1), entityTag: .strong("a"))
    scene.origin.serveOtherPaths { $0.target.hasSuffix("?auth=s3cret") ? .resource(file) : .status(401) }
    #expect(try scene.podflux("get", scene.origin.url("/one.mp3")).status == 77)
    let got = try scene.podflux("get", scene.origin.url("/one.mp3") + "?auth=s3cret", "--login", "parameter")
    #expect(got.status == 0 && scene.publishedFiles() == ["one.mp3"], "\(got)")
    #expect(try scene.results("ls", "downloads", "--json").count == 1, "what has failed is put right")
    let unknown = try scene.podflux("why", scene.origin.url("/two.mp3") + "?auth=s3cret")
    #expect(unknown.status == 1 && !unknown.errors.contains("s3cret"), "\(unknown)")
  }

  @Test("A feed that is subscribed to with its token in the address is the same with --login parameter")
  func tokenOfFeed() throws {
    let scene = try Scene()
    let document = """
      <?xml version="1.0"?><rss version="2.0"><channel><title>Members</title>
      <description>See https://example.org/?auth=s3cret-of-mine and s3cret-of-mine</description>
      <item><guid>tag:s3cret-of-mine</guid><title>One</title>
      <enclosure url="\(scene.origin.url("/one.mp3?auth=s3cret-of-mine"))" type="audio/mpeg" length="9"/></item></channel></rss>
      """
    scene.origin.serveOtherPaths { request in
      guard request.target.hasSuffix("?auth=s3cret-of-mine") else { return .status(401) }
      return .resource(Resource(.text(document), mediaType: "application/rss+xml"))
    }
    let url = scene.origin.url("/feed") + "?auth=s3cret-of-mine"
    try scene.results("add", url, "--none")
    let added = try scene.podflux("add", url, "--login", "parameter")
    #expect(added.status == 0 && added.errors.contains("it has this login now"), "\(added)")
    #expect(try scene.podflux("sync").status == 0)
    #expect(try scene.results("ls", "feeds", "--json").count == 1)
    let fresh = try Scene()
    let new = try fresh.podflux("add", url, "--login", "parameter", "--none")
    #expect(new.status == 0 && new.output.contains("1 episode"), "\(new)")
    let shown = try fresh.podflux("snapshot").output
    #expect(!shown.contains("s3cret-of-mine") && shown.contains("Members"), "\(shown)")
  }

  @Test("get with a login for a URL that has failed gives its download the login")
  func getAgain() throws {
    let scene = try scene()
    #expect(try scene.podflux("get", scene.origin.url("/one.mp3")).status == 77)
    let got = try scene.podflux(
      "get", scene.origin.url("/one.mp3"), "--user", "me", "--password-stdin", input: ["s3cret pw"])
    #expect(got.status == 0 && scene.publishedFiles().count == 1, "\(got)")
    #expect(try scene.results("ls", "downloads", "--json").count == 1, "what has failed is put right")
    #expect(try scene.podflux("rm", "--all", "-y").status == 0)
    #expect(try scene.results("sessions", "list", "--json").isEmpty, "the login has gone with its download")
  }

  @Test("A wrong password ends with 77, and says what the server calls itself")
  func wrongPassword() throws {
    let scene = try scene()
    let added = try scene.podflux(
      "add", scene.origin.url("/feed"), "--user", "me", "--password-stdin", input: ["no"])
    #expect(added.status == 77 && added.errors.contains("\"Night Trains\""), "\(added)")
    let repaired = try scene.podflux(
      "rules", scene.origin.url("/feed"), "--user", "me", "--password-stdin", input: ["s3cret pw"])
    #expect(repaired.status == 0, "\(repaired)")
    #expect(try scene.podflux("sync").status == 0)
    #expect(scene.publishedFiles().count == 1)
    let got = try scene.podflux("get", scene.origin.url("/two.mp3"))
    #expect(got.status == 77 && got.errors.contains("\"Night Trains\""), "\(got)")
  }

  @Test("sessions opens, lists and closes; get waits for one, and netrc has the password")
  func sessions() throws {
    let scene = try scene()
    let host = "127.0.0.1:\(scene.origin.port)"
    try Data("machine 127.0.0.1 login me password \"s3cret pw\"\n".utf8)
      .write(to: URL(fileURLWithPath: scene.outside + "/.netrc"))
    let opened = try scene.podflux("sessions", "open", "members", "--host", host, "--netrc")
    #expect(opened.status == 0, "\(opened)")
    let got = try scene.podflux("get", scene.origin.url("/one.mp3"), "--session", "members")
    #expect(got.status == 0 && scene.publishedFiles().count == 1, "\(got)")
    #expect(try scene.results("sessions", "list", "--json").first?.contains("\"id\":\"members\"") == true)
    #expect(try scene.podflux("sessions", "close", "members").status == 0)
    #expect(try scene.podflux("sessions", "open", "members").errors.contains("members: open"))
    #expect(try scene.podflux("sessions", "open", "others").status == 64)
    #expect(try scene.podflux("sessions", "close", "members", "--forget").status == 0)
    #expect(try scene.results("sessions")[1].contains("closed"))
    #expect(try scene.podflux("sessions", "close", "other").status == 1)
    let anew = try scene.podflux("sessions", "open", "members", "--password-stdin", input: ["s3cret pw"])
    #expect(anew.status == 0 && anew.errors.contains("members: open"), "\(anew)")
    #expect(try scene.podflux("sessions", "open", "others", "--password-stdin", input: ["x"]).status == 64)
    let missing = try scene.podflux("sessions", "open", "members", "--host", host, "--user", "me")
    #expect(missing.status == 64 && missing.errors.contains("--password-stdin"), "\(missing)")
  }
}
