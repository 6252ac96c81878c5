import Flux
import PodfluxClient
import PodfluxCore
import Terminal

/// Downloads in words.
extension DownloadItem {
  /// What people call it: the title, else the end of its URL, else its id.
  package var name: String {
    if let title, !title.isEmpty { return title }
    return url.flatMap(Self.fileName) ?? id
  }

  /// The last part of a URL's path; nil if it has none.
  private static func fileName(of url: String) -> String? {
    let path = url.prefix { $0 != "?" && $0 != "#" }
    let parts = path.split(separator: "/", omittingEmptySubsequences: false)
    // "https:", "", the host, and the path.
    guard parts.count > 3, let last = parts.last, !last.isEmpty else { return nil }
    return String(last)
  }

  /// State and reason in a few words, such as "again in 0:42: the server answered 503".
  package func stateWords(by clock: PersonalClock) -> String {
    switch state {
    case .queued: "in the queue"
    case .running: phase == "receiving" ? "running" : phase ?? "running"
    case .paused: "paused"
    case .completed: "here"
    case .failed: error?.words ?? "failed"
    case .waiting: waitWords(by: clock)
    case nil: "unknown"
    }
  }

  /// What room it waits for.
  private var roomWords: String {
    guard let short = wait.shortBytes.map({ ByteCount($0) }) else { return "the disk is full" }
    guard error?.isOfQuota == true else { return "\(short) more must be free" }
    return "the storage quota leaves \(short) too few; podflux rm makes room, or podflux settings storageQuotaBytes=N"
  }

  private func waitWords(by clock: PersonalClock) -> String {
    let because = error.map { ": \($0.words)" } ?? ""
    switch reason {
    case .retry: return "again \(clock.distance(to: retryAt ?? clock.now))\(because)"
    case .host:
      return "waits: its server asked for a pause" + (retryAt.map { ", again \(clock.distance(to: $0))" } ?? "")
    case .network: return "waits: there is no network"
    case .policy: return "waits: this network is metered"
    case .storage:
      return "waits: \(roomWords)"
    case .schedule:
      return "waits: the schedule is closed" + (wait.until.map { ", again \(clock.distance(to: $0))" } ?? "")
    case .budget:
      let until = wait.until.map { " until \(clock.day($0))" } ?? ""
      return "waits: the month's cellular budget is spent\(until)"
    case .auth: return "waits: its login is not open"
    case nil: return "waits"
    }
  }

  /// The row of a table of transfers.
  package func row(by clock: PersonalClock) -> TransferRow {
    TransferRow(podcast: podcast ?? "", title: name, state: rowState(by: clock))
  }

  private func rowState(by clock: PersonalClock) -> TransferRow.State {
    switch state {
    case .running:
      .moving(.init(received: bytes.received, total: bytes.total, bytesPerSecond: rate))
    case .completed: .done(bytes: bytes.total ?? bytes.received, path: path)
    case .failed: .failed(stateWords(by: clock))
    case .waiting where reason == .retry: .retrying(stateWords(by: clock))
    case .queued, .waiting, .paused, nil: .waiting(stateWords(by: clock))
    }
  }
}
