import EngineRuntime
import Foundation
import PodfluxCore
import ScriptedOrigin
import Testing
import TestScheduling
import TestSupport

@testable import Transfers

@Suite("Requests of a session", .systemTest)
struct CurlSessionTests {
  private static let session = SessionID("members")

  /// What came of one request, and what the origins saw.
  private func fetch(
    _ url: String, _ credentials: SessionCredentials?, changing change: (inout HTTPRequest) -> Void = { _ in }
  ) async throws -> (recorder: Recorder, result: Result<ExchangeSummary, ExchangeFailure>) {
    let driver = try CurlDriver()
    defer { driver.shutDown() }
    var request = HTTPRequest(url)
    if let credentials {
      driver.credentials.adopt(credentials)
      request.session = SessionUse(session: credentials.session, token: credentials.token)
    }
    change(&request)
    let recorder = Recorder()
    _ = driver.start(request, delegate: recorder)
    return (recorder, try await recorder.outcome())
  }

  private func credentials(
    for origin: ScriptedOrigin, _ kind: Session.Kind, user: String? = "me", secret: String = "s3cret é:x",
    isNetrcFile: Bool = false
  ) throws -> SessionCredentials {
    SessionCredentials(
      session: try #require(Self.session), hosts: ["127.0.0.1:\(origin.port)"], kind: kind, user: user,
      parameterName: kind == .parameter ? "auth" : nil, secret: secret, token: 1, isNetrcFile: isNetrcFile)
  }

  private func origin(guardedBy guardian: PasswordGuard) throws -> ScriptedOrigin {
    let origin = try ScriptedOrigin.start()
    let resource = Resource(.audio(length: 100_000, seed: 1), entityTag: .strong("a"))
    origin.serveOtherPaths { guardian.guarding(.resource(resource), from: $0) }
    return origin
  }

  @Test("are authorized by name and password", arguments: PasswordGuard.Scheme.allCases)
  func passwords(scheme: PasswordGuard.Scheme) async throws {
    let origin = try origin(guardedBy: PasswordGuard(scheme, user: "me", password: "s3cret é:x"))
    let kind: Session.Kind = scheme == .basic ? .basic : .digest
    let (recorder, result) = try await fetch(origin.url("/a?x=1,2"), credentials(for: origin, kind)) {
      $0.rangeStart = 40_000
    }
    #expect(try result.get().bytesReceived == 60_000)
    #expect(recorder.now.heads.map(\.status) == [206], "the challenge is not told")
    // The origin notes its answer behind the last byte.
    try origin.wait(upTo: .seconds(20)) { $0.requests.allSatisfy { $0.status != nil } }
    #expect(origin.requests.map(\.status) == (scheme == .basic ? [206] : [401, 206]))
  }

  @Test("A wrong password is a 401 with its body", arguments: PasswordGuard.Scheme.allCases)
  func wrongPassword(scheme: PasswordGuard.Scheme) async throws {
    let origin = try origin(guardedBy: PasswordGuard(scheme, realm: "Night", user: "me", password: "other"))
    let kind: Session.Kind = scheme == .basic ? .basic : .digest
    let (recorder, result) = try await fetch(origin.url("/a"), credentials(for: origin, kind))
    _ = try result.get()
    #expect(recorder.now.heads.map(\.status) == [401])
    #expect(recorder.now.heads.first?.shownRealm == "Night")
    #expect(recorder.now.body == Array("<h1>Unauthorized</h1>".utf8))
  }

