import PodfluxClient
import PodfluxPeople
import Testing
import WireProtocol

@Suite("Commands that a person is told to type")
struct CommandHintsTests {
  private func feed(_ members: String) throws -> FeedItem {
    try FeedItem(JSONObject(line: Array("{\(members)}".utf8)))
  }

  /// The error of a session that could not log in.
  private func refused(_ session: String) -> String {
    #""error":{"code":"unauthorized","message":"the session \"\#(session)\" could not log in: no"}"#
  }

  @Test("A login that was refused is put right by one of its own kind")
  func kinds() throws {
    var library = FakeLibrary()
    let kinds = ["basic", "digest", "bearer", "refreshing", "parameter"]
    library.sessions = kinds.map { #"{"id":"s-\#($0)","kind":"\#($0)","state":"loginFailed"}"# }
    library.sessions.append(#"{"id":"members","kind":"bearer","state":"loginFailed"}"#)
    let hints = try CommandHints(of: library)
    for (session, command) in [
      ("s-basic", "podflux rules 'Night Trains' --user NAME"),
      ("s-digest", "podflux rules 'Night Trains' --login digest --user NAME"),
      ("s-bearer", "podflux rules 'Night Trains' --login bearer"),
      ("s-refreshing", "podflux rules 'Night Trains' --login refreshing --token-url URL"),
      ("s-parameter", "podflux rules 'Night Trains' --login parameter --parameter NAME"),
      ("s-gone", "podflux rules 'Night Trains' --user NAME"),
      ("members", "podflux sessions open members --login bearer"),
    ] {
      let feed = try feed(#""id":"f-1","title":"Night Trains",\#(refused(session))"#)
      #expect(hints.loginCommand(for: feed) == command)
      #expect(hints.failureAndRepair(of: feed).hasSuffix("could not log in: no; \(command)"))
    }
    let item = try DownloadItem(JSONObject(line: Array(#"{"id":"d-1",\#(refused("s-bearer"))}"#.utf8)))
    #expect(
      hints.loginCommands(for: item)
        == "podflux rules FEED --login bearer, or with podflux get URL --login bearer for a file of no feed")
  }

  @Test("A download that waits for its login goes on after the closed sessions of its host are opened")
  func waitingForLogin() throws {
    var library = FakeLibrary()
    library.sessions = [
      #"{"id":"s-1","hosts":["e.org","m.e.org:81"],"kind":"bearer","state":"closed"}"#,
      #"{"id":"s-2","hosts":["m.e.org:81"],"kind":"basic","state":"open"}"#,
      #"{"id":"s-3","hosts":["m.e.org"],"kind":"basic","state":"closed"}"#,
    ]
    let hints = try CommandHints(of: library)
    #expect(hints.openCommands(for: "http://m.e.org:81/1.mp3") == ["podflux sessions open s-1"])
    #expect(hints.openCommands(for: "http://m.e.org/1.mp3") == ["podflux sessions open s-3"])
    #expect(hints.openCommands(for: "http://other.org/1.mp3").isEmpty && hints.openCommands(for: nil).isEmpty)
  }

  /// A tester read of a feed on a cellular network only that its refresh was due, and by `sync` three guesses.
  @Test("The refresh of a feed that is due waits for the network, where that is so, or for its login")
  func waitingForNetwork() throws {
    var library = FakeLibrary()
    func hindrance(_ network: String, _ feeds: String, own: String = "inherit") throws -> String? {
      library.others = [
        #""network":{"cellularBytesThisMonth":9,\#(network)}"#,
        #""settings":{"cellularBudgetBytesPerMonth":9,"network":{"feeds":"\#(feeds)"}}"#,
      ]
      let feed = try feed(#""id":"f-1","title":"any","url":"http://e.org/f","network":"\#(own)""#)
      return try CommandHints(of: library).knownHindrance(to: feed)
    }
    let (wired, metered, cellular) = (
      #""interface":"ethernet","metered":false,"status":"online""#,
      #""interface":"wifi","metered":true,"status":"online""#,
      #""interface":"cellular","metered":false,"status":"online""#
    )
    #expect(try hindrance(#""status":"offline""#, "any", own: "any") == "there is no network")
    for network in [metered, cellular] {
      #expect(
        try hindrance(network, "unmetered")
          == #"this network is metered, and the policy of feeds is "unmetered"; podflux settings "#
          + #"'network={"feeds":"any"}' lets them use it"#)
      #expect(
        try hindrance(network, "any", own: "unmetered")
          == #"this network is metered, and the feed's own "network" is "unmetered", which feeds/update changes"#)
    }
    #expect(try hindrance(metered, "any") == nil)
    #expect(try hindrance(metered, "unmetered", own: "any") == nil)
    #expect(try hindrance(cellular, "any") == "the month's cellular budget is spent")
    #expect(try hindrance(wired, "unmetered", own: "unmetered") == nil)
    library.sessions = [#"{"id":"s-1","hosts":["e.org"],"kind":"bearer","state":"closed"}"#]
    #expect(try hindrance(wired, "any")?.hasSuffix("podflux sessions open s-1") == true)
    library.sessions = [#"{"id":"s-1","hosts":["e.org"],"kind":"bearer","state":"opening"}"#]
    #expect(try hindrance(wired, "any") == nil)
    let hints = try CommandHints(of: library)
    #expect(hints.hindrance(to: try feed(#""id":"f-1","url":"http://e.org/f""#)) == "its login is not open yet")
    let other = try feed(#""id":"f-2","url":"http://other.org/f""#)
    #expect(hints.hindrance(to: other) == "the engine has not begun, and does not tell why")
  }

  @Test(
    "A feed is named by its title, or by its id where the title would name another thing or none",
    arguments: [
      ("Night Trains", "'Night Trains'"), ("News", "f-1"), ("NEWS", "f-1"), ("", "f-1"), ("--all", "f-1"),
      ("https://e.org/x", "f-1"), ("f-2", "f-1"), ("a\nb", "f-1"), ("New", "New"),
    ])
  func selectors(title: String, selector: String) throws {
    var library = FakeLibrary()
    library.feeds = [#"{"id":"f-1","title":"any"}"#, #"{"id":"f-2","title":"news"}"#]
    #expect(try CommandHints(of: library).selector(title: title, id: "f-1") == selector)
  }

  @Test(
    "A refusal names commands and options, and nothing of the protocol",
    arguments: [
      (
        "downloads/retry is not for a download that is completed; retry what has failed",
        "podflux retry is not for a download that is completed; retry what has failed"
      ),
      (
        "payload.opml is a feed itself; subscribe to its address with feeds/subscribe",
        "the document is a feed itself; subscribe to its address with podflux add"
      ),
      ("mirrors[0] has a scheme that is not supported", "--mirror has a scheme that is not supported"),
      ("payload.url has no host", "url has no host"),
      ("the server answered 404: there is no such feed (not_found)", "the server answered 404: there is no such feed"),
      (
        "the engine is suspended and takes engine/resume and engine/shutdown only; resume it first",
        "the engine is suspended until a client resumes it: echo '{\"type\":\"engine/resume\"}' | podflux attach "
          + "(with the same --socket or --library)"
      ),
      (
        "userAgent must be 1 to 256 printable ASCII characters", "userAgent must be 1 to 256 printable ASCII characters"
      ),
    ])
  func refusals(message: String, words: String) {
    #expect(EngineRefusal(code: "any", message: message).words == words)
  }
}
