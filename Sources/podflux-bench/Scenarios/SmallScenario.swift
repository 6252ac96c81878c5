import Foundation
import Synchronization
import TestSupport

/// Many small files.
struct SmallScenario: Scenario {
  let name = "small"
  let abstract = "2,000 files, half of 65 KiB and half of 1 MiB, 8 at once; synced by podflux and libcurl alone"

  private static let fileCount = 2000
  /// No multiple of a page or a block, as lengths of episodes.
  private static let lengths = [(64 << 10) + 1234, (1 << 20) + 777]
  private static let atOnce = 8
  /// The size of podflux's writes.
  private static let writtenAtOnce = 32 << 10

  func measure(_ bench: Bench) throws -> [Figure] {
    let origin = try OriginProcess()
    var contest = Contest()
    var disk: [Double] = []
    for _ in 0..<bench.runs {
      disk.append(try bench.folder.withFolder(Self.writeAndSync))
      try contest.addRound {
        try bench.folder.withFolder { try Self.podflux(library: $0 + "/library", origin) }
      } floor: {
        try bench.folder.withFolder { folder in
          let urls = (0..<Self.fileCount).map { Self.url($0, origin) }
          let usage = try Floor.fetch(urls, into: folder, atOnce: Self.atOnce)
          try Self.check(folder)
          return usage
        }
      } peer: { peer in
        try bench.folder.withFolder { folder in
          let urls = (0..<Self.fileCount).map { Self.url($0, origin) }
          let usage = try peer.fetch(urls, into: folder, atOnce: Self.atOnce)
          try Self.check(folder)
          return usage
        }
      }
    }
    return [Figure("written and synced alone", .seconds, disk)]
      + contest.figures(wallTarget: .atMost(1.5), cpuTarget: nil)
  }

  /// The time to only write and sync the same files, without fetching or recording: the disk's share.
  private static func writeAndSync(into folder: String) throws -> Double {
    let failure = Mutex<String?>(nil)
    let stopwatch = Stopwatch()
    DispatchQueue.concurrentPerform(iterations: atOnce) { worker in
      let piece = [UInt8](repeating: 0x55, count: writtenAtOnce)
      for number in stride(from: worker, to: fileCount, by: atOnce) {
        let file = open("\(folder)/\(name(number))", O_WRONLY | O_CREAT | O_EXCL, 0o600)
        defer { close(file) }
        let length = lengths[number % lengths.count]
        for offset in stride(from: 0, to: length, by: piece.count)
        where write(file, piece, min(piece.count, length - offset)) < 0 {
          failure.withLock { $0 = String(cString: strerror(errno)) }
        }
        if fdatasync(file) != 0 { failure.withLock { $0 = String(cString: strerror(errno)) } }
      }
    }
    let seconds = stopwatch.seconds
    if let reason = failure.withLock({ $0 }) { throw MeasurementFailure("the files cannot be written: \(reason)") }
    try check(folder)
    return seconds
  }

  private static func podflux(library: String, _ origin: OriginProcess) throws -> ChildCommand.Usage {
    let (process, _) = try PodfluxProcess.started(library: library)
    defer { process.signal(SIGKILL) }
    try process.order("settings/update", ["maxConcurrent": atOnce, "maxPerHost": atOnce])
    let lines = (0..<fileCount).map { number in
      """
      {"type":"downloads/enqueue","payload":{"id":"\(number)","path":"\(name(number))","url":"\(url(number, origin))"}}

      """
    }
    let stopwatch = Stopwatch()
    try process.send(bytes: lines.flatMap(\.utf8))
    let ending = try process.drain(upTo: 600)
    let wall = stopwatch.seconds
    try check(library)
    return ChildCommand.Usage(
      wallSeconds: wall, cpuSeconds: ending.cpuSeconds, peakResidentBytes: ending.peakResidentBytes)
  }

  private static func name(_ number: Int) -> String { "episode-\(number).mp3" }

  private static func url(_ number: Int, _ origin: OriginProcess) -> String {
    origin.url("/file/\(lengths[number % lengths.count])/\(number % 16)/\(name(number))")
  }

  /// Whether all files exist with their lengths.
  private static func check(_ folder: String) throws {
    for number in 0..<fileCount {
      var status = stat()
      guard stat("\(folder)/\(name(number))", &status) == 0, status.st_size == lengths[number % lengths.count] else {
        throw MeasurementFailure("\(name(number)) is missing in \(folder), or has a wrong length")
      }
    }
  }
}
