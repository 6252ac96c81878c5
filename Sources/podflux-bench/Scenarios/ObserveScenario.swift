import Foundation
import TestSupport

/// A hundred observers while 64 downloads run.
struct ObserveScenario: Scenario {
  let name = "observe"
  let abstract = "100 observers of 64 transfers, at 1 MiB/s each and at full speed"

  private static let observerCount = 100
  private static let transferCount = 64
  private static let megabyte = 1 << 20
  /// How long the slow downloads take, in seconds.
  private static let slowSeconds = 8
  private static let fastLength = 24 << 20
  /// The observers' default interval, in milliseconds.
  private static let interval = 250.0

  func measure(_ bench: Bench) throws -> [Figure] {
    let origin = try OriginProcess()
    let slow = origin.url("/slow/\(Self.megabyte)/\(Self.slowSeconds * Self.megabyte)/1/")
    let fast = origin.url("/file/\(Self.fastLength)/1/")
    var (share, gaps, fastGaps, fastWall): ([Double], [Double], [Double], [Double]) = ([], [], [], [])
    for _ in 0..<bench.runs {
      let alone = try Self.follow(slow, observers: 0, bench)
      let observed = try Self.follow(slow, observers: Self.observerCount, bench)
      share.append((observed.cpuSeconds - alone.cpuSeconds) / observed.wallSeconds * 100)
      if let gap = observed.longestGap { gaps.append(gap) }
      let fastAlone = try Self.follow(fast, observers: 0, bench)
      let fastObserved = try Self.follow(fast, observers: Self.observerCount, bench)
      fastWall.append(fastObserved.wallSeconds / fastAlone.wallSeconds)
      if let gap = fastObserved.longestGap { fastGaps.append(gap) }
    }
    return [
      Figure("CPU of observation, of one core", .percent, share, target: .atMost(5)),
      Figure("longest wait for a state", .milliseconds, gaps, target: .atMost(Self.interval * 2)),
      Figure("the same, at full speed", .milliseconds, fastGaps, target: .atMost(Self.interval * 2)),
      Figure("slowed, at full speed", .times, fastWall, target: .atMost(1.1)),
    ]
  }

  private static func follow(_ url: String, observers: Int, _ bench: Bench) throws -> FollowCommand.Result {
    try bench.folder.withFolder { folder in
      let output = Pipe()
      let child = try ChildCommand.spawn([
        "/proc/self/exe", "follow", "--library", folder + "/library", "--observers", "\(observers)", "--transfers",
        "\(transferCount)", "--url", url,
      ]) { actions in
        posix_spawn_file_actions_adddup2(&actions, output.fileHandleForWriting.fileDescriptor, 1)
      }
      try output.fileHandleForWriting.close()
      let printed = output.fileHandleForReading.readDataToEndOfFile()
      var status: Int32 = 0
      while waitpid(child, &status, 0) < 0, errno == EINTR {}
      guard status == 0 else { throw MeasurementFailure("following failed (wait status \(status))") }
      return try JSONDecoder().decode(FollowCommand.Result.self, from: printed)
    }
  }
}