  @Test("A digest where the server wants another scheme, and a challenge that never ends, are a 401")
  func otherChallenges() async throws {
    let origin = try origin(guardedBy: PasswordGuard(.basic, user: "me", password: "x"))
    let (recorder, result) = try await fetch(origin.url("/a"), credentials(for: origin, .digest))
    _ = try result.get()
    #expect(recorder.now.heads.map(\.status) == [401] && origin.requests.count == 1)

    let endless = try ScriptedOrigin.start()
    endless.serveOtherPaths { request in
      .status(401, headers: ["WWW-Authenticate": "Digest realm=r, qop=auth, nonce=\(request.sequence), stale=true"])
    }
    let (other, _) = try await fetch(endless.url("/a"), credentials(for: endless, .digest))
    #expect(other.now.heads.map(\.status) == [401])
    #expect(endless.requests.count <= CurlLimits.maxChallenges + 1)
  }

  @Test("are authorized by a token", arguments: [Session.Kind.bearer, .refreshing])
  func tokens(kind: Session.Kind) async throws {
    let origin = try ScriptedOrigin.start()
    origin.serve("/a", .status(200, body: .text("here")))
    let (_, result) = try await fetch(origin.url("/a"), credentials(for: origin, kind, secret: "abc.def~1=="))
    _ = try result.get()
    #expect(origin.requests.map { $0.headers.values(of: "Authorization") } == [["Bearer abc.def~1=="]])
    // A line break would inject a field.
    let broken = try await fetch(origin.url("/a"), credentials(for: origin, kind, secret: "abc\r\nX: y"))
    #expect(broken.result.reason == .malformedRequest && origin.requests.count == 1)
  }

  @Test("What the client itself says comes before the session")
  func ownAuthorization() async throws {
    let origin = try ScriptedOrigin.start()
    origin.serve("/a", .status(200))
    let credentials = try credentials(for: origin, .bearer, secret: "session")
    _ = try await fetch(origin.url("/a"), credentials) { $0.headers = [(name: "authorization", value: "Own x")] }
    _ = try await fetch("http://u:p@127.0.0.1:\(origin.port)/a", credentials)
    #expect(origin.requests.map { $0.headers["Authorization"] } == ["Own x", "Basic dTpw"])
  }

  @Test("A redirect to another origin takes the credentials away, for good", arguments: Session.Kind.allCases)
  func redirects(kind: Session.Kind) async throws {
    let (home, foreign) = (try ScriptedOrigin.start(), try ScriptedOrigin.start())
    home.serve("/a", .redirect(302, to: "/b"))
    home.serve("/b", .redirect(307, to: foreign.url("/c?signature=x")))
    foreign.serve("/c", .redirect(302, to: home.url("/d")))
    home.serve("/d", .status(200, body: .text("here")))
    var credentials = try credentials(for: home, kind, secret: "s3cret")
    // Even where the session is for both hosts.
    credentials.hosts.append("127.0.0.1:\(foreign.port)")
    let (_, result) = try await fetch(home.url("/a"), credentials)
    _ = try result.get()
    let isSent: String? =
      switch kind {
      case .none, .digest, .parameter: nil
      case .basic: "Basic bWU6czNjcmV0"
      case .bearer, .refreshing: "Bearer s3cret"
      }
    let query = kind == .parameter ? "?auth=s3cret" : ""
    #expect(home.requests.map(\.target) == ["/a" + query, "/b" + query, "/d"])
    #expect(foreign.requests.map(\.target) == ["/c?signature=x"])
    #expect(home.requests.map { $0.headers["Authorization"] } == [isSent, isSent, nil])
    #expect(foreign.requests.map { $0.headers["Authorization"] } == [nil])
  }

