import Testing

@testable import PodfluxCore

@Suite("A parameter with the secret of a session")
struct SecretParameterTests {
  private let parameter = SecretParameter(name: "auth", value: "a+b/c=")

  @Test(
    "is put at the end of the query, unless there is one of its name",
    arguments: [
      ("https://a.example/f", "https://a.example/f?auth=a+b/c="),
      ("https://a.example", "https://a.example?auth=a+b/c="),
      ("https://a.example/f?", "https://a.example/f?auth=a+b/c="),
      ("https://a.example/f?n=1", "https://a.example/f?n=1&auth=a+b/c="),
      ("https://a.example/f?n=1&", "https://a.example/f?n=1&auth=a+b/c="),
      ("https://a.example/f#x", "https://a.example/f?auth=a+b/c=#x"),
      ("https://a.example/f?n=1#x?y", "https://a.example/f?n=1&auth=a+b/c=#x?y"),
      ("https://a.example/f?auth=other", "https://a.example/f?auth=other"),
      ("https://a.example/f?%61uth", "https://a.example/f?%61uth"),
      ("https://a.example/f?Auth=1", "https://a.example/f?Auth=1&auth=a+b/c="),
    ])
  func added(url: String, expected: String) {
    #expect(parameter.added(to: url) == expected)
    #expect(parameter.added(to: expected) == expected, "once")
    #expect(parameter.removed(from: parameter.added(to: url)) == url || url.hasSuffix("?") || url.hasSuffix("&"))
  }

  @Test("is taken out of all addresses in a text, with and without entities and escapes")
  func inText() {
    let text =
      "<a href='https://a.example/f?n=1&amp;auth=a+b/c='>1</a> https://b.example/?auth=a+b/c=&n=2, author=a+b/c"
    let expected = "<a href='https://a.example/f?n=1&amp;auth='>1</a> https://b.example/?auth=&n=2, author=a+b/c"
    #expect(parameter.removedAnywhere(in: text) == expected)
    let escaped = SecretParameter(name: "key", value: "x y")
    #expect(escaped.removedAnywhere(in: "?key=x%20y and ?key=x+y") == "?key= and ?key=")
    #expect(escaped.removedAnywhere(in: "none") == "none")
    // A long value is no word: it goes wherever it stands.
    let long = SecretParameter(name: "key", value: "0123456789ab")
    #expect(long.removedAnywhere(in: "tag:0123456789ab ?key=0123456789ab#0123456789ab") == "tag: ?key=#")
  }

  @Test(
    "is taken out however it is encoded; another value of its name stays",
    arguments: [
      ("https://a.example/f?auth=a+b/c=", "https://a.example/f"),
      ("https://a.example/f?x&auth=a%2Bb%2fc%3D&y#z", "https://a.example/f?x&y#z"),
      ("https://a.example/f?%61uth=a%20b/c=", "https://a.example/f"),
      ("https://a.example/f?auth=a+b/c=;auth=a+b/c=", "https://a.example/f"),
      ("https://a.example/f?auth=other", "https://a.example/f?auth=other"),
      ("https://a.example/f?other=a+b/c=", "https://a.example/f?other=a+b/c="),
      ("https://a.example/auth=a+b/c=", "https://a.example/auth=a+b/c="),
    ])
  func removed(url: String, expected: String) {
    #expect(parameter.removed(from: url) == expected)
  }

  @Test(
    "has its value as an address has it",
    arguments: [
      ("abc-._~1", "abc-._~1"), ("a b", "a%20b"), ("a&b;c#d", "a%26b%3Bc%23d"), ("a%2Fb", "a%2Fb"), ("50%", "50%25"),
      ("%zz", "%25zz"), ("é", "%C3%A9"), ("a\"<>\\^`{|}", "a%22%3C%3E%5C%5E%60%7B%7C%7D"),
    ])
  func encoding(value: String, expected: String) throws {
    let parameter = SecretParameter(name: "k", value: value)
    let url = parameter.added(to: "https://a.example/")
    #expect(url == "https://a.example/?k=\(expected)")
    _ = try WebAddress(url)
    #expect(parameter.removed(from: url) == "https://a.example/")
  }

  @Test("has a name that needs no encoding, and shows nothing of its value")
  func names() {
    for name in ["auth", "X-Token", "a.b_c~d", String(repeating: "a", count: 128)] {
      #expect(SecretParameter.isName(name))
    }
    for name in ["", "a b", "a=b", "a&b", "é", "a%62", "a\n", String(repeating: "a", count: 129)] {
      #expect(!SecretParameter.isName(name))
    }
    var text = "\(parameter)"
    dump(parameter, to: &text)
    #expect(!text.contains("a+b"))
  }
}

