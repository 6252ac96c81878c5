import Flux
import Foundation
import PodfluxCore
import TestSupport
import Testing
import WireProtocol

@testable import PodfluxEngine

@Suite("State lines")
struct StateLinesTests {
  /// The number of runs; PODFLUX_LIVES raises it.
  private static let lives = ProcessInfo.processInfo.environment["PODFLUX_LIVES"].flatMap(Int.init) ?? 25
  private static let turns = 30

  @Test("Applied to the first full state they give the snapshot, at every revision of many random runs")
  func streamIsSnapshot() throws {
    let first = try SeededRandom.seed()
    for seed in first..<(first + UInt64(Self.lives)) {
      try live(seed)
    }
  }

  private static func query(_ life: inout RandomLife) -> DownloadsQuery {
    let conditions: [Condition] = [
      .everything, .everything, .media([.audio]), .not(.states([.completed])), .titleContains(["tag"]), .ages([.day]),
    ]
    let keys = DownloadOrderKey.allCases
    return DownloadsQuery(
      condition: conditions[life.number(in: 0...conditions.count - 1)], isUnfiltered: life.number(in: 0...1) == 0,
      order: DownloadOrder(keys[life.number(in: 0...keys.count - 1)], isReversed: life.number(in: 0...1) == 0),
      limit: life.number(in: 1...12))
  }

  private func live(_ seed: UInt64) throws {
    var life = try RandomLife(seed: seed)
    let query = SnapshotQuery(downloads: Self.query(&life))
    var lines = StateLines()
    var follower = StateFollower()
    for turn in 0..<Self.turns {
      try life.turn()
      // A slow client does not get every state.
      guard life.number(in: 0...3) > 0 else { continue }
      let (stores, now) = (life.dispatcher.state, life.now)
      let snapshot = try life.database.read {
        try $0.snapshot(query, library: "/library", stores: stores, kept: nil, now: now)
      }
      var encoder = LineEncoder()
      lines.append(RenderedState(snapshot), to: &encoder)
      for line in encoder.bytes.split(separator: UInt8(ascii: "\n")) {
        try follower.apply(String(decoding: line, as: UTF8.self))
      }
      encoder.removeAll()
      encoder.answer(.snapshot(snapshot), id: nil, revision: snapshot.revision)
      let shown = try StateFollower.payload(of: String(decoding: encoder.bytes, as: UTF8.self))
      let held = try follower.state()
      try #require(held == shown, "turn \(turn) of PODFLUX_SEED=\(seed)")
      encoder.removeAll()
      lines.append(RenderedState(snapshot), to: &encoder)
      try #require(encoder.bytes.isEmpty, "what has not changed is told again: PODFLUX_SEED=\(seed)")
    }
  }
}