  @Test(
    "A secret in the address goes to the session's hosts, and is in no head; what a server says of the parameter comes first",
    arguments: [
      ("/b", ["/a?n=1&auth=a%20b+c", "/b?auth=a%20b+c"], "/b"),
      ("/b?auth=other&x=1", ["/a?n=1&auth=a%20b+c", "/b?auth=other&x=1"], "/b?auth=other&x=1"),
      ("?x=1", ["/a?n=1&auth=a%20b+c", "/a?x=1&auth=a%20b+c"], "/a?x=1"),
      // It repeats what it got, in another spelling.
      ("/b?auth=a+b%2Bc&x=1", ["/a?n=1&auth=a%20b+c", "/b?auth=a+b%2Bc&x=1"], "/b?x=1"),
    ])
  func parameters(location: String, targets: [String], shown: String) async throws {
    let origin = try ScriptedOrigin.start()
    origin.serveOtherPaths {
      $0.target.hasPrefix("/a?n=1") ? .redirect(301, to: location) : .status(200, body: .text("here"))
    }
    let (recorder, result) = try await fetch(
      origin.url("/a?n=1"), credentials(for: origin, .parameter, secret: "a b+c"))
    _ = try result.get()
    #expect(origin.requests.map(\.target) == targets)
    let head = try #require(recorder.now.heads.first)
    #expect(head.effectiveURL == origin.url(shown) && head.permanentURL == origin.url(shown))
  }

  @Test(
    "A refusal of a token that a redirect has brought is not the session's",
    arguments: [("/b", false), ("/b?auth=s3cret", false), ("/b?auth=own", true)])
  func refusedRedirect(location: String, isUnsent: Bool) async throws {
    let origin = try ScriptedOrigin.start()
    origin.serveOtherPaths { $0.path == "/a" ? .redirect(302, to: location) : .status(401) }
    let (recorder, _) = try await fetch(origin.url("/a"), credentials(for: origin, .parameter, secret: "s3cret"))
    #expect(recorder.now.heads.map { $0.challenge == .unsent } == [isUnsent])
  }

  @Test("A redirect that repeats the secret for another host takes nothing there")
  func repeatedParameter() async throws {
    let (home, foreign) = (try ScriptedOrigin.start(), try ScriptedOrigin.start())
    home.serveOtherPaths { request in .redirect(302, to: foreign.url(request.target + "&x=1")) }
    foreign.serveOtherPaths { _ in .status(200, body: .text("here")) }
    let (recorder, result) = try await fetch(
      home.url("/a?n=1"), credentials(for: home, .parameter, secret: "s3cret"))
    _ = try result.get()
    #expect(home.requests.map(\.target) == ["/a?n=1&auth=s3cret"])
    #expect(foreign.requests.map(\.target) == ["/a?n=1&x=1"])
    #expect(recorder.now.heads.map(\.effectiveURL) == [foreign.url("/a?n=1&x=1")])
  }

  @Test("Another host gets none")
  func otherHost() async throws {
    let (home, foreign) = (try ScriptedOrigin.start(), try ScriptedOrigin.start())
    foreign.serve("/a", .status(401))
    home.serve("/b", .redirect(302, to: foreign.url("/a")))
    home.serve("/c", .status(401))
    for path in [foreign.url("/a"), home.url("/b")] {
      let (recorder, _) = try await fetch(path, credentials(for: home, .basic))
      #expect(recorder.now.heads.map(\.challenge) == [.unsent], "\(path)")
    }
    #expect(foreign.requests.map { $0.headers["Authorization"] } == [nil, nil])
    let (recorder, _) = try await fetch(home.url("/c"), credentials(for: home, .basic))
    #expect(recorder.now.heads.map(\.challenge) == [nil])
  }

  @Test("Name and password come from a netrc file", arguments: PasswordGuard.Scheme.allCases)
  func netrc(scheme: PasswordGuard.Scheme) async throws {
    let origin = try origin(guardedBy: PasswordGuard(scheme, user: "me", password: "s3cret"))
    let folder = try TemporaryFolder()
    let file = folder.path + "/netrc"
    let text = """
      machine other.example login you password no
      machine 127.0.0.1 login else password no
      machine 127.0.0.1 login me password s3cret
      """
    try Data(text.utf8).write(to: URL(fileURLWithPath: file))
    let kind: Session.Kind = scheme == .basic ? .basic : .digest
    let named = try await fetch(
      origin.url("/a"), credentials(for: origin, kind, secret: file, isNetrcFile: true))
    _ = try named.result.get()
    #expect(named.recorder.now.heads.map(\.status) == [200])

    try Data("machine 127.0.0.1 login me password s3cret\n".utf8).write(to: URL(fileURLWithPath: file))
    let unnamed = try await fetch(
      origin.url("/a"), credentials(for: origin, kind, user: nil, secret: file, isNetrcFile: true))
    #expect(unnamed.recorder.now.heads.map(\.status) == [200])

    let missing = try await fetch(
      origin.url("/a"), credentials(for: origin, kind, user: nil, secret: folder.path + "/none", isNetrcFile: true))
    #expect(missing.recorder.now.heads.map(\.status) == [401])
  }