@Suite("A secret that a client gives in an address")
struct MovingParameterTests {
  private static func login(_ name: String? = nil, _ source: SecretSource? = nil) -> Login {
    Login(Session.Wish(hosts: [], kind: .parameter, parameter: name), source: source)
  }

  private func enqueue(_ url: String, mirrors: [String] = [], _ login: Login) throws -> Intent {
    .downloads(
      .enqueue(
        .init(
          address: try WebAddress(url), description: .init(mirrors: try mirrors.map { try WebAddress($0) }),
          session: .new(login))))
  }

  private func subscribe(_ url: String, _ login: Login) throws -> Intent {
    .podcasts(.subscribe(.init(address: try WebAddress(url), session: .new(login))))
  }

  @Test(
    "goes into the login, and the address stays without it",
    arguments: [
      ("https://a.example/f?auth=x%2By&n=1", nil, "auth", "x%2By", "https://a.example/f?n=1"),
      ("https://a.example/f?n=1&Token=t", nil, "Token", "t", "https://a.example/f?n=1"),
      ("https://a.example/f?k9=x&user=me", "k9", "k9", "x", "https://a.example/f?user=me"),
      ("https://a.example/f?auth=x&auth=x", nil, "auth", "x", "https://a.example/f"),
    ] as [(String, String?, String, String, String)])
  func moves(url: String, name: String?, parameter: String, secret: String, rest: String) throws {
    let login = Self.login(parameter, .text(secret))
    #expect(try subscribe(url, Self.login(name)).movingParameter() == subscribe(rest, login))
    #expect(try enqueue(url, Self.login(name)).movingParameter() == enqueue(rest, login))
    var (feed, download) = (PodcastIntent.Update(), DownloadIntent.Update())
    (feed.address, feed.session) = (try WebAddress(url), .new(Self.login(name)))
    (download.address, download.session) = (try WebAddress(url), .new(Self.login(name)))
    let (feedID, id) = (try #require(FeedID("f")), try DownloadID.named("d"))
    let moved = try [Intent.podcasts(.update(feedID, feed)), .downloads(.update(id, download))].map {
      try $0.movingParameter()
    }
    (feed.address, feed.session) = (try WebAddress(rest), .new(login))
    (download.address, download.session) = (try WebAddress(rest), .new(login))
    #expect(moved == [.podcasts(.update(feedID, feed)), .downloads(.update(id, download))])
  }

  @Test("leaves the mirrors of the same host too, and those of others as they are")
  func mirrors() throws {
    let (own, other) = ("https://a.example/m?auth=x", "https://b.example/m?auth=x")
    #expect(
      try enqueue("https://a.example/f?auth=x", mirrors: [own, other], Self.login()).movingParameter()
        == enqueue(
          "https://a.example/f", mirrors: ["https://a.example/m", other], Self.login("auth", .text("x"))))
  }

  @Test("gives way to one that is given beside the address")
  func given() throws {
    let login = Self.login("auth", .file("/run/secret"))
    #expect(
      try subscribe("https://a.example/f?auth=old", login).movingParameter() == subscribe("https://a.example/f", login))
    #expect(try subscribe("https://a.example/f", login).movingParameter() == subscribe("https://a.example/f", login))
  }

  @Test(
    "has to be one",
    arguments: [
      ("https://a.example/f", nil, "payload.auth.parameter"),
      ("https://a.example/f?n=1", nil, "payload.auth.parameter"),
      ("https://a.example/f?auth=x&user=me", nil, "payload.auth.parameter"),
      ("https://a.example/f?auth=x&auth=y", "auth", "payload.url"),
    ] as [(String, String?, String)])
  func refusals(url: String, name: String?, path: String) throws {
    let refusal = #expect(throws: Refusal.self) { try subscribe(url, Self.login(name)).movingParameter() }
    #expect(refusal?.path == path)
  }

  @Test("Other logins, and other actions, stay as they are")
  func others() throws {
    let basic = Login(Session.Wish(hosts: [], kind: .basic, user: "me"), source: .text("x"))
    for action in [
      try subscribe("https://a.example/f?auth=x", basic), .downloads(.pause(.all)),
      .sessions(.open(.init(login: Self.login("auth", .text("x"))))),
    ] {
      #expect(try action.movingParameter() == action)
    }
  }
}
