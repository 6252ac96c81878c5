import Foundation

/// The seeds that one run of the tests sweeps: other ones for each commit, the same ones whenever that commit is tested.
///
/// `PODFLUX_SWEEP` says how many, `PODFLUX_SWEEP_FROM` which is the first.
struct SweptSeeds: CustomStringConvertible {
  let first: UInt64
  let count: UInt64

  /// In a debug build a turn takes some 20 times as long.
  #if DEBUG
    private static let usualCount: UInt64 = 3
  #else
    private static let usualCount: UInt64 = 60
  #endif
  /// The seeds below are those of long sweeps by hand.
  private static let firstOfCommits: UInt64 = 1_000_000_000

  /// - Throws: `NoCommit` where neither the environment says which seeds nor git knows the commit.
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

  /// The first seed that belongs to a commit: its first eight digits, as a number.
  static func seed(ofCommit commit: String) throws -> UInt64 {
    guard commit.count >= 40, let number = UInt64(commit.prefix(8), radix: 16) else { throw NoCommit(said: commit) }
    return firstOfCommits + number
  }

  private static func commit() throws -> String {
    let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().path
    // The clone may be another user's.
    let git = try Child("/usr/bin/env", ["git", "-c", "safe.directory=*", "-C", folder, "rev-parse", "HEAD"])
    guard git.status == 0 else { throw NoCommit(said: git.output) }
    return git.output.trimmingCharacters(in: .whitespacesAndNewlines)
  }
}
