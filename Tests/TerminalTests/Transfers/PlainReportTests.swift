import Terminal
import Testing

@Suite("Progress without a terminal")
struct PlainReportTests {
  private func summary(_ received: Int64) -> TransferSummary {
    TransferSummary(done: 3, of: 9, received: received, total: 240_000_000, bytesPerSecond: 4_300_000)
  }

  @Test("A summary each thirty seconds, the first after thirty, and none where nothing has changed")
  func summaries() {
    var report = PlainReport(startingAt: 1_000_000)
    #expect(report.summaryLine(summary(0), at: 1_000_000) == nil)
    #expect(report.summaryLine(summary(70_000_000), at: 1_029_999) == nil)
    #expect(report.summaryLine(summary(80_000_000), at: 1_030_000) == "progress 3/9 80.0 MB 4.3 MB/s")
    #expect(report.summaryLine(summary(81_000_000), at: 1_030_001) == nil)
    #expect(report.summaryLine(summary(80_000_000), at: 1_060_000) == nil)
    #expect(report.summaryLine(summary(90_000_000), at: 1_075_000) == "progress 3/9 90.0 MB 4.3 MB/s")
    #expect(report.summaryLine(summary(95_000_000), at: 1_100_000) == nil)
    #expect(report.summaryLine(summary(95_000_000), at: 1_105_000) != nil)
  }

  @Test("The summary says what has failed, and no rate where nothing moves")
  func failures() {
    var report = PlainReport(intervalMilliseconds: 0, startingAt: 0)
    let line = report.summaryLine(
      TransferSummary(done: 3, of: 9, failed: 2, received: 80_000_000, total: nil, bytesPerSecond: 0), at: 0)
    #expect(line == "progress 3/9 80.0 MB 2 failed")
  }

  @Test("A line for each end and each retry; that something moves or waits is no event")
  func events() {
    func line(_ state: TransferRow.State) -> String? {
      PlainReport.line(for: TransferRow(podcast: "Night Trains", title: "Vienna\u{1B}[2J", state: state))
    }
    let path = "Night Trains/2026-03-06 Vienna to Hamburg.mp3"
    #expect(line(.done(bytes: 31_400_000, path: path)) == "done     \(path)  31.4 MB")
    #expect(line(.done(bytes: 31_400_000)) == "done     Night Trains: Vienna�[2J  31.4 MB")
    #expect(line(.failed("404 Not Found")) == "failed   Night Trains: Vienna�[2J: 404 Not Found")
    #expect(line(.retrying("again in 0:42")) == "retry    Night Trains: Vienna�[2J: again in 0:42")
    #expect(line(.waiting("paused")) == nil)
    #expect(line(.moving(.init(received: 0, total: nil, bytesPerSecond: 0))) == nil)
    #expect(PlainReport.line("refreshed", "38 feeds") == "refreshed 38 feeds")
    #expect(PlainReport.line(for: TransferRow(podcast: "", title: "a", state: .failed("b"))) == "failed   a: b")
  }
}
