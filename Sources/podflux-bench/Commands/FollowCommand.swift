import ArgumentParser
import Foundation
import PodfluxCore
import PodfluxEngine
import TestSupport

/// `podflux-bench follow`: runs an engine inside a process with many observers while it downloads, and prints the cost
/// as JSON.
struct FollowCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "follow", abstract: "Downloads, observed by many, in one process.", shouldDisplay: false)

  @Option var library: String
  @Option var observers: Int
  @Option var transfers: Int
  @Option var url: String

  /// The measured cost.
  struct Result: Codable {
    var wallSeconds: Double
    var cpuSeconds: Double
    /// The number of states that all observers together received.
    var states: Int
    /// The longest wait of an observer for the next state, in milliseconds; nil without observers.
    var longestGap: Double?
  }

  func run() async throws {
    let podflux = try await Podflux.open(library: library)
    var patch = SettingsPatch()
    (patch.maxConcurrent, patch.maxPerHost) = (transfers, Settings.Limits.maxPerHost.upperBound)
    _ = try await podflux.dispatch(.updateSettings(patch))
    for number in 0..<transfers {
      let address = try WebAddress(url + "\(number).mp3")
      _ = try await podflux.dispatch(.downloads(.enqueue(.init(id: DownloadID("\(number)"), address: address))))
    }
    let (stopwatch, cpuBefore) = (Stopwatch(), Self.cpuSeconds)
    let followers = (0..<observers).map { _ in Task { await Self.follow(podflux) } }
    await podflux.stop(.drain)
    let (wall, cpu) = (stopwatch.seconds, Self.cpuSeconds - cpuBefore)
    var gaps: [[Double]] = []
    for follower in followers { gaps.append(await follower.value) }
    let result = Result(
      wallSeconds: wall, cpuSeconds: cpu, states: gaps.reduce(0) { $0 + $1.count }, longestGap: gaps.joined().max())
    print(String(decoding: try JSONEncoder().encode(result), as: UTF8.self))
  }

  /// The milliseconds between the states that one observer receives while downloads run.
  private static func follow(_ podflux: Podflux) async -> [Double] {
    var gaps: [Double] = []
    var stopwatch = Stopwatch()
    for await downloads in podflux.downloads() {
      if downloads.counts[.running, default: 0] > 0 { gaps.append(stopwatch.seconds * 1000) }
      stopwatch = Stopwatch()
    }
    return gaps
  }

  private static var cpuSeconds: Double {
    var usage = rusage()
    getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
    return usage.ru_utime.seconds + usage.ru_stime.seconds
  }
}
