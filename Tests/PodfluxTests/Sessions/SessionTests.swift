import Foundation
import ScriptedOrigin
import Testing
import TestScheduling
import TestSupport

@Suite("Sessions", .systemTest)
struct SessionTests {
  private static let secret = "s3cret"

  @Test(
    """
    500 downloads and 100 feeds of one session whose token expires every 50 requests: one refresh an expiry, all complete, \
    none fails, none is fetched twice
    """)
  func many() throws {
    let scene = try Scene()
    let tokens = TokenServer(refreshToken: Self.secret, requestsPerToken: 50, rotates: true, secret: Self.secret)
    scene.origin.serveForm("/token") { tokens.answer($0) }
    let file = Resource(.audio(length: 20_000, seed: 1), entityTag: .strong("a"))
    scene.origin.serveOtherPaths { request in
      tokens.guarding(request.path.hasPrefix("/feed") ? Self.feed(request.path) : .resource(file), from: request)
    }
    let engine = try scene.startEager()
    try engine.order("sessions/open", Self.refreshing(scene))
    for number in 0..<100 {
      try engine.order(
        "feeds/subscribe", ["url": scene.origin.url("/feed\(number)"), "id": "f\(number)", "session": "members"])
    }
    for number in 0..<500 {
      try engine.order(
        "downloads/enqueue",
        ["url": scene.origin.url("/\(number).mp3"), "id": "d\(number)", "session": "members"])
    }
    let items = try engine.waitForDownloads(upTo: 120) { counts, _ in counts["completed"] == 500 }.map(Item.init)
    try waitUntil("the feeds", upTo: 60) {
      let feeds =
        try engine.order("snapshot", ["stores": ["feeds"], "feeds": ["limit": 1000]])["feeds"] as? [String: Any]
      let all = feeds?["items"] as? [[String: Any]] ?? []
      return all.count == 100 && all.allSatisfy { $0["lastRefreshed"] is String && $0["error"] is NSNull }
    }
    let counts = tokens.counts
    #expect(counts.accepted == 600 && counts.issued == 12 && counts.expired == 11, "\(counts)")
    #expect(counts.refreshes == counts.expired + 1, "one to open the session, and one an expiry")
    let answers = scene.origin.requests.filter { $0.status == 200 && $0.path != "/token" }
    #expect(answers.count == 600 && Set(answers.map(\.path)).count == 600)
    #expect(
      items.allSatisfy { $0.discarded == 0 && $0.attempt == 1 }, "\(items.first { $0.attempt != 1 }?.json ?? [:])")
    let session = try engine.session("members")
    #expect(session["state"] as? String == "extended" && session["error"] is NSNull)
    #expect(!scene.log.contains(Self.secret))
    print("sessions: \(counts), requests in vain: \(scene.origin.requests.filter { $0.status == 401 }.count)")
  }

  @Test("What requests give that are refused, or find what they ask for, does not stay in the vault")
  func untaken() throws {
    let scene = try Scene()
    let engine = try scene.startEager()
    func auth(_ secret: String) -> [String: Any] { ["kind": "basic", "user": "me", "secret": secret] }
    let url = scene.origin.url("/a.mp3")
    for secret in ["taken-1", "untaken-2"] {
      try engine.order("downloads/enqueue", ["url": url, "id": "a", "paused": true, "auth": auth(secret)])
    }
    #expect(try engine.refusal("downloads/update", ["id": "none", "auth": auth("untaken-3")]).code == "not_found")
    try waitUntil("an end of what nothing refers to", upTo: 20) { !scene.vault.contains("untaken") }
    #expect(scene.vault.contains("taken-1"))
  }

  @Test(
    "A download logs in by name and password, or by a token; a wrong one names the realm, and a right one repairs it",
    arguments: ["basic", "digest", "bearer"])
  func kinds(kind: String) throws {
    let scene = try Scene()
    let file = Resource(.audio(length: 300_000, seed: 2), entityTag: .strong("a"))
    let guardian = PasswordGuard(
      kind == "digest" ? .digest : .basic, realm: "Night Trains", user: "me", password: "right")
    scene.origin.serveOtherPaths { request in
      guard kind == "bearer" else { return guardian.guarding(.resource(file), from: request) }
      return request.headers["Authorization"] == "Bearer right"
        ? .resource(file) : .status(401, headers: ["WWW-Authenticate": "Bearer realm=\"Night Trains\""])
    }
    let engine = try scene.startEager()
    func login(_ secret: String) -> [String: Any] {
      ["kind": kind, "secret": secret].merging(kind == "bearer" ? [:] : ["user": "me"]) { $1 }
    }
    try engine.order("downloads/enqueue", ["url": scene.origin.url("/a.mp3"), "id": "a", "auth": login("right")])
    #expect(scene.hash(of: try engine.wait(for: "a", toBe: "completed").path) == file.body.hash)

    var members: [String: Any] = login("wrong")
    members["hosts"] = ["127.0.0.1:\(scene.origin.port)"]
    members["id"] = "members"
    try engine.order("sessions/open", members)
    try engine.order("downloads/enqueue", ["url": scene.origin.url("/b.mp3"), "id": "b", "session": "members"])
    let failed = try engine.wait(for: "b", toBe: "failed")
    #expect(failed.errorCode == "unauthorized")
    #expect((failed.json["error"] as? [String: Any])?["message"].map { "\($0)".contains("\"Night Trains\"") } == true)
    #expect(try engine.session("members")["state"] as? String == "loginFailed")

    members["secret"] = "right"
    try engine.order("sessions/open", members)
    try engine.order("downloads/retry", ["id": "b"])
    #expect(scene.hash(of: try engine.wait(for: "b", toBe: "completed").path) == file.body.hash)
    #expect(try engine.session("members")["state"] as? String == "open")
  }

  @Test("What has a closed session waits, and goes on once it is opened; a restart needs no secret anew")
  func closing() throws {
    let scene = try Scene()
    let tokens = TokenServer(refreshToken: Self.secret, seconds: 3600, secret: Self.secret)
    scene.origin.serveForm("/token") { tokens.answer($0) }
    let file = Resource(.audio(length: 20_000, seed: 1), entityTag: .strong("a"))
    scene.origin.serveOtherPaths { tokens.guarding(.resource(file), from: $0) }
    var engine = try scene.startEager()
    try engine.order("sessions/open", Self.refreshing(scene))
    try engine.order("downloads/enqueue", ["url": scene.origin.url("/a.mp3"), "id": "a", "session": "members"])
    try engine.wait(for: "a", toBe: "completed")
    try engine.order("sessions/close", ["id": "members"])
    try engine.order("downloads/enqueue", ["url": scene.origin.url("/b.mp3"), "id": "b", "session": "members"])
    #expect(try engine.wait(for: "b") { $0.state == "waiting" }.reason == "auth")
    engine.closeInput()
    _ = try engine.kill()

    engine = try scene.startEager()
    #expect(try engine.session("members")["state"] as? String == "closed")
    var again = Self.refreshing(scene)
    again["secret"] = nil
    try engine.order("sessions/open", again)
    try engine.wait(for: "b", toBe: "completed")
    #expect(tokens.counts.refreshes == 1, "the token of the former engine is good still")
    _ = try engine.kill()

    // An open session is opened anew by the next engine, from the vault.
    engine = try scene.startEager()
    try engine.order("downloads/enqueue", ["url": scene.origin.url("/c.mp3"), "id": "c", "session": "members"])
    try engine.wait(for: "c", toBe: "completed")
    #expect(tokens.counts.refreshes == 1)
    try engine.order("sessions/close", ["id": "members", "forget": true])
    try waitUntil("the vault to forget") { !scene.vault.contains(Self.secret) }
  }

  @Test("A feed's episodes and covers inherit its session, and a redirect to a CDN takes nothing along")
  func feeds() throws {
    let scene = try Scene()
    let content = try ScriptedOrigin.start()
    defer { try? content.stop() }
    let file = Resource(.audio(length: 50_000, seed: 3), entityTag: .strong("a"))
    content.serveOtherPaths { _ in .resource(file) }
    let guardian = PasswordGuard(.basic, user: "me", password: Self.secret)
    let document = """
      <?xml version="1.0"?><rss version="2.0"><channel><title>Members</title><item><guid>1</guid><title>One</title>
      <enclosure url="\(scene.origin.url("/one.mp3"))" type="audio/mpeg" length="50000"/></item></channel></rss>
      """
    scene.origin.serveOtherPaths { [base = content.baseURL] request in
      let answer: Behaviour =
        request.path == "/feed"
        ? .resource(Resource(.text(document), mediaType: "application/rss+xml"))
        : .redirect(302, to: base + "/cdn.mp3?Expires=1&Signature=abc")
      return guardian.guarding(answer, from: request)
    }
    let engine = try scene.startEager()
    try engine.order(
      "feeds/subscribe",
      [
        "url": scene.origin.url("/feed"), "id": "f", "rules": ["autoDownload": ["newest": 1]],
        "auth": ["kind": "basic", "user": "me", "secret": Self.secret],
      ])
    try engine.waitForDownloads { counts, _ in counts["completed"] == 1 }
    #expect(scene.publishedFiles().count == 1)
    #expect(scene.origin.requests.allSatisfy { $0.headers["Authorization"] != nil })
    #expect(content.requests.count == 1 && content.requests.allSatisfy { $0.headers["Authorization"] == nil })
  }

  @Test(
    "A secret in the address of a feed goes to the vault, is on the requests of the feed and its episodes, and in no row"
  )
  func parameters() throws {
    let scene = try Scene()
    let content = try ScriptedOrigin.start()
    defer { try? content.stop() }
    let file = Resource(.audio(length: 50_000, seed: 3), entityTag: .strong("a"))
    content.serveOtherPaths { _ in .resource(file) }
    let kept = "k9=\(Self.secret)"
    // Each answer has another title of the first episode.
    let document = """
      <?xml version="1.0"?><rss version="2.0"><channel><title>Members</title>
      <item><guid>\(scene.origin.url("/1"))?\(kept)</guid><title>One, TITLE</title>
      <enclosure url="\(scene.origin.url("/one.mp3"))?n=1&amp;\(kept)" type="audio/mpeg" length="50000"/></item>
      <item><guid>2</guid><title>Two</title>
      <enclosure url="\(scene.origin.url("/two.mp3"))" type="audio/mpeg" length="50000"/></item></channel></rss>
      """
    scene.origin.serveOtherPaths { [base = content.baseURL] request in
      guard request.target.contains(kept) else { return .status(403) }
      switch request.path {
      case "/feed": return .redirect(301, to: request.target.replacing("/feed", with: "/moved"))
      case "/moved":
        let text = document.replacing("TITLE", with: "\(request.sequence)")
        return .resource(Resource(.text(text), mediaType: "application/rss+xml"))
      default: return .redirect(302, to: base + request.target)
      }
    }
    var engine = try scene.startEager(["--journal", scene.outside + "/journal"])
    try engine.order(
      "feeds/subscribe",
      [
        "url": scene.origin.url("/feed?\(kept)"), "id": "f", "rules": ["autoDownload": ["newest": 2]],
        "auth": ["kind": "parameter", "parameter": "k9"],
      ])
    try engine.waitForDownloads { counts, _ in counts["completed"] == 2 }
    #expect(content.requests.count == 2 && content.requests.allSatisfy { !$0.target.contains(Self.secret) })
    // The feed says something else: its episodes stay, without the secret, and a file that is wanted again comes.
    _ = try engine.kill()
    engine = try scene.startEager(["--journal", scene.outside + "/journal"])
    let before = scene.origin.snapshot.requests(path: "/moved").count
    try engine.order("feeds/refresh", ["id": "f"])
    _ = try engine.waitForFeed("f") { _ in scene.origin.snapshot.requests(path: "/moved").count > before }
    let feed = try engine.waitForFeed("f") { $0["refreshing"] as? Bool == false }
    #expect(feed["url"] as? String == scene.origin.url("/moved") && feed["episodes"] as? Int == 2)
    for item in try engine.items() { try engine.order("downloads/remove", ["id": item.id]) }
    try engine.order(
      "downloads/enqueue", ["url": scene.origin.url("/three.mp3"), "id": "d", "session": try session(engine)])
    try engine.wait(for: "d", toBe: "completed")
    #expect(scene.vault.contains(Self.secret) && !scene.log.contains(Self.secret))
    engine.closeInput()
    _ = try engine.waitForEnd()
    for (path, bytes) in scene.ownFiles where path != "secrets" {
      #expect(!bytes.contains(Data(Self.secret.utf8)), "\(path)")
    }
    #expect(try !String(contentsOfFile: scene.outside + "/journal", encoding: .utf8).contains(Self.secret))
    let wrong: [String: Any] = ["kind": "parameter", "parameter": "k9", "secret": "wrong"]
    engine = try scene.startEager()
    try engine.order("downloads/enqueue", ["url": scene.origin.url("/four.mp3"), "id": "w", "auth": wrong])
    #expect(try engine.wait(for: "w", toBe: "failed").errorCode == "unauthorized")
  }

  /// The id of the only session.
  private func session(_ engine: PodfluxProcess) throws -> String {
    let sessions = try engine.order("snapshot", ["stores": ["sessions"]])["sessions"] as? [String: Any]
    return try #require((sessions?["items"] as? [[String: Any]])?.first?["id"] as? String)
  }

  @Test("Without a vault on the disk nothing is written, and a damaged or sealed one is one clear error")
  func vaults() throws {
    let scene = try Scene()
    scene.serve("/a.mp3", length: 20_000)
    let login: [String: Any] = [
      "id": "members", "hosts": ["127.0.0.1:\(scene.origin.port)"], "kind": "bearer", "secret": Self.secret,
    ]
    var engine = try scene.start(["--secrets", "memory"])
    try engine.order("sessions/open", login)
    engine.closeInput()
    _ = try engine.waitForEnd()
    #expect(scene.vault.isEmpty)

    let key = scene.outside + "/key"
    try Data("0123456789abcdef0123456789abcdef\n".utf8).write(to: URL(fileURLWithPath: key))
    engine = try scene.start(["--credentials-key", key])
    try engine.order("sessions/open", login)
    engine.closeInput()
    _ = try engine.waitForEnd()
    #expect(!scene.vault.isEmpty && !scene.vault.contains(Self.secret))

    let unsealed = try PodfluxCommand.run(["run", "--library", scene.library])
    #expect(unsealed.status == 65 && unsealed.errors.contains("--credentials-key"), "\(unsealed)")
    #expect(unsealed.errors.filter { $0 == "\n" }.count == 1)
    let missing = try PodfluxCommand.run(["run", "--library", scene.library, "--credentials-key", key + "x"])
    #expect(missing.status == 64 && missing.errors.filter { $0 == "\n" }.count == 1, "\(missing)")

    // What systemd hands over is found by itself.
    try FileManager.default.moveItem(atPath: key, toPath: scene.outside + "/podflux-key")
    engine = try scene.start(environment: ["CREDENTIALS_DIRECTORY": scene.outside])
    #expect(try engine.session("members")["id"] as? String == "members")
    engine.closeInput()
    _ = try engine.waitForEnd()

    // What is on the disk is not forgotten in silence.
    #expect(!scene.log.contains("are in a file still"))
    engine = try scene.start(["--secrets", "memory"])
    #expect(scene.log.contains("are in a file still") && scene.log.contains("/library/.podflux/secrets"))
  }

  @Test("A key from a pipe is read once, and opens the vault behind a suspension too")
  func keyFromPipe() throws {
    // It was read anew at each resume, from a pipe that has nothing any more: the engine stayed suspended.
    let scene = try Scene()
    let words = "exec \"$0\" \"$@\" --credentials-key <(printf 0123456789abcdef)"
    let engine = try scene.start(launcher: ["/bin/bash", "-c", words])
    try engine.order(
      "sessions/open", ["id": "members", "hosts": ["127.0.0.1"], "kind": "bearer", "secret": Self.secret])
    for _ in 0..<2 {
      try engine.order("engine/suspend")
      try engine.order("engine/resume")
    }
    #expect(try engine.session("members")["id"] as? String == "members")
    #expect(!scene.vault.isEmpty && !scene.vault.contains(Self.secret))
  }

  private static func refreshing(_ scene: Scene) -> [String: Any] {
    [
      "id": "members", "hosts": ["127.0.0.1:\(scene.origin.port)"], "kind": "refreshing", "secret": secret,
      "tokenURL": scene.origin.url("/token"),
    ]
  }

  private static func feed(_ path: String) -> Behaviour {
    let document = "<?xml version=\"1.0\"?><rss version=\"2.0\"><channel><title>\(path)</title></channel></rss>"
    return .resource(Resource(.text(document), mediaType: "application/rss+xml"))
  }
}

extension PodfluxProcess {
  /// A session in a snapshot.
  func session(_ id: String) throws -> [String: Any] {
    let sessions = try order("snapshot", ["stores": ["sessions"]])["sessions"] as? [String: Any]
    return (sessions?["items"] as? [[String: Any]] ?? []).first { $0["id"] as? String == id } ?? [:]
  }
}

extension Scene {
  /// What lies in the library's own folder, by name.
  var ownFiles: [(path: String, bytes: Data)] {
    let folder = library + "/.podflux"
    return (FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String } ?? []).compactMap { path in
      FileManager.default.contents(atPath: folder + "/" + path).map { (path, $0) }
    }
  }

  /// What the library's vault holds, as text; empty without one.
  var vault: String {
    FileManager.default.contents(atPath: library + "/.podflux/secrets").map { String(decoding: $0, as: UTF8.self) }
      ?? ""
  }
}
