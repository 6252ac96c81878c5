import Foundation
import ScriptedOrigin
import TestSupport

/// One file of 1 GiB over loopback.
struct LargeScenario: Scenario {
  let name = "large"
  let abstract = "one file of 1 GiB over loopback, from the enqueue to the end of the process; synced by podflux only"

  private static let length = 1 << 30
  private static let path = "/file/\(length)/1/large.mp3"

  func measure(_ bench: Bench) throws -> [Figure] {
    let origin = try OriginProcess()
    var contest = Contest()
    for _ in 0..<bench.runs {
      try contest.addRound {
        try bench.folder.withFolder { try Self.podflux(library: $0 + "/library", origin) }
      } peer: { peer in
        try bench.folder.withFolder { folder in
          let usage = try peer.fetch(origin.url(Self.path), to: folder + "/large.mp3")
          try Self.check(folder + "/large.mp3")
          return usage
        }
      }
    }
    return contest.figures(wallTarget: .atMost(1.2), cpuTarget: .atMost(1.2))
  }

  private static func podflux(library: String, _ origin: OriginProcess) throws -> ChildCommand.Usage {
    let (process, _) = try PodfluxProcess.started(library: library)
    defer { process.signal(SIGKILL) }
    let stopwatch = Stopwatch()
    try process.send(
      line: #"{"type":"downloads/enqueue","payload":{"id":"large","url":"\#(origin.url(path))","path":"large.mp3"}}"#)
    let ending = try process.drain(upTo: 300)
    let wall = stopwatch.seconds
    try check(library + "/large.mp3")
    return ChildCommand.Usage(
      wallSeconds: wall, cpuSeconds: ending.cpuSeconds, peakResidentBytes: ending.peakResidentBytes)
  }

  /// Whether every byte is correct.
  private static func check(_ path: String) throws {
    guard let file = fopen(path, "r") else { throw MeasurementFailure("there is no \(path)") }
    defer { fclose(file) }
    var buffer = [UInt8](repeating: 0, count: 1 << 20)
    var isRight = true
    OriginProcess.content(length: length, seed: 1).forEachChunk { chunk in
      guard isRight else { return }
      isRight =
        fread(&buffer, 1, chunk.count, file) == chunk.count
        && chunk.baseAddress.map { memcmp($0, buffer, chunk.count) == 0 } ?? true
    }
    guard isRight, fgetc(file) == EOF else { throw MeasurementFailure("\(path) has not the content that was served") }
  }
}
