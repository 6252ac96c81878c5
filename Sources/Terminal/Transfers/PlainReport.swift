/// Progress without a terminal: a line for each event, and a summary now and then.
package struct PlainReport: Sendable {
  private let intervalMilliseconds: Int64
  private var lastTime: Int64
  private var last: TransferSummary?

  /// The width of the words with which lines begin.
  private static let wordWidth = 8

  /// - Parameters:
  ///   - intervalMilliseconds: The least time between two summaries.
  ///   - now: The time of a monotonic clock, in milliseconds. The first summary comes an interval later.
  package init(intervalMilliseconds: Int64 = 30_000, startingAt now: Int64) {
    self.intervalMilliseconds = intervalMilliseconds
    lastTime = now
  }

  /// The line of a summary that is due now; nil if it is not yet, or if nothing has changed since the last one.
  package mutating func summaryLine(_ summary: TransferSummary, at now: Int64) -> String? {
    guard now - lastTime >= intervalMilliseconds, summary != last else { return nil }
    (lastTime, last) = (now, summary)
    return Self.line("progress", summary.plain)
  }

  /// The line of an event: a word such as "failed", and what it is about.
  package static func line(_ word: String, _ text: String) -> String {
    word.printable.padded(toWidth: wordWidth) + " " + text.printable
  }

  /// The line of a finished download or of one that will be tried again. That a download moves or waits is no event.
  package static func line(for row: TransferRow) -> String? {
    let name = row.podcast.isEmpty ? row.title : "\(row.podcast): \(row.title)"
    return switch row.state {
    case .done(let bytes, let path): line("done", "\(path ?? name)  \(ByteCount(bytes))")
    case .failed(let reason): line("failed", "\(name): \(reason)")
    case .retrying(let words): line("retry", "\(name): \(words)")
    case .moving, .waiting: nil
    }
  }
}
