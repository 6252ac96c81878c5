import PodfluxClient
import PodfluxCore
import Terminal

/// What is told of downloads that wait, where no table shows it: a line when one begins to wait, and when it waits for
/// something else. That one is tried again is told with its error, elsewhere.
package struct WaitReport {
  private struct Wait {
    let reason: WaitingReason
    let since: Int64
    var isTold = false
  }

  /// How long a download waits before that is told, in milliseconds: what passes at once is no news.
  private static let patienceMilliseconds: Int64 = 1000
  /// Of how many downloads that begin to wait together each is named; more are counted.
  private static let named = 10

  private var waits: [String: Wait] = [:]

  package init() {}

  /// The lines that are due.
  ///
  /// - Parameters:
  ///   - items: The downloads as they are now.
  ///   - now: The time of a monotonic clock, in milliseconds.
  package mutating func lines(for items: [DownloadItem], by clock: PersonalClock, at now: Int64) -> [String] {
    let before = waits
    waits = [:]
    var due: [(name: String, words: String)] = []
    for item in items where item.state == .waiting {
      guard let reason = item.reason, reason != .retry else { continue }
      var wait = before[item.id].flatMap { $0.reason == reason ? $0 : nil } ?? Wait(reason: reason, since: now)
      if !wait.isTold, now - wait.since >= Self.patienceMilliseconds {
        wait.isTold = true
        due.append((item.podcast.map { "\($0): \(item.name)" } ?? item.name, item.stateWords(by: clock)))
      }
      waits[item.id] = wait
    }
    return Self.lines(for: due)
  }

  /// The lines of downloads that wait: of those that wait for the same each one is named if they are few, and more are
  /// counted.
  ///
  /// - Parameters:
  ///   - waits: The name of each download, and for what it waits.
  ///   - unlisted: How many others wait, of which only that is known.
  package static func lines(for waits: [(name: String, words: String)], unlisted: Int = 0) -> [String] {
    var (words, names): ([String], [String: [String]]) = ([], [:])
    for wait in waits {
      if names[wait.words] == nil { words.append(wait.words) }
      names[wait.words, default: []].append(wait.name)
    }
    let listed = words.flatMap { lines(for: names[$0] ?? [], $0) }
    guard unlisted > 0 else { return listed }
    return listed + [PlainReport.line("waiting", "and " + count(unlisted, "further download"))]
  }

  private static func lines(for names: [String], _ words: String) -> [String] {
    let subjects = names.count > named ? ["\(names.count) downloads"] : names
    return subjects.map { PlainReport.line("waiting", "\($0): \(words)") }
  }
}
