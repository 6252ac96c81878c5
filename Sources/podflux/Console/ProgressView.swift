import Foundation
import PodfluxClient
import PodfluxPeople
import Terminal

/// Shows how downloads get on, on stderr: as a table that moves, as lines, or not at all. A command has one from its
/// first download to its last: what was told is told once.
struct ProgressView {
  let console: Console
  private var table = TransferTable()
  private var region: LiveRegion
  private var report = PlainReport(startingAt: ProgressView.now)
  /// The reasons that were told of downloads which are tried again.
  private var toldRetries: [String: String] = [:]
  private var waits = WaitReport()

  init(_ console: Console) {
    self.console = console
    region = LiveRegion(usesColor: console.mode.usesColor)
  }

  /// Shows what has changed.
  mutating func show(_ follower: DownloadFollower, settled: [DownloadFollower.Settled]) {
    let finished = settled.compactMap(\.row)
    switch console.mode.progress {
    case .live:
      let (rows, size) = (follower.rows.map { $0.row(by: console.clock) }, console.size)
      let frame = table.frame(finished + rows, unlisted: follower.unlisted, summary: follower.summary, on: size)
      LiveScreen.draw(region.draw(frame.lines, above: frame.finished, on: size))
    case .plain:
      for row in finished { tell(row) }
      for item in follower.rows where item.reason == .retry { tellRetry(item) }
      for line in waits.lines(for: follower.rows, by: console.clock, at: Self.now) { console.errors.write(line: line) }
      if let line = report.summaryLine(follower.summary, at: Self.now) { console.errors.write(line: line) }
    case .none: break
    }
  }

  /// Removes the table, and leaves what has scrolled away.
  mutating func finish() {
    if console.mode.progress == .live { LiveScreen.end(region.erase()) }
  }

  /// Makes room for results, if the terminal of the table shows them too.
  mutating func makeRoom() {
    if console.output.isTerminal { finish() }
  }

  private func tell(_ row: TransferRow) {
    if let line = PlainReport.line(for: row) { console.errors.write(line: line) }
  }

  /// A download that waits for its next attempt is told once for each error.
  private mutating func tellRetry(_ item: DownloadItem) {
    let words = item.error?.words ?? ""
    guard toldRetries[item.id] != words else { return }
    toldRetries[item.id] = words
    tell(item.row(by: console.clock))
  }

  /// Milliseconds of the monotonic clock.
  private static var now: Int64 { Int64(clamping: DispatchTime.now().uptimeNanoseconds / 1_000_000) }
}
