import Foundation

/// The seeds that a test run sweeps: different for each commit, the same for every run of one commit.
///
/// `PODFLUX_SWEEP` sets their number, `PODFLUX_SWEEP_FROM` the first one.
struct SweptSeeds: CustomStringConvertible {
  let first: UInt64
  let count: UInt64

  /// In a debug build a turn takes some 20 times as long.
  #if DEBUG
    private static let usualCount: UInt64 = 3
  #else
    private static let usualCount: UInt64 = 16
  #endif
  /// Long manual sweeps use the seeds below.
  private static let firstOfCommits: UInt64 = 1_000_000_000

  /// - Throws: `NoCommit` if neither the environment names the seeds nor git the commit.
  init() throws {
    let environment = ProcessInfo.processInfo.environment
    count = environment["PODFLUX_SWEEP"].flatMap(UInt64.init) ?? Self.usualCount
    first = try environment["PODFLUX_SWEEP_FROM"].flatMap(UInt64.init) ?? Self.seed(ofCommit: Self.commit())
  }

  var description: String { "\(count) seeds from \(first)" }

  /// The arguments of podflux-sim's commands.
  var arguments: [String] { ["--from", "\(first)", "--count", "\(count)"] }

  struct NoCommit: Error {
    let said: String
  }

  /// The first seed of a commit: its first eight digits, as a number.
  static func seed(ofCommit commit: String) throws -> UInt64 {
    guard commit.count >= 40, let number = UInt64(commit.prefix(8), radix: 16) else { throw NoCommit(said: commit) }
    return firstOfCommits + number
  }

  private static func commit() throws -> String {
    let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().path
    // The clone may belong to another user.
    let git = try Child("/usr/bin/env", ["git", "-c", "safe.directory=*", "-C", folder, "rev-parse", "HEAD"])
    guard git.status == 0 else { throw NoCommit(said: git.output) }
    return git.output.trimmingCharacters(in: .whitespacesAndNewlines)
  }
}
