import Foundation
import ScriptedOrigin
import Testing
import TestScheduling
import TestSupport

/// The same transfers against the servers that most podcasts use.
@Suite("Real servers", .systemTestAlone)
struct RealServerTests {
  /// The interruption in the middle of a transfer.
  private enum Interruption: String, CaseIterable {
    case none, pause, kill
  }

  private struct Case {
    let manner: RealServer.Manner
    let isSecure: Bool
    let interruption: Interruption
    let body: Body

    var id: String { "\(manner.rawValue)-\(isSecure ? "tls" : "plain")-\(interruption.rawValue)" }
    var name: String { "\(id).mp3" }
  }

  private static let length = 2 << 20
  private static let overlap = 64 << 10
  /// The number of bytes from which a transfer counts as being in its middle.
  private static let middle = 300_000

  private static let cases: [Case] = [false, true].flatMap { isSecure in
    RealServer.Manner.allCases.flatMap { manner in
      let isQuick = manner == .quick || manner == .quickgzip
      return (isQuick ? [.none] : [Interruption.pause, .kill]).enumerated().map { index, interruption in
        let seed = UInt64(manner.rawValue.count * 10 + index + (isSecure ? 100 : 0))
        // Beginning and end compress well, so that a server with compression would use it.
        return Case(
          manner: manner, isSecure: isSecure, interruption: interruption, body: .audio(length: Self.length, seed: seed))
      }
    }
  }

  @Test(
    "With and without ranges, compression on, at limited rates, over HTTP/1.1 and HTTP/2 with TLS: whole, paused, killed",
    arguments: RealServer.Kind.allCases)
  func transfers(kind: RealServer.Kind) throws {
    let server = try RealServer(kind)
    let scene = try Scene()
    for one in Self.cases { try server.add(one.body.allBytes, one.name, one.manner) }
    let arguments = ["--ca-file", TLSMaterial.fixture.authorityPath]
    let first = try scene.startEager(arguments, settings: ["maxConcurrent": 32, "maxPerHost": 32])
    for one in Self.cases {
      try first.order(
        "downloads/enqueue",
        ["url": server.url(one.name, one.manner, secure: one.isSecure), "id": one.id, "title": one.id])
    }
    let resumedAt = try interrupt(first, scene)
    let second = try scene.startEager(arguments, settings: ["maxConcurrent": 32, "maxPerHost": 32])
    try second.order("downloads/resume", ["ids": Self.cases.filter { $0.interruption == .pause }.map(\.id)])
    let items = try second.waitForAllCompleted(upTo: 60)
    for one in Self.cases {
      let item = try #require(items.first { $0.id == one.id })
      #expect(scene.hash(of: item.path) == one.body.hash, "\(one.id)")
      #expect(item.discarded == 0 && item.attempt == 1, "\(one.id): \(item.json)")
      try check(server, one, resumedAt[one.id])
    }
    #expect(scene.publishedFiles().count == Self.cases.count && scene.partialFiles().isEmpty)
  }

  /// Pauses some transfers in their middle and kills the engine during the others.
  ///
  /// - Returns: The lengths of the partial files then.
  private func interrupt(_ engine: PodfluxProcess, _ scene: Scene) throws -> [String: Int] {
    let states = Dictionary(uniqueKeysWithValues: Self.cases.map { ($0.id, $0.interruption) })
    try engine.waitForDownloads(upTo: 20) { _, items in
      items.map(Item.init).allSatisfy { item in
        states[item.id] == Interruption.none ? item.state == "completed" : item.received > Self.middle
      }
    }
    let paused = Self.cases.filter { $0.interruption == .pause }.map(\.id)
    try engine.order("downloads/pause", ["ids": paused])
    try engine.waitForDownloads(upTo: 20) { _, items in
      items.map(Item.init).filter { states[$0.id] == .pause }
        .allSatisfy { $0.state == "paused" && $0.durable == scene.size(ofPartial: $0.id) }
    }
    try engine.kill()
    let interrupted = Self.cases.filter { $0.interruption != .none }.map(\.id)
    let lengths = interrupted.map { ($0, scene.size(ofPartial: $0) ?? 0) }
    #expect(lengths.allSatisfy { $0.1 > Self.overlap && $0.1 < Self.length }, "all in their middle: \(lengths)")
    return Dictionary(uniqueKeysWithValues: lengths)
  }

  /// One request for the whole file, and after an interruption one for the rest, with a condition.
  private func check(_ server: RealServer, _ one: Case, _ kept: Int?) throws {
    let path = "/\(one.manner.rawValue)/\(one.name)"
    let expected = kept == nil ? 1 : 2
    try waitUntil("\(expected) requests for \(path)") { server.requests().count { $0.path == path } >= expected }
    let requests = server.requests().filter { $0.path == path }
    #expect(requests.count == expected, "\(requests)")
    #expect(requests.count { $0.range == nil && $0.ifRange == nil } == 1, "\(requests)")
    #expect(requests.allSatisfy { $0.version == (one.isSecure ? "HTTP/2.0" : "HTTP/1.1") }, "\(requests)")
    guard let kept else { return }
    let resume = try #require(requests.first { $0.range != nil }, "\(requests)")
    #expect(resume.range == "bytes=\(kept - Self.overlap)-", "\(requests)")
    #expect(resume.ifRange != nil, "\(requests)")
    #expect(resume.status == (one.manner == .rangeless ? 200 : 206), "\(requests)")
  }

  @Test(
    "The servers do compress for others: that the engine gets none of it is its own doing",
    arguments: RealServer.Kind.allCases)
  func compression(kind: RealServer.Kind) throws {
    let server = try RealServer(kind)
    try server.add(Body.audio(length: 100_000, seed: 1).allBytes, "a.mp3", .quickgzip)
    let curl = Process()
    let output = Pipe()
    curl.executableURL = URL(fileURLWithPath: "/usr/bin/curl")
    curl.arguments = [
      "-s", "-D", "-", "-o", "/dev/null", "-H", "Accept-Encoding: gzip", server.url("a.mp3", .quickgzip, secure: false),
    ]
    curl.standardOutput = output
    try curl.run()
    let head = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    curl.waitUntilExit()
    #expect(head.lowercased().contains("content-encoding: gzip"), "\(head)")
  }
}
