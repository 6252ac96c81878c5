import Foundation
import TestSupport

/// The seeds that a test run sweeps: different for each commit, the same for every run of one commit.
///
/// `PODFLUX_SWEEP` sets how many live for 2,000 turns, `PODFLUX_SWEEP_FROM` the first one of every sweep.
struct SweptSeeds: CustomStringConvertible {
  let first: UInt64
  let count: UInt64

  /// In a debug build a turn takes some 20 times as long.
  #if DEBUG
    private static let usualCount: UInt64 = 3
  #else
    private static let usualCount: UInt64 = 12
  #endif
  /// Long manual sweeps use the seeds below.
  private static let firstOfCommits: UInt64 = 1_000_000_000

  /// - Throws: `TestedCommit.Unknown` if neither the environment names the seeds nor git the commit.
  init() throws {
    let environment = ProcessInfo.processInfo.environment
    count = environment["PODFLUX_SWEEP"].flatMap(UInt64.init) ?? Self.usualCount
    first = try environment["PODFLUX_SWEEP_FROM"].flatMap(UInt64.init) ?? Self.first(of: .current())
  }

  var description: String { "\(count) seeds from \(first)" }

  /// The arguments of podflux-sim's commands.
  var arguments: [String] { ["--from", "\(first)", "--count", "\(count)"] }

  /// The first seed of a commit.
  static func first(of commit: TestedCommit) -> UInt64 { firstOfCommits + commit.number }
}
