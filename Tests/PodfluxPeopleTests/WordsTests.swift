import Flux
import Foundation
import PodfluxClient
import PodfluxCore
import PodfluxPeople
import Testing
import WireProtocol

@Suite("Words for people")
struct WordsTests {
  /// 2026-03-06 12:00 UTC.
  private let clock = PersonalClock(now: Timestamp(milliseconds: 1_772_798_400_000), zone: .gmt)

  @Test(
    "A day begins at its midnight, or behind the hour that clocks skip then",
    arguments: [
      ("UTC", "2026-11-01", "2026-11-01T00:00:00Z"), ("Europe/Vienna", "2026-03-29", "2026-03-28T23:00:00Z"),
      ("Europe/Vienna", "2026-03-30", "2026-03-29T22:00:00Z"), ("Europe/Vienna", "2026-10-25", "2026-10-24T22:00:00Z"),
      ("Europe/Vienna", "2026-10-26", "2026-10-25T23:00:00Z"), ("America/Havana", "2026-03-08", "2026-03-08T05:00:00Z"),
      ("America/Havana", "2026-11-01", "2026-11-01T04:00:00Z"),
      ("Pacific/Auckland", "2026-04-05", "2026-04-04T11:00:00Z"),
    ])
  func midnights(zone: String, day: String, expected: String) throws {
    let midnight = try #require(InternetDate.parse(day + "T00:00:00Z"))
    let zone = try #require(TimeZone(identifier: zone))
    let clock = PersonalClock(now: midnight, zone: zone)
    #expect(clock.beginning(ofDay: midnight) == InternetDate.parse(expected))
  }

  private func item(_ members: String) throws -> DownloadItem {
    try DownloadItem(JSONObject(line: Array("{\"id\":\"d-1\",\(members)}".utf8)))
  }

  @Test("Each code of an error has words of its own, and an unknown one the engine's")
  func errors() {
    let codes = DownloadError.Code.allCases
    let words = Set(codes.map { Failure(code: $0.rawValue, message: "").words })
    #expect(words.count == codes.count)
    #expect(Failure(code: "new", message: "the moon is full").words == "the moon is full")
    // A tester read "the disk or the file system failed" in lists, and what to do about it nowhere but in why.
    let denied = #"the permissions of "Show" do not allow this; give this user access to it"#
    #expect(Failure(code: "io", message: denied).words == denied)
    #expect(Failure(code: "http_status", message: "", status: 503).words == "the server answered 503")
    let last = Failure(code: "retries_exhausted", message: "", cause: "timeout")
    #expect(last.words == "it failed too often, at last because the server was silent for too long")
    #expect(Failure(code: "retries_exhausted", message: "", cause: "unauthorized").needsCredentials)
    let early = DownloadError.feedEndsEarly
    #expect(Failure(code: early.code.rawValue, message: early.message).words == early.message)
  }

  @Test(
    "Moments are told as people near them would",
    arguments: [
      (0, "12:00"), (11, "23:00"), (13, "tomorrow 01:00"), (-13, "yesterday 23:00"), (24 * 21, "2026-03-27 12:00"),
    ])
  func times(hours: Int64, words: String) {
    #expect(clock.time(clock.now.advanced(byMilliseconds: hours * 3_600_000)) == words)
  }

  @Test("What a download waits for, and until when")
  func waits() throws {
    let later = #""retryAt":"2026-03-06T12:00:42.000Z""#
    let retry = #""state":"waiting","reason":"retry",\#(later),"error":{"code":"http_status","status":503}"#
    #expect(try item(retry).stateWords(by: clock) == "again in 0:42: the server answered 503")
    for (reason, words) in [
      ("network", "waits: there is no network"), ("policy", "waits: this network is metered"),
      ("host", "waits: its server asked for a pause"), ("storage", "waits: the disk is full"),
      ("schedule", "waits: the schedule is closed"), ("budget", "waits: the month's cellular budget is spent"),
    ] {
      #expect(try item(#""state":"waiting","reason":"\#(reason)""#).stateWords(by: clock) == words)
    }
    #expect(
      try item(#""state":"waiting","reason":"storage","detail":{"shortBytes":2000000}"#).stateWords(by: clock)
        == "waits: 2.0 MB more must be free")
    let quota = #""error":{"code":"no_space","message":"… or raise storageQuotaBytes"}"#
    #expect(
      try item(#""state":"waiting","reason":"storage","detail":{"shortBytes":2000000},\#(quota)"#).stateWords(by: clock)
        == "waits: the storage quota leaves 2.0 MB too few; podflux rm makes room, or podflux settings storageQuotaBytes=N"
    )
  }

  @Test("Why says what is known, and nothing else")
  func why() throws {
    let hints = try CommandHints(of: FakeLibrary())
    let failed = try item(
      #""title":"Pilot","podcast":"Old Show","state":"failed","attempt":5,"error":{"code":"not_found","message":"gone, it says"},"bytes":{"received":10,"total":100,"discarded":7,"discardedBecause":{"content_changed":7}},"addedAt":"2026-03-05T08:00:00.000Z","url":"https://e.org/p.mp3""#
    )
    #expect(
      Explanation(failed, episode: nil, library: "/l", hints: hints, by: clock).sentences == [
        "Pilot, of Old Show.",
        "It has failed: the server answered 404 Not Found. Try again with podflux retry.",
        "In detail: gone, it says.", "5 attempts failed without progress.", "10 bytes of 100 bytes are here.",
        "Of what came, it threw away 7 bytes because the file has other content now.",
        "It was added yesterday 08:00 on request.", "It comes from https://e.org/p.mp3.",
      ])
    let retried = try item(
      #""state":"waiting","reason":"retry","retryAt":"2026-03-06T12:01:00.000Z","attempt":2,"error":{"code":"timeout"}"#
    )
    #expect(
      Explanation(retried, episode: nil, library: "/l", hints: hints, by: clock).sentences == [
        "d-1.", "It is tried again in 1:00: the server was silent for too long.", "The next attempt is number 2.",
      ])
    let bare = try EpisodeItem(JSONObject(line: Array(#"{"id":"e1","enclosure":{"url":"https://e.org/1"}}"#.utf8)))
    #expect(
      Explanation(bare, feed: nil, by: clock).sentences == [
        "e1.", "It is not downloaded: nothing has asked for it. Do so with podflux get e1.",
        "Its file is at https://e.org/1.",
      ])
  }
}