  @Test("A form is posted once, and follows no redirect")
  func forms() async throws {
    let origin = try ScriptedOrigin.start()
    origin.serveForm("/token") { _ in .redirect(307, to: "/elsewhere") }
    let (recorder, result) = try await fetch(origin.url("/token"), nil) { request in
      request.form = "a=1&b=%20"
      request.followsRedirects = false
    }
    _ = try result.get()
    #expect(recorder.now.heads.map(\.status) == [307])
    #expect(origin.requests.map(\.method) == ["POST"])
    #expect(origin.requests.first.map { String(decoding: $0.form, as: UTF8.self) } == "a=1&b=%20")
    #expect(origin.requests.first?.headers["Content-Type"] == "application/x-www-form-urlencoded")

    origin.serveForm("/broken") { _ in Behaviour.status(200).failingBeforeHead(.cut) }
    let broken = try await fetch(origin.url("/broken"), nil) { $0.form = "a=1" }
    #expect(broken.result.reason == .connectionLost)
    #expect(origin.snapshot.requests(path: "/broken").count == 1)
  }
}

@Suite("The credentials of a hop")
struct HopCredentialsTests {
  private func hop(to address: String, for hosts: [String]) throws -> HTTPHop {
    let session = try #require(SessionID("s"))
    return try HTTPHop(
      to: address,
      with: SessionCredentials(session: session, hosts: hosts, kind: .basic, user: "u", secret: "p", token: 1))
  }

  @Test(
    "are for the hosts of the session alone",
    arguments: [
      ("https://a.example/", "a.example", true), ("https://A.example/", "a.example", true),
      ("https://a.example:443/", "a.example", true), ("https://a.example/", "a.example:443", true),
      ("https://a.example:8443/", "a.example", false), ("https://a.example:8443/", "a.example:8443", true),
      ("http://a.example/", "a.example:443", false), ("https://b.a.example/", "a.example", false),
      ("https://a.example.b/", "a.example", false), ("https://[::1]:81/", "[::1]:81", true),
      ("https://u:p@a.example/", "a.example", false), ("https://b.example/@a.example/", "a.example", false),
      ("https://b.example?@a.example/", "a.example", false),
    ])
  func hosts(address: String, host: String, isSent: Bool) throws {
    #expect(try (hop(to: address, for: [host]).session != nil) == isSent)
  }

  @Test(
    "stay at the origin, and on the way from http to https of the same host",
    arguments: [
      ("https://a.example/", "/b", true), ("http://a.example/", "https://a.example/b", true),
      ("http://a.example/", "http://a.example:80/b", true), ("http://a.example/", "https://a.example:8443/b", false),
      ("https://a.example/", "https://b.example/", false), ("https://a.example/", "https://a.example:444/", false),
      ("http://a.example/", "https://b.example/", false), ("https://a.example/", "https://u@a.example/", false),
    ])
  func redirects(address: String, location: String, isSent: Bool) throws {
    let hop = try hop(to: address, for: ["a.example", "b.example", "a.example:8443", "a.example:444"])
    let next = try hop.following(Redirection(location: location, isPermanent: false))
    #expect((next.session != nil) == isSent)
  }
}
