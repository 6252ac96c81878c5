import Foundation
import ScriptedOrigin
import TestSupport

/// One round: start, enqueue, SIGKILL at a random time, start again, and check for losses.
///
/// Each round has its own library and origin, so that rounds can run concurrently: files of 2 to 8 MiB at 1 MiB/s take
/// seconds, which keeps the ratio of served to needed bytes meaningful.
struct KillRound {
  /// The time of the kill.
  enum Moment: CaseIterable {
    /// Right after an acknowledgement, with others pending.
    case acknowledging
    /// After the origin has sent this much.
    case transferring
    /// When this many of the tiny files are in the library.
    case publishing
  }

  private static let slowBytesPerSecond = 1 << 20
  private static let slowLengths = (2 << 20)...(8 << 20)
  private static let tinyLengths = 1024...(100 << 10)
  private static let tinyCount = 12

  let number: Int
  private let scene: Scene
  private var random: SeededRandom
  private var wanted: [String: Body] = [:]
  private var slowPaths: [String] = []
  /// The problems found. Rounds run on other threads, where `#expect` knows no test.
  private(set) var problems: [String] = []

  init(number: Int, seed: UInt64) throws {
    self.number = number
    random = SeededRandom(seed: seed &+ UInt64(number) &* 1_000_003)
    scene = try Scene()
    for index in 0..<Int.random(in: 1...3, using: &random) {
      let length = Int.random(in: Self.slowLengths, using: &random)
      slowPaths.append("/slow-\(index)")
      wanted["slow-\(index)"] =
        scene.serve("/slow-\(index)", length: length, bytesPerSecond: Self.slowBytesPerSecond).body
    }
    for index in 0..<Self.tinyCount {
      wanted["tiny-\(index)"] =
        scene.serve("/tiny-\(index)", length: .random(in: Self.tinyLengths, using: &random)).body
    }
  }

  /// The cost of a round.
  struct Cost: Sendable {
    var servedBytes = 0
    var neededBytes = 0

    mutating func add(_ other: Cost) {
      servedBytes += other.servedBytes
      neededBytes += other.neededBytes
    }
  }

  mutating func run() throws -> Cost {
    let acknowledged = try startAndKill()
    try checkBetween(acknowledged)
    let engine = try scene.startEager()
    try checkStart(engine, acknowledged)
    try enqueueAll(on: engine)
    let items = try engine.waitForAllCompleted(upTo: 60)
    check(items)
    engine.closeInput()
    expect(try engine.waitForEnd().status == 0, "the engine ends well")
    let seen = scene.origin.snapshot
    return slowPaths.reduce(into: Cost()) { cost, path in
      cost.servedBytes += seen.bytesSent(path: path)
      cost.neededBytes += wanted[String(path.dropFirst())]?.length ?? 0
    }
  }

  /// Returns the ids whose `ok` was read before the kill.
  private mutating func startAndKill() throws -> Set<String> {
    let engine = try scene.startEager()
    let moment = Moment.allCases.randomElement(using: &random) ?? .transferring
    try enqueueAll(on: engine)
    switch moment {
    case .acknowledging: try engine.waitForAcknowledgements(.random(in: 1...wanted.count, using: &random))
    case .transferring:
      try engine.waitForAcknowledgements(wanted.count)
      let bytes = Int.random(in: 0...wanted.values.reduce(0) { $0 + $1.length }, using: &random)
      try scene.origin.wait(upTo: .seconds(30)) { $0.totalBodyBytesSent >= bytes }
    case .publishing:
      try engine.waitForAcknowledgements(wanted.count)
      let count = Int.random(in: 1...Self.tinyCount, using: &random)
      try waitUntil("\(count) files", upTo: 20) { scene.publishedFiles().count >= count }
    }
    try engine.kill()
    return Set(engine.acknowledgedIDs)
  }

  private mutating func enqueueAll(on engine: PodfluxProcess) throws {
    let ids = wanted.keys.sorted().shuffled(using: &random)
    try engine.send(line: ids.map { enqueueLine($0) }.joined(separator: "\n"))
  }

  private func enqueueLine(_ id: String) -> String {
    #"{"meta":{"id":"for \#(id)"},"payload":{"id":"\#(id)","url":"\#(scene.origin.url("/" + id))"},"type":"downloads/enqueue"}"#
  }

  /// Checks the library without an engine: acknowledged downloads exist, and completed ones are complete.
  private mutating func checkBetween(_ acknowledged: Set<String>) throws {
    let result = try PodfluxCommand.run(["snapshot", "--library", scene.library])
    expect(result.status == 0, "the library is readable: \(result.errors)")
    let items = try snapshotItems(result.output)
    expect(acknowledged.subtracting(items.map(\.id)).isEmpty, "nothing acknowledged is lost")
    for item in items where item.state == "completed" {
      expect(scene.hash(of: item.path) == wanted[item.id]?.hash, "the content is right: \(item.json)")
    }
    expect(!items.contains { $0.state == "running" }, "nothing runs without an engine")
  }

  private mutating func checkStart(_ engine: PodfluxProcess, _ acknowledged: Set<String>) throws {
    let (counts, items) = try engine.downloads()
    expect(acknowledged.subtracting(items.map { Item(json: $0).id }).isEmpty, "nothing is lost at the start")
    let byState = Dictionary(grouping: items) { Item(json: $0).state }.mapValues(\.count)
    expect(counts.filter { $0.value > 0 } == byState, "the counts are of these rows")
  }

  private mutating func check(_ items: [Item]) {
    expect(Set(items.map(\.id)) == Set(wanted.keys), "the downloads are those that were enqueued")
    for item in items {
      expect(item.attempt == 1, "a kill is no failure: \(item.json)")
      expect(scene.hash(of: item.path) == wanted[item.id]?.hash, "the content is right: \(item.json)")
      expect(item.discarded == 0, "nothing has changed: \(item.json)")
    }
    expect(scene.publishedFiles() == items.compactMap(\.path).sorted(), "no stray file")
    expect(scene.partialFiles().isEmpty, "no partial file is left")
  }
}

extension KillRound {
  private mutating func expect(_ condition: Bool, _ what: String) {
    if !condition { problems.append("round \(number): not so: \(what)") }
  }
}

/// The downloads in a line of `podflux snapshot`.
func snapshotItems(_ line: String) throws -> [Item] {
  let reply = try PodfluxProcess.parse(line)
  let payload = reply["payload"] as? [String: Any]
  let downloads = payload?["downloads"] as? [String: Any]
  guard let items = downloads?["items"] as? [[String: Any]] else {
    throw PodfluxProcess.Failure("no snapshot: \(line)")
  }
  return items.map(Item.init)
}

extension PodfluxProcess {
  /// The ids of acknowledged enqueues, in the order of the replies.
  var acknowledgedIDs: [String] {
    lines.compactMap { line in
      guard line.contains(#""type":"ok""#), let start = line.range(of: #""created":true,"id":""#)?.upperBound else {
        return nil
      }
      return String(line[start...].prefix { $0 != "\"" })
    }
  }

  /// Waits until this many enqueues have been acknowledged.
  func waitForAcknowledgements(_ count: Int) throws {
    try waitUntil("\(count) acknowledgements", upTo: 20) { acknowledgedIDs.count >= count }
  }
}
