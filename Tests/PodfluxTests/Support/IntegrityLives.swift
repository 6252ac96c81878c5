import Foundation
import ScriptedOrigin
import TestSupport

/// The runs of one library whose downloads have expected hashes: started, killed during transfers, started again.
struct IntegrityLives {
  /// The bytes that a running transfer fetched again after a kill.
  struct Refetch: Sendable, Hashable {
    var bytes: Int
    /// The rate of the transfer.
    var bytesPerSecond: Int
  }

  private static let rates = [1 << 20, 2 << 20, 4 << 20]
  private static let lengths = (2 << 20)...(5 << 20)
  private static let tinyLengths = 5000...(100 << 10)
  /// How many bytes all transfers together receive between two kills.
  private static let strides = 0...(3 << 20)
  /// A download whose file has another hash than expected.
  private static let liar = "liar"

  let number: Int
  let killCount: Int
  private let scene: Scene
  private var random: SeededRandom
  private var wanted: [String: Body] = [:]
  private var ratesByID: [String: Int] = [:]
  private var integrities: [String: String] = [:]
  private(set) var problems: [String] = []

  init(number: Int, killCount: Int, seed: UInt64) throws {
    (self.number, self.killCount) = (number, killCount)
    random = SeededRandom(seed: seed &+ UInt64(number) &* 1_000_003)
    scene = try Scene()
    for index in 0..<3 {
      let rate = Self.rates[index]
      serve("slow-\(index)", length: .random(in: Self.lengths, using: &random), bytesPerSecond: rate)
      ratesByID["slow-\(index)"] = rate
    }
    for index in 0..<4 { serve("tiny-\(index)", length: .random(in: Self.tinyLengths, using: &random)) }
    scene.serve("/" + Self.liar, length: .random(in: Self.tinyLengths, using: &random))
    integrities[Self.liar] = Body.audio(length: 7, seed: 7).integrity
  }

  private mutating func serve(_ id: String, length: Int, bytesPerSecond: Int? = nil) {
    let body = scene.serve("/" + id, length: length, bytesPerSecond: bytesPerSecond).body
    wanted[id] = body
    integrities[id] = [body.integrity, body.integrity384, body.integrity512].randomElement(using: &random)
  }

  /// Runs all rounds, and returns the kills' cost for the running transfers.
  mutating func run() throws -> [Refetch] {
    for life in 0..<killCount {
      let engine = try scene.startEager()
      if life == 0 { try enqueueAll(on: engine) }
      try waitForAnyMoment()
      try engine.kill()
      try checkBetween("after kill \(life + 1)")
    }
    let engine = try scene.startEager()
    let items = try engine.waitForDownloads(upTo: 60) { counts, _ in
      counts["completed"] == wanted.count && counts["failed"] == 1
    }.map(Item.init)
    check(items, "at the end")
    expect(items.first { $0.id == Self.liar }?.errorCode == "integrity_mismatch", "the wrong file is found out")
    expect(items.allSatisfy { $0.id == Self.liar || $0.discarded == 0 }, "nothing is discarded")
    expect(scene.publishedFiles().count == wanted.count, "no stray file: \(scene.publishedFiles())")
    expect(scene.partialFiles().filter { $0 != "\(Self.liar).part" }.isEmpty, "no partial file is left")
    engine.closeInput()
    expect(try engine.waitForEnd().status == 0, "the engine ends well")
    return refetches()
  }

  private func enqueueAll(on engine: PodfluxProcess) throws {
    for id in integrities.keys.sorted() {
      try engine.order(
        "downloads/enqueue",
        ["url": scene.origin.url("/" + id), "id": id, "title": id, "integrity": integrities[id] ?? ""])
    }
  }

  /// Waits until the origin has sent a random number of further bytes, or all downloads are complete.
  private mutating func waitForAnyMoment() throws {
    let bytes = scene.origin.totalBodyBytesSent + Int.random(in: Self.strides, using: &random)
    _ = try? scene.origin.wait(upTo: .seconds(3)) { $0.totalBodyBytesSent >= bytes }
  }

  // MARK: Checks

  private mutating func checkBetween(_ when: String) throws {
    let result = try PodfluxCommand.run(["snapshot", "--library", scene.library])
    expect(result.status == 0, "\(when): the library is readable: \(result.errors)")
    let items = try snapshotItems(result.output)
    expect(items.count == integrities.count, "\(when): nothing acknowledged is lost")
    check(items, when)
  }

  /// Every completed file matches its hash, and every file in the library belongs to a download.
  private mutating func check(_ items: [Item], _ when: String) {
    for item in items where item.state == "completed" {
      expect(scene.hash(of: item.path) == wanted[item.id]?.hash, "\(when): the content is right: \(item.json)")
    }
    let hashes = Set(wanted.values.map(\.hash))
    for path in scene.publishedFiles() {
      expect(scene.hash(of: path).map(hashes.contains) == true, "\(when): \(path) has an expected hash")
    }
  }

  /// Every request except the first follows a kill: it begins before the last byte that had been sent.
  private func refetches() -> [Refetch] {
    ratesByID.flatMap { id, rate in
      let requests = scene.origin.snapshot.requests(path: "/" + id)
      return zip(requests, requests.dropFirst()).map { earlier, later in
        Refetch(bytes: start(of: earlier) + earlier.bytesSent - start(of: later), bytesPerSecond: rate)
      }
    }
  }

  private func start(of request: RequestRecord) -> Int {
    request.rangeHeader.flatMap { Int($0.dropFirst("bytes=".count).dropLast()) } ?? 0
  }

  private mutating func expect(_ condition: Bool, _ what: String) {
    if !condition { problems.append("library \(number): not so: \(what)") }
  }
}
