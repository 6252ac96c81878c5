import Foundation
import ScriptedOrigin
import Testing
import TestScheduling
import TestSupport

/// Everything that origins and proxies can do to a transfer: each fault at first, on the resume, and on both.
@Suite("The fault matrix", .systemTestAlone)
struct FaultMatrixTests {
  private static let rows =
    FaultRow.ranges + FaultRow.versions + FaultRow.framing + FaultRow.media + FaultRow.statuses + FaultRow.connections
    + FaultRow.codings

  /// Stall timeouts of one second and three attempts, so that a row takes a few seconds; 64 rows run at once, without
  /// those that wait for a retry.
  private static let settings: [String: Int] = [
    "retryFirstSeconds": 1, "retryMaxSeconds": 1, "maxAttempts": 3, "stallTimeoutSeconds": 1,
    "firstByteTimeoutSeconds": 1, "maxConcurrent": 64, "maxFileBytes": FaultRow.largestFile,
  ]

  /// A row with its own origin: rows share no connections and no cooldowns.
  private struct Case {
    let id: String
    let row: FaultRow
    let origin: ScriptedOrigin
  }

  @Test("Each fault ends as expected: with one version or none, no needless loss and no extra request")
  func matrix() throws {
    #expect(Set(Self.rows.map(\.name)).count == Self.rows.count && Self.rows.count >= 60)
    #expect(!FaultRow.codings.isEmpty, "gzip could not be run")
    let scene = try Scene()
    let engine = try scene.startEager(settings: Self.settings)
    let cases = try Self.rows.enumerated().map { try prepare($1, number: $0) }
    defer { for one in cases { try? one.origin.stop() } }
    for one in cases { try enqueue(one, on: engine) }
    let items = try engine.waitForDownloads(upTo: 60) { counts, _ in
      counts["completed", default: 0] + counts["failed", default: 0] == cases.count
    }.map(Item.init)
    let itemsByID = Dictionary(uniqueKeysWithValues: items.map { ($0.id, $0) })
    for one in cases {
      let item = try #require(itemsByID[one.id])
      check(item, one, in: scene)
    }
    #expect(scene.publishedFiles() == items.compactMap(\.path).sorted(), "nothing else was published")
    print("\(cases.count) rows of faults, \(cases.reduce(0) { $0 + $1.origin.requests.count }) requests")
  }

  private func prepare(_ row: FaultRow, number: Int) throws -> Case {
    let origin = try ScriptedOrigin.start()
    origin.serve(FaultRow.path, script: row.script)
    for (path, script) in row.elsewhere { origin.serve(path, script: script) }
    return Case(id: "row-\(number)", row: row, origin: origin)
  }

  private func enqueue(_ one: Case, on engine: PodfluxProcess) throws {
    var payload: [String: Any] = ["url": one.origin.url(FaultRow.path), "id": one.id, "title": one.id]
    payload["integrity"] = one.row.integrity?.integrity
    try engine.order("downloads/enqueue", payload)
  }

  // MARK: Checks

  private func check(_ item: Item, _ one: Case, in scene: Scene) {
    let row = one.row
    switch row.ending {
    case .file(let body):
      #expect(item.state == "completed", "\(row.name): \(item.json)")
      #expect(scene.hash(of: item.path) == body.hash, "\(row.name): \(item.json)")
      #expect(item.durable == body.length, "\(row.name)")
      #expect(!scene.partialFiles().contains("\(item.id).part"), "\(row.name)")
    case .failed(let code, let kept):
      #expect(item.errorCode == code, "\(row.name): \(item.json)")
      checkKept(kept, item, row, in: scene)
    case .exhausted(let cause, let kept):
      #expect(item.errorCode == "retries_exhausted", "\(row.name): \(item.json)")
      #expect(item.errorCause == cause, "\(row.name): \(item.json)")
      checkKept(kept, item, row, in: scene)
    }
    checkLosses(item, row)
    checkRequests(one.origin.requests, row)
  }

  /// A failed download has no file, and keeps its bytes; without any it has no partial file either.
  private func checkKept(_ kept: Int, _ item: Item, _ row: FaultRow, in scene: Scene) {
    #expect(item.state == "failed" && item.path == nil, "\(row.name): \(item.json)")
    #expect(item.durable == kept, "\(row.name): \(item.json)")
    #expect(scene.size(ofPartial: item.id) == (kept == 0 ? nil : kept), "\(row.name)")
  }

  private func checkLosses(_ item: Item, _ row: FaultRow) {
    let found = item.discardedBecause
    #expect(found.values.reduce(0, +) == item.discarded, "\(row.name): the causes add up")
    #expect(Set(found.keys) == Set(row.losses.keys), "\(row.name): \(found)")
    for (cause, loss) in row.losses {
      switch loss {
      case .bytes(let count): #expect(found[cause] == count, "\(row.name): \(found)")
      case .some: #expect(found[cause, default: 0] > 0, "\(row.name): \(found)")
      }
    }
  }

  private func checkRequests(_ requests: [RequestRecord], _ row: FaultRow) {
    let asks = requests.map(FaultRow.Ask.init)
    let fits = asks.count == row.asks.count && zip(asks, row.asks).allSatisfy { $1 == .anything || $0 == $1 }
    #expect(fits, "\(row.name): \(asks) instead of \(row.asks)")
    #expect(requests.allSatisfy { $0.headers["Accept-Encoding"] == "identity" }, "\(row.name)")
    // A connection that broke after progress is retried at once.
    for (earlier, later) in zip(requests, requests.dropFirst()).suffix(1) where row.restSeconds > 0 {
      #expect(later.receivedAt - earlier.receivedAt >= .seconds(row.restSeconds), "\(row.name)")
    }
  }
}

extension FaultRow.Ask {
  /// The range of a request.
  init(_ request: RequestRecord) {
    guard let range = request.rangeHeader else {
      self = request.headers["If-Range"] == nil ? .whole : .anything
      return
    }
    let start = range.hasPrefix("bytes=") && range.hasSuffix("-") ? Int(range.dropFirst(6).dropLast()) : nil
    self = .from(start ?? -1, if: request.headers["If-Range"])
  }
}
