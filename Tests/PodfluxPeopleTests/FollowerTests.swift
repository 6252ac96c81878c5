import Flux
import PodfluxClient
import PodfluxCore
import PodfluxPeople
import Testing
import WireProtocol

@Suite("Following downloads and refreshes")
struct FollowerTests {
  private let now = Timestamp(milliseconds: 0)

  private func payload(_ json: String) throws -> JSONObject { try JSONObject(line: Array(json.utf8)) }

  private func action(_ type: String, _ json: String) throws -> ClientConnection.Event {
    .init(.action(type: type, try payload(json)))
  }

  private func state(_ json: String) throws -> ClientConnection.Event { .init(.state(try payload(json))) }

  @Test("A file that is published settles its download; a failed attempt does only if none follows")
  func outcomes() throws {
    var follower = DownloadFollower(following: ["a", "b", "c"])
    var library = FakeLibrary(downloads: ["a", "b", "c"].map { #"{"id":"\#($0)","state":"queued"}"# })
    #expect(try follower.look(at: library).isEmpty && !follower.needsLook)
    let done = try follower.apply(
      try action("downloads/finished", #"{"id":"a","file":{"path":"S/a.mp3","length":9}}"#))
    #expect(done.map(\.outcome) == [.done(path: "S/a.mp3", bytes: 9)])
    // Of others it knows nothing.
    #expect(try follower.apply(try action("downloads/finished", #"{"id":"z","file":{}}"#)).isEmpty)
    _ = try follower.apply(try action("downloads/failed", #"{"id":"b","error":{"code":"timeout"}}"#))
    #expect(follower.needsLook)
    _ = try follower.apply(try action("downloads/waiting", #"{"id":"b","reason":"retry"}"#))
    #expect(!follower.needsLook)
    _ = try follower.apply(try action("downloads/failed", #"{"id":"c","error":{"code":"not_found"}}"#))
    library.downloads[2] = #"{"id":"c","state":"failed","error":{"code":"not_found"}}"#
    #expect(try follower.look(at: library).map(\.id) == ["c"])
    #expect(follower.pending == ["b"] && !follower.isOver)
    #expect(try follower.apply(try action("downloads/removed", #"{"id":"b"}"#)).map(\.outcome) == [.left("removed")])
    #expect(follower.isOver && follower.done == 1 && follower.failures.count == 1 && follower.left == 1)
  }

  @Test("What others pause or remove while the connection is lost is found by a look")
  func lostConnection() throws {
    var follower = DownloadFollower(following: ["a", "b"])
    _ = try follower.look(at: FakeLibrary(downloads: ["a", "b"].map { #"{"id":"\#($0)","state":"running"}"# }))
    follower.beginAnew()
    let settled = try follower.look(at: FakeLibrary(downloads: [#"{"id":"b","state":"paused"}"#]))
    #expect(settled.map(\.outcome) == [.left("paused"), .left("removed")])
  }

  @Test("Lengths that a feed has invented do not add up to more than the largest number; an unknown one makes none")
  func sums() throws {
    func item(_ total: String) throws -> DownloadItem {
      try DownloadItem(payload(#"{"id":"a","bytes":{"received":9223372036854775807,"total":\#(total)}}"#))
    }
    let huge = try item("9223372036854775807")
    #expect([huge, huge].totalBytes == .max && [huge, huge].receivedBytes == .max)
    #expect(try [huge, item("null"), item("5")].totalBytes == nil)
    #expect(try [item("5"), item("6")].totalBytes == 11)
  }

  /// A tester's clock had been ahead: what was downloaded then was told and counted with each `sync`.
  @Test("What an own engine has ended before the first look is counted, once, and nothing that had ended before")
  func endsUnseen() throws {
    func item(_ id: String, _ state: String) -> String {
      #"{"id":"\#(id)","state":"\#(state)","path":"\#(id).mp3","addedAt":"2999-01-01T00:00:00.000Z"}"#
    }
    var follower = DownloadFollower()
    _ = try follower.apply(try action("downloads/finished", #"{"id":"d","file":{"path":"d.mp3","length":9}}"#))
    var library = FakeLibrary(downloads: [
      item("old", "completed"), item("a", "completed"), item("b", "failed"), item("c", "queued"),
      item("d", "completed"), item("f", "failed"), item("last", "completed"),
    ])
    let end = try EndOfDownloads(of: library)
    library.downloads += [item("new", "completed"), item("newer", "queued")]
    func look() throws -> [String] {
      try follower.lookForEnds(at: library, besides: ["f"], of: ["a", "b", "c", "d", "gone"], behind: end).map(\.id)
    }
    #expect(try look().sorted() == ["a", "b", "new"])
    #expect(follower.done == 3 && follower.failures.count == 1)
    #expect(try look().isEmpty)
  }

  @Test("What was added behind the end of a list is known, however short that was", arguments: 0...3)
  func laterDownloads(number: Int) throws {
    func items(_ numbers: Range<Int>) -> [String] {
      numbers.map { #"{"id":"\#($0)","state":"completed","path":"\#($0).mp3"}"# }
    }
    var library = FakeLibrary(downloads: items(0..<number))
    let end = try EndOfDownloads(of: library)
    library.downloads += items(number..<number + 2)
    var follower = DownloadFollower()
    let settled = try follower.lookForEnds(at: library, besides: [], of: [], behind: end)
    #expect(settled.map(\.id) == ["\(number)", "\(number + 1)"])
    // Of a library that could not be read before, nothing is known to be new.
    var blind = DownloadFollower()
    #expect(try blind.lookForEnds(at: library, besides: [], of: [], behind: nil).isEmpty)
  }

  @Test("What fails while all is in doubt, and was on no list, has failed")
  func failedUnlisted() throws {
    var follower = DownloadFollower()
    follower.beginAnew()
    _ = try follower.apply(try action("downloads/failed", #"{"id":"a","error":{"code":"forbidden","message":"no"}}"#))
    let library = FakeLibrary(downloads: [
      #"{"id":"a","state":"failed","error":{"code":"forbidden","message":"no"}}"#, #"{"id":"b","state":"failed"}"#,
    ])
    #expect(try follower.look(at: library).map(\.id) == ["a"])
    #expect(follower.failures.count == 1)
  }

  @Test("What leaves the list of what moves without an action that says why is looked up")
  func lostActions() throws {
    var follower = DownloadFollower(following: ["a", "b"])
    let moving = FakeLibrary(downloads: ["a", "b"].map { #"{"id":"\#($0)","state":"running"}"# })
    _ = try follower.look(at: moving)
    _ = try follower.apply(
      try state(
        #"{"store":"downloads","full":true,"items":[{"id":"a","state":"running"}],"counts":{"running":2}}"#))
    #expect(!follower.needsLook)
    _ = try follower.apply(
      try state(#"{"store":"downloads","remove":["a"],"order":[],"upsert":[],"counts":{"running":1}}"#))
    #expect(follower.needsLook)
    var library = moving
    library.downloads[0] = #"{"id":"a","state":"completed","path":"S/a.mp3","bytes":{"received":9,"total":9}}"#
    #expect(try follower.look(at: library).map(\.outcome) == [.done(path: "S/a.mp3", bytes: 9)])
    #expect(!follower.needsLook && !follower.isOver)
    // One that the list never had a place for.
    let quiet = #"{"store":"downloads","remove":[],"order":[],"upsert":[],"counts":{}}"#
    _ = try follower.apply(try state(quiet))
    #expect(follower.needsLook)
    library.downloads[1] = #"{"id":"b","state":"paused"}"#
    #expect(try follower.look(at: library).map(\.outcome) == [.left("paused")])
    _ = try follower.apply(try state(quiet))
    #expect(!follower.needsLook && follower.isOver)
  }

  @Test("All downloads have ended when none moves any more, and not before the engine has told of them")
  func all() throws {
    var follower = DownloadFollower()
    #expect(!follower.isOver)
    _ = try follower.apply(
      try state(
        #"{"store":"downloads","full":true,"items":[{"id":"a","state":"running","bytes":{"received":5,"total":10}}],"counts":{"running":1}}"#
      ))
    #expect(!follower.isOver && follower.rows.map(\.id) == ["a"] && follower.unlisted == 0)
    _ = try follower.apply(try action("downloads/finished", #"{"id":"a","file":{"path":"a.mp3","length":10}}"#))
    _ = try follower.apply(try state(#"{"store":"downloads","remove":["a"],"order":[],"upsert":[],"counts":{}}"#))
    #expect(follower.isOver && follower.done == 1)
  }

  @Test("What waits for room can be given up, and waits on")
  func room() throws {
    var follower = DownloadFollower()
    let item = #"{"id":"a","state":"waiting","reason":"storage","detail":{"shortBytes":2800000}}"#
    _ = try follower.apply(
      try state(#"{"store":"downloads","full":true,"items":[\#(item)],"counts":{"waiting":1}}"#))
    #expect(follower.needsHelp(at: now) && !follower.waitsForLogins && !follower.isOver)
    let settled = follower.giveUp(by: PersonalClock(now: now))
    #expect(settled.map(\.outcome) == [.waits("waits: 2.8 MB more must be free")])
    #expect(follower.isOver && follower.stuck == 1 && follower.failures.isEmpty)
  }

  @Test("What waits for the network can be given up if all downloads are followed, and is waited for if these are")
  func network() throws {
    for reason in ["network", "policy", "schedule", "budget"] {
      let item = #"{"id":"a","state":"waiting","reason":"\#(reason)"}"#
      let line = #"{"store":"downloads","full":true,"items":[\#(item)],"counts":{"waiting":300}}"#
      var all = DownloadFollower()
      _ = try all.apply(try state(line))
      #expect(all.needsHelp(at: now))
      _ = all.giveUp(by: PersonalClock(now: now))
      #expect(all.isOver && all.stuck == 300 && all.unlistedStuck == 299 && all.count == 300 && all.failures.isEmpty)
      var these = DownloadFollower(following: ["a"])
      _ = try these.apply(try state(line))
      _ = try these.look(at: FakeLibrary(downloads: [item]))
      #expect(!these.needsHelp(at: now))
    }
    var busy = DownloadFollower()
    let item = #"{"id":"a","state":"waiting","reason":"network"}"#
    _ = try busy.apply(
      try state(
        #"{"store":"downloads","full":true,"items":[\#(item)],"counts":{"waiting":300,"running":1}}"#))
    #expect(!busy.needsHelp(at: now))
  }

  @Test("What is tried again within five minutes is waited for; what a server has put off for longer can be given up")
  func later() throws {
    func follower(_ times: [String], following ids: [String]? = nil) throws -> DownloadFollower {
      let items = times.enumerated().map { number, time in
        #"{"id":"\#(number)","state":"waiting","reason":"\#(number == 0 ? "retry" : "host")","retryAt":"\#(time)"}"#
      }
      var follower = ids.map { DownloadFollower(following: $0) } ?? DownloadFollower()
      let list = items.joined(separator: ",")
      _ = try follower.apply(
        try state(#"{"store":"downloads","full":true,"items":[\#(list)],"counts":{"waiting":\#(items.count)}}"#))
      _ = try follower.look(at: FakeLibrary(downloads: items))
      return follower
    }
    let (near, far) = ("1970-01-01T00:05:00.000Z", "1970-01-01T00:05:00.001Z")
    #expect(try !follower([near]).needsHelp(at: now))
    #expect(try !follower([far, near]).needsHelp(at: now))
    #expect(try follower([far, far]).needsHelp(at: now))
    var these = try follower([far, near], following: ["0"])
    #expect(these.needsHelp(at: now))
    let settled = these.giveUp(by: PersonalClock(now: now, zone: .gmt))
    #expect(settled.map(\.outcome) == [.waits("again in 5:01")])
    #expect(these.isOver && these.stuck == 1 && these.failures.isEmpty)
  }

  @Test("Before many that wait are given up, those that the list has no room for are looked at")
  func unlisted() throws {
    func item(_ id: String, _ time: String) -> String {
      #"{"id":"\#(id)","state":"waiting","reason":"retry","retryAt":"\#(time)"}"#
    }
    let far = item("a", "1970-01-01T12:00:00.000Z")
    var follower = DownloadFollower()
    _ = try follower.apply(
      try state(#"{"store":"downloads","full":true,"items":[\#(far)],"counts":{"waiting":2}}"#))
    #expect(follower.needsHelp(at: now) && follower.unlisted == 1)
    let soon = FakeLibrary(downloads: [far, item("b", "1970-01-01T00:00:05.000Z")])
    #expect(try !follower.unlistedNeedHelp(at: now, in: soon))
    let late = FakeLibrary(downloads: [far, item("b", "1970-01-01T11:00:00.000Z")])
    #expect(try follower.unlistedNeedHelp(at: now, in: late))
    #expect(follower.giveUp(by: PersonalClock(now: now)).count == 1)
    #expect(follower.stuck == 2 && follower.unlistedStuck == 1 && follower.count == 2)
    // Another engine tells anew of those that wait.
    follower.beginAnew()
    #expect(follower.unlistedStuck == 0)
  }

  @Test("What waits for logins that are closed can be given up, once nothing else moves")
  func logins() throws {
    var follower = DownloadFollower()
    func tell(_ second: String) throws {
      let items = #"[{"id":"a","state":"waiting","reason":"auth"},{"id":"b",\#(second)}]"#
      _ = try follower.apply(
        try state(#"{"store":"downloads","full":true,"items":\#(items),"counts":{"queued":2}}"#))
    }
    try tell(#""state":"running""#)
    #expect(!follower.needsHelp(at: now))
    try tell(#""state":"waiting","reason":"auth""#)
    #expect(follower.needsHelp(at: now) && follower.waitsForLogins && !follower.isOver)
    let settled = follower.giveUp(by: PersonalClock(now: now))
    #expect(settled.count == 2 && follower.isOver && !follower.needsHelp(at: now))
    #expect(follower.failures.allSatisfy { $0.needsCredentials && $0.words.contains("closed") })
  }

  @Test("Refreshes end with what is new, with an error, or by being given up")
  func refreshes() throws {
    func feed(_ id: String, _ members: String) throws -> FeedItem {
      try FeedItem(payload("{\"id\":\"\(id)\",\(members)}"))
    }
    let due = #""nextRefresh":"2026-03-06T11:00:00.000Z""#
    let later = #""nextRefresh":"2026-03-06T13:00:00.000Z""#
    let done = #""lastRefreshed":"2026-03-06T12:00:01.000Z","# + later
    let start = Timestamp(milliseconds: 1_772_798_400_000)
    var follower = RefreshFollower(
      try ["a", "b", "c", "d", "e"].map { try feed($0, #""episodes":3,"# + due) }, orderedAt: start)
    follower.look(at: [
      try feed("a", #""episodes":5,"# + done), try feed("b", #""episodes":3,"# + done),
      try feed("c", #""episodes":3,"error":{"code":"timeout"},"# + later),
      try feed("d", #""episodes":3,"refreshing":true,"# + due),
    ])
    #expect(follower.isMoving && !follower.isOver)
    follower.giveUp()
    #expect(follower.isOver)
    #expect(
      follower.report.sentence(milliseconds: 2149)
        == "Refreshed 4 feeds in 2.1 s: 1 unchanged, 1 with 2 new episodes, 1 failed, 1 waiting for the network or a login"
    )
    #expect(RefreshFollower([], orderedAt: start).report.sentence(milliseconds: 1) == "No feed is due")
  }

  /// A tester's network was gone, and `sync` told of 3,000 feeds in as many lines.
  @Test("Feeds that have failed for the same reason are counted if they are many, and each that needs a login is named")
  func failedFeeds() throws {
    func feeds(_ ids: [String], _ code: String) throws -> [FeedItem] {
      try ids.map { try FeedItem(payload(#"{"id":"\#($0)","title":"T\#($0)","error":{"code":"\#(code)"}}"#)) }
    }
    var report = RefreshFollower([], orderedAt: now).report
    report.failed = try feeds(["a"], "timeout") + feeds((1...11).map { "\($0)" }, "connect_failed")
    report.failed += try feeds((20...31).map { "\($0)" }, "unauthorized") + feeds(["z"], "timeout")
    let lines = report.failureLines(by: try CommandHints(of: FakeLibrary()))
    #expect(lines.count == 15)
    #expect(lines[0] == "failed   feed Ta: the server was silent for too long")
    #expect(lines[14].hasPrefix("failed   feed Tz: "))
    let many = "failed   11 feeds: no connection to the server could be made; podflux ls feeds names them"
    #expect(lines[1] == many)
    #expect(lines[2..<14].allSatisfy { $0.hasPrefix("failed   feed T") && $0.contains("; podflux rules ") })
    report.failed = try feeds((1...10).map { "\($0)" }, "connect_failed")
    #expect(report.failureLines(by: try CommandHints(of: FakeLibrary())).count == 10)
  }

  /// A tester's clock was behind the last refresh: `sync` asked no feed, and said that it was unchanged.
  @Test("Moments that a clock which was ahead has left are no refresh, and a clock that is set back hides none")
  func wrongClocks() throws {
    func feed(_ last: String, _ next: String, _ more: String = "") throws -> FeedItem {
      try FeedItem(payload(#"{"id":"a","lastRefreshed":"\#(last)","nextRefresh":"\#(next)"\#(more)}"#))
    }
    let (future, farFuture) = ("2026-04-06T12:00:00.000Z", "2026-04-06T13:00:00.000Z")
    let start = Timestamp(milliseconds: 1_772_798_400_000)
    var follower = RefreshFollower([try feed(future, farFuture)], orderedAt: start)
    follower.look(at: [try feed(future, farFuture)])
    #expect(!follower.isOver)
    follower.look(at: [try feed(future, "2026-03-06T12:00:00.000Z")])
    #expect(!follower.isOver)
    follower.look(at: [try feed(future, "2026-03-06T12:00:00.000Z", #","refreshing":true"#)])
    #expect(!follower.isOver)
    follower.look(at: [try feed("2026-03-06T11:00:00.000Z", "2026-03-06T11:30:00.000Z")])
    #expect(follower.isOver && follower.report.unchanged == 1)
  }
}
