import Foundation
import ScriptedOrigin
import Testing
import TestScheduling
import TestSupport

/// Secrets from every place that they can come from, and whatever the engine and its commands write.
@Suite("Secrets", .systemTest)
struct SecretsTests {
  /// Each secret has this in it.
  private static let mark = "s3cr3t"
  /// `PODFLUX_SECRET_RUNS=200` makes the search a long one.
  private static let runs = ProcessInfo.processInfo.environment["PODFLUX_SECRET_RUNS"].flatMap(Int.init) ?? 3

  @Test("are in no line, log, journal, snapshot, error, resume data or list, whatever becomes of the requests")
  func search() throws {
    for run in 0..<Self.runs { try search(run) }
  }

  private func search(_ run: Int) throws {
    let scene = try Scene()
    let tokens = TokenServer(
      refreshToken: Self.mark + "-refresh", requestsPerToken: 2, rotates: run.isMultiple(of: 2), seconds: 600,
      secret: Self.mark)
    serve(scene, tokens, run)
    let journal = scene.outside + "/journal"
    let arguments = [
      "--journal", journal, "--log-level", "trace", "--netrc", scene.outside + "/netrc",
      "--network", "wifi",
    ]
    try Data("machine 127.0.0.1 login me password \(Self.mark)-netrc\n".utf8)
      .write(to: URL(fileURLWithPath: scene.outside + "/netrc"))
    try Data((Self.mark + "-file\n").utf8).write(to: URL(fileURLWithPath: scene.outside + "/password"))
    var engine = try scene.startEager(arguments, settings: ["maxAttempts": 2])
    var lines = try order(scene, engine, run)
    try engine.waitForDownloads { counts, items in
      items.count >= 16 && items.allSatisfy { ["completed", "failed", "paused"].contains($0["state"] as? String) }
    }
    lines += try texts(of: engine)
    _ = try engine.kill()
    let written = engine.lines
    engine = try scene.startEager(arguments)
    lines += try texts(of: engine)
    engine.closeInput()
    _ = try engine.waitForEnd()
    let commands = [
      ["ls", "feeds", "--json"], ["ls", "downloads", "--json"], ["ls", "episodes", "--json"], ["sessions", "--json"],
      ["why", "d0"], ["export"], ["snapshot"], ["replay", "--journal", journal], ["status"],
    ]
    for command in commands {
      let result = try PodfluxCommand.run(command, environment: scene.environment)
      lines += [result.output, result.errors]
    }
    let files = try FileManager.default.contentsOfDirectory(atPath: scene.outside).filter { $0.hasPrefix("journal") }
    #expect(!files.isEmpty)
    for file in files { lines.append(try String(contentsOfFile: scene.outside + "/" + file, encoding: .utf8)) }
    lines += written + engine.lines + [scene.log] + scene.publishedFiles()
    for line in lines {
      #expect(!line.contains(Self.mark), "run \(run): \(Self.around(Self.mark, in: line))")
      for data in Self.encoded(in: line) {
        #expect(!data.contains(Self.mark), "run \(run), in base64: \(Self.around(Self.mark, in: data))")
      }
    }
    // What is known to be a secret is in no row either.
    for (path, bytes) in scene.ownFiles where path != "secrets" {
      #expect(!bytes.contains(Data("\(Self.mark)-parameter".utf8)), "run \(run): \(path)")
    }
    // There was something to find.
    #expect(lines.contains { $0.contains("downloads/enqueue") } && scene.vault.contains(Self.mark))
    #expect(scene.origin.requests.contains { "\($0.headers)".contains(Self.mark) })
  }

  // MARK: What is asked

