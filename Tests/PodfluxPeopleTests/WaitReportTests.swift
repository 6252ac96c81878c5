import Flux
import PodfluxClient
import PodfluxPeople
import Testing
import WireProtocol

/// A tester saw nothing but "progress 0/1" for a minute, while the schedule was closed for days.
@Suite("What is told of waits without a terminal")
struct WaitReportTests {
  private let clock = PersonalClock(now: Timestamp(milliseconds: 0), zone: .gmt)

  private func item(_ id: String, _ members: String) throws -> DownloadItem {
    try DownloadItem(JSONObject(line: Array(#"{"id":"\#(id)","title":"\#(id)",\#(members)}"#.utf8)))
  }

  private func waiting(_ id: String, for reason: String) throws -> DownloadItem {
    try item(id, #""state":"waiting","reason":"\#(reason)""#)
  }

  @Test("A wait is told once when it has lasted a second, and again when it is for something else")
  func changes() throws {
    var report = WaitReport()
    let network = [try waiting("a", for: "network")]
    #expect(report.lines(for: network, by: clock, at: 0) == [])
    #expect(report.lines(for: network, by: clock, at: 999) == [])
    #expect(report.lines(for: network, by: clock, at: 1000) == ["waiting  a: waits: there is no network"])
    #expect(report.lines(for: network, by: clock, at: 60_000) == [])
    let storage = [try waiting("a", for: "storage")]
    #expect(report.lines(for: storage, by: clock, at: 61_000) == [])
    #expect(report.lines(for: storage, by: clock, at: 62_000) == ["waiting  a: waits: the disk is full"])
    #expect(report.lines(for: [try item("a", #""state":"running""#)], by: clock, at: 63_000) == [])
    #expect(report.lines(for: storage, by: clock, at: 64_000) == [])
    #expect(report.lines(for: storage, by: clock, at: 65_000) == ["waiting  a: waits: the disk is full"])
  }

  @Test("What passes at once and what is tried again are told elsewhere or not at all")
  func silence() throws {
    var report = WaitReport()
    for now in stride(from: Int64(0), to: 10_000, by: 500) {
      let reason = now % 1000 == 0 ? "network" : "host"
      let items = [try waiting("a", for: reason), try waiting("b", for: "retry"), try item("c", #""state":"queued""#)]
      #expect(report.lines(for: items, by: clock, at: now) == [])
    }
  }

  @Test("Many that begin to wait together are counted")
  func many() throws {
    var report = WaitReport()
    let few = [try waiting("x", for: "policy"), try item("y", #""podcast":"P","state":"waiting","reason":"policy""#)]
    let all = try (1...11).map { try waiting("\($0)", for: "network") } + few
    #expect(report.lines(for: all, by: clock, at: 0) == [])
    #expect(
      report.lines(for: all, by: clock, at: 1000) == [
        "waiting  11 downloads: waits: there is no network", "waiting  x: waits: this network is metered",
        "waiting  P: y: waits: this network is metered",
      ])
  }

  @Test("At the end those that wait for the same are counted, and so are those of which only that is known")
  func ending() {
    let many = (1...64).map { (name: "\($0)", words: "waits: the schedule is closed") }
    #expect(
      WaitReport.lines(for: many + [(name: "x", words: "waits: the disk is full")], unlisted: 13_929) == [
        "waiting  64 downloads: waits: the schedule is closed", "waiting  x: waits: the disk is full",
        "waiting  and 13929 further downloads",
      ])
    #expect(WaitReport.lines(for: []) == [])
  }
}