  private func serve(_ scene: Scene, _ tokens: TokenServer, _ run: Int) {
    let file = Resource(.audio(length: 20_000, seed: 1), entityTag: .strong("a"))
    let document = """
      <?xml version="1.0"?><rss version="2.0"><channel><title>Members</title>
      <link>https://example.org/?token=\(Self.mark)-link</link>
      <image><url>\(scene.origin.url("/cover.jpg"))?auth=\(Self.mark)-image</url></image>
      <item><guid>\(scene.origin.url("/e.mp3"))?token=\(Self.mark)-guid</guid><title>One</title>
      <enclosure url="\(scene.origin.url("/e.mp3"))?token=\(Self.mark)-enclosure&amp;n=1" type="audio/mpeg" length="20000"/>
      </item></channel></rss>
      """
    // What a subscriber's own feed repeats.
    let own = document.replacing(
      "</channel>",
      with: """
        <item><guid>\(scene.origin.url("/parameter-2"))?k9=\(Self.mark)-parameter</guid><title>Two</title>
        <enclosure url="\(scene.origin.url("/parameter-2.mp3"))?k9=\(Self.mark)-parameter" type="audio/mpeg" length="20000"/>
        </item></channel>
        """)
    scene.origin.serveForm("/token") { tokens.answer($0) }
    scene.origin.serveOtherPaths { request in
      let text = request.path.hasPrefix("/feed") ? document : request.path == "/parameter-feed" ? own : nil
      let file =
        text.map { Behaviour.resource(Resource(.text($0), mediaType: "application/rss+xml")) } ?? .resource(file)
      switch request.path {
      case let path where path.hasPrefix("/session"): return tokens.guarding(file, from: request)
      case let path where path.hasPrefix("/redirect"):
        return .redirect(302, to: "/cdn.mp3?signature=\(Self.mark)-signature&n=\(run)")
      case let path where path.hasPrefix("/parameter"):
        guard request.target.contains("k9=\(Self.mark)-parameter") else { return .status(403) }
        return path.hasPrefix("/parameter-redirect")
          ? .redirect(301, to: request.target.replacing("/parameter-redirect", with: "/elsewhere")) : file
      case let path where path.hasPrefix("/cut"): return file.cutting(afterBytes: 10_000)
      case let path where path.hasPrefix("/moved"):
        return .redirect(301, to: "http://u:\(Self.mark)-moved@127.0.0.1:1/x?token=\(Self.mark)-moved")
      case let path where path.hasPrefix("/refused"):
        return .status(401, headers: ["WWW-Authenticate": "Basic realm=\"here\""])
      case let path where path.hasPrefix("/missing"): return .status(404)
      default: return file
      }
    }
  }

  /// Orders downloads and feeds with secrets. Returns what was answered.
  private func order(_ scene: Scene, _ engine: PodfluxProcess, _ run: Int) throws -> [String] {
    let host = "127.0.0.1:\(scene.origin.port)"
    try engine.order("observe", ["actions": true, "stores": ["downloads", "feeds", "episodes", "sessions"]])
    try engine.order(
      "sessions/open",
      [
        "id": "tokens", "hosts": [host], "kind": "refreshing", "secret": Self.mark + "-refresh",
        "tokenURL": scene.origin.url("/token"),
      ])
    try engine.order(
      "sessions/open",
      ["id": "file", "hosts": [host], "kind": "digest", "user": "me", "secretFile": scene.outside + "/password"])
    try engine.order("sessions/open", ["id": "netrc", "hosts": [host], "kind": "basic", "netrc": true])
    let token = "?auth=\(Self.mark)-query&n=\(run)"
    let user = "http://me:\(Self.mark)-user@\(host)"
    let downloads: [[String: Any]] = [
      ["url": "\(user)/0.mp3\(token)"], ["url": "\(user)/missing.mp3\(token)"],
      ["url": scene.origin.url("/2.mp3\(token)"), "headers": ["Authorization": "Bearer \(Self.mark)-header"]],
      ["url": scene.origin.url("/cut.mp3\(token)"), "mirrors": ["\(user)/missing-mirror.mp3\(token)"]],
      ["url": scene.origin.url("/redirect.mp3")], ["url": scene.origin.url("/moved.mp3")],
      ["url": scene.origin.url("/session1.mp3\(token)"), "session": "tokens"],
      ["url": scene.origin.url("/session2.mp3"), "session": "tokens"],
      ["url": scene.origin.url("/session3.mp3"), "session": "tokens"],
      ["url": scene.origin.url("/refused.mp3"), "session": "file"],
      ["url": scene.origin.url("/netrc.mp3"), "session": "netrc"],
      [
        "url": scene.origin.url("/refused2.mp3"),
        "auth": ["kind": "basic", "user": "me", "secret": Self.mark + "-auth"],
      ],
      // No name of a parameter tells that this is a secret; the login does.
      [
        "url": scene.origin.url("/parameter.mp3?k9=\(Self.mark)-parameter&n=\(run)"),
        "auth": ["kind": "parameter", "parameter": "k9"],
      ],
      [
        "url": scene.origin.url("/parameter-redirect.mp3"),
        "auth": ["kind": "parameter", "parameter": "k9", "secret": Self.mark + "-parameter"],
      ],
      ["url": scene.origin.url("/refused3.mp3\(token)"), "auth": ["kind": "parameter"]],
    ]
    for (number, download) in downloads.enumerated() {
      try engine.order("downloads/enqueue", download.merging(["id": "d\(number)"]) { $1 })
    }
    let feeds: [[String: Any]] = [
      ["url": "\(user)/feed1\(token)", "rules": ["autoDownload": ["newest": 1]]],
      ["url": scene.origin.url("/feed2\(token)"), "headers": ["Cookie": Self.mark + "-cookie"]],
      ["url": scene.origin.url("/missing-feed\(token)")],
      ["url": scene.origin.url("/session-feed"), "session": "tokens"],
      [
        "url": scene.origin.url("/refused-feed"),
        "auth": ["kind": "bearer", "secret": Self.mark + "-bearer"],
      ],
      [
        "url": scene.origin.url("/parameter-feed?k9=\(Self.mark)-parameter"),
        "auth": ["kind": "parameter", "parameter": "k9"], "rules": ["autoDownload": ["newest": 2]],
      ],
    ]
    var answers: [String] = []
    for (number, feed) in feeds.enumerated() {
      try engine.order("feeds/subscribe", feed.merging(["id": "f\(number)"]) { $1 })
    }
    for number in feeds.indices {
      _ = try engine.waitForFeed("f\(number)") { $0["lastRefreshed"] is String || $0["error"] is [String: Any] }
    }
    // What is refused repeats nothing.
    for payload in [
      ["url": "ftp://me:\(Self.mark)@x/"], ["url": "http://\(host)/", "auth": ["kind": "basic", "secret": Self.mark]],
      ["url": "http://\(host)/", "auth": Self.mark], ["url": "http://\(host)/", "session": "none"],
    ] as [[String: Any]] {
      answers.append("\(try engine.ask("downloads/enqueue", payload))")
    }
    return answers
  }

  /// What an engine shows.
  private func texts(of engine: PodfluxProcess) throws -> [String] {
    var texts = ["\(try engine.order("snapshot"))", "\(try engine.order("feeds/export"))"]
    for item in try engine.items() { texts.append("\(try engine.ask("downloads/resumeData", ["id": item.id]))") }
    return texts
  }

  // MARK: The search

  private static func around(_ text: String, in line: String) -> Substring {
    guard let range = line.firstRange(of: text) else { return "" }
    let start = line.index(range.lowerBound, offsetBy: -200, limitedBy: line.startIndex) ?? line.startIndex
    return line[start...].prefix(300)
  }

  /// What long pieces of base64 decode to.
  private static func encoded(in line: String) -> [String] {
    line.split { !($0.isASCII && ($0.isLetter || $0.isNumber || "+/=".contains($0))) }.filter { $0.utf8.count >= 40 }
      .compactMap { Data(base64Encoded: String($0)).map { String(decoding: $0, as: UTF8.self) } }
  }
}
