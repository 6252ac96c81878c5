import Flux
import Testing

@testable import PodfluxCore

@Suite("Storage and the quota")
struct RoomTests {
  private static let mebibyte: Int64 = 1 << 20

  private func full(_ short: Int64 = 5) -> AttemptReport.News {
    .failed(DownloadError(.noSpace, "full", shortBytes: short), kept: nil)
  }

  private func error(_ world: World, _ id: DownloadID) throws -> DownloadError? {
    if case .waiting(.storage(_, let error)) = try world.state(id) { error } else { nil }
  }

  @Test("A download that does not fit beside kept and expected bytes waits, with the number of missing bytes")
  func quota() throws {
    let world = try World { $0.storageQuotaBytes = 1000 }
    let first = try world.enqueue("a", may: .any, length: 600)
    let second = try world.enqueue("b", on: "b.example", may: .any, length: 500)
    let third = try world.enqueue("c", on: "c.example", may: .any, length: 400)
    #expect(try world.state(first).kind == .running)
    #expect(try error(world, second)?.shortBytes == 100)
    #expect(try world.state(third).kind == .running)
    try world.finish(first, as: .sample("a.mp3", length: 600))
    #expect(world.started.isEmpty)
    try world.send(.downloads(.remove(.one(third), deletingFile: true)))
    #expect(world.started.isEmpty)
    try world.send(.downloads(.remove(.one(first), deletingFile: true)))
    #expect(world.started == ["b"])
  }

  @Test("A larger quota, or none, admits those that fit", arguments: [Int64(1100), 0])
  func larger(quota: Int64) throws {
    let world = try World { $0.storageQuotaBytes = 1000 }
    try world.enqueue("a", may: .any, length: 600)
    try world.enqueue("b", on: "b.example", may: .any, length: 500)
    try world.set { $0.storageQuotaBytes = quota }
    #expect(world.started == ["b"])
  }

  /// Two attempts for one download would write to one file.
  @Test("A file that outgrows the quota is stopped; storage freed before its attempt ends starts no second one")
  func outgrown() throws {
    let world = try World { $0.storageQuotaBytes = 4 * Self.mebibyte }
    let id = try world.enqueue("a", may: .any)
    try world.report(id, .checkpoint(.sample(durable: 4 * Self.mebibyte, total: nil)))
    #expect(world.stopped.isEmpty)
    try world.report(id, .checkpoint(.sample(durable: 4 * Self.mebibyte + 9, total: nil)))
    #expect(world.stopped.map(\.download) == [id])
    #expect(try error(world, id)?.shortBytes == 9)
    try world.set { $0.storageQuotaBytes = 0 }
    #expect(world.started.isEmpty)
    try world.endStopped()
    #expect(world.started == ["a"])
  }

  @Test("What others have of files that found no room keeps none from going on that fits alone")
  func beginnings() throws {
    let world = try World { $0.maxConcurrent = 4 }
    let ids = try ["a", "b", "c"].map { try world.enqueue($0, on: "\($0).example", may: .any) }
    try world.set { $0.storageQuotaBytes = 8 * Self.mebibyte }
    for id in ids {
      try world.report(id, .checkpoint(.sample(durable: Self.mebibyte, total: 7 * Self.mebibyte)))
    }
    #expect(try ids.map { try world.state($0).kind } == [.running, .waiting, .waiting])
    for id in ids[1...] {
      try world.report(id, .stopped(kept: .sample(durable: Self.mebibyte, total: 7 * Self.mebibyte)))
    }
    try world.report(ids[0], .checkpoint(.sample(durable: 6 * Self.mebibyte + 9, total: 7 * Self.mebibyte)))
    #expect(try world.state(ids[0]).kind == .running)
    try world.finish(ids[0], as: .sample("a.mp3", length: 7 * Self.mebibyte))
    #expect(try world.started.isEmpty && error(world, ids[1])?.shortBytes != nil)
    try world.send(.downloads(.remove(.one(ids[0]), deletingFile: true)))
    #expect(world.started.count == 1)
  }

  @Test("When one that went on alone is complete, the next one goes on as long as the complete files leave room for it")
  func oneByOne() throws {
    let world = try World { $0.maxConcurrent = 4 }
    let ids = try ["a", "b", "c", "d"].map { try world.enqueue($0, on: "\($0).example", may: .any) }
    let kept = ResumeRecord.sample(durable: 5 * Self.mebibyte, total: 6 * Self.mebibyte)
    for id in ids { try world.report(id, .checkpoint(kept)) }
    try world.send(.downloads(.pause(.all)))
    for id in ids { try world.report(id, .stopped(kept: kept)) }
    try world.set { $0.storageQuotaBytes = 13 * Self.mebibyte }
    try world.send(.downloads(.resume(.all)))
    #expect(try ids.map { try world.state($0).kind } == [.running, .waiting, .waiting, .waiting])
    var complete = 0
    while let id = try ids.first(where: { try world.state($0).kind == .running }) {
      try world.finish(id, as: .sample("\(id).mp3", length: 6 * Self.mebibyte))
      complete += 1
    }
    #expect(complete == 2)
    #expect(try ids.filter { try world.state($0).kind == .waiting }.count == 2)
  }

  /// On a fast network files of some MiB were complete before anything was known of their lengths: 72 MB under a quota
  /// of 20.
  @Test("No more begin than there is room for what they may bring before their lengths are known")
  func unknownLengths() throws {
    let world = try World { ($0.storageQuotaBytes, $0.maxConcurrent) = (20 * Self.mebibyte, 16) }
    let ids = try (0..<16).map { try world.enqueue("d\($0)", on: "h\($0).example", may: .any) }
    func running() throws -> [DownloadID] { try ids.filter { try world.state($0).kind == .running } }
    #expect(try running() == Array(ids[..<2]))
    #expect(ids[..<2].compactMap { world.attempts[$0]?.doubt?.quotaLeft } == [20, 12].map { $0 * Self.mebibyte })
    #expect(try world.state(ids[2]).kind == .queued, "it waits for no room, but for what the others find out")
    let length = 5 * Self.mebibyte
    while let id = try running().last {
      let attempt = try #require(world.attempts[id])
      // The head names the length.
      if let doubt = attempt.doubt, doubt.quotaLeft < length {
        try world.report(id, full(kept: .sample(durable: 0, total: length)))
      } else {
        try world.finish(id, as: .sample("\(id).mp3", length: length))
      }
    }
    let states = try Dictionary(grouping: ids) { try world.state($0).kind }.mapValues(\.count)
    #expect(states == [.completed: 4, .waiting: 12])
  }

  @Test("Files whose lengths no server ever names do not add up beyond the quota")
  func neverKnownLengths() throws {
    let world = try World { ($0.storageQuotaBytes, $0.maxConcurrent) = (20 * Self.mebibyte, 8) }
    let ids = try ["a", "b", "c"].map { try world.enqueue($0, on: "\($0).example", may: .any) }
    let eight = ResumeRecord.sample(durable: 8 * Self.mebibyte, total: nil)
    try world.report(ids[0], .checkpoint(eight))
    #expect(world.stopped.isEmpty && world.started.isEmpty)
    // Four are left, and the first one may bring eight more at any time.
    try world.report(ids[1], .checkpoint(eight))
    #expect(world.stopped.map(\.download) == [ids[1]])
    try world.report(ids[1], .stopped(kept: eight))
    #expect(try world.state(ids[2]).kind == .queued)
    try world.finish(ids[0], as: .sample("a.mp3", length: 12 * Self.mebibyte))
    #expect(try ids.map { try world.state($0).kind } == [.completed, .waiting, .waiting])
  }

  /// Each counted what the other had still to come.
  @Test("Of two that do not fit beside each other one goes on")
  func twoTooMany() throws {
    let world = try World { $0.maxConcurrent = 4 }
    let ids = try ["a", "b"].map { try world.enqueue($0, on: "\($0).example", may: .any, length: 100) }
    try world.set { $0.storageQuotaBytes = 5 * Self.mebibyte }
    for id in ids { try world.report(id, .checkpoint(.sample(durable: Self.mebibyte, total: 4 * Self.mebibyte))) }
    #expect(try ids.map { try world.state($0).kind } == [.running, .waiting])
  }

  /// One went on alone and was promised more than there was, the other what there was: both found too little.
  @Test("None goes on alone where another one that waits fits")
  func fitBeforeLone() throws {
    let world = try World { $0.maxConcurrent = 4 }
    let done = try world.enqueue("done", may: .any)
    try world.finish(done, as: .sample(length: 9 * Self.mebibyte))
    let ids = try ["lone", "fits"].map { try world.enqueue($0, on: "\($0).example", may: .any) }
    let kept = [(Int64(0), Int64(9)), (2, 6)].map {
      ResumeRecord.sample(durable: $0.0 * Self.mebibyte, total: $0.1 * Self.mebibyte)
    }
    for (id, record) in zip(ids, kept) { try world.report(id, .checkpoint(record)) }
    try world.set { $0.storageQuotaBytes = 10 * Self.mebibyte }
    for (id, record) in zip(ids, kept) { try world.report(id, .failed(Self.short, kept: record)) }
    #expect(try ids.map { try world.state($0).kind } == [.waiting, .waiting])
    try world.send(.downloads(.remove(.one(done), deletingFile: true)))
    #expect(world.started == ["fits"])
  }

  private static let short = DownloadError(.noSpace, "full", shortBytes: 5)

  @Test("On a full disk the store watches for the smallest need, and then admits those that fit")
  func disk() throws {
    let world = try World { $0.reserveFreeBytes = 100 * Self.mebibyte }
    let small = try world.enqueue("small", may: .any, length: 4 * Self.mebibyte)
    let large = try world.enqueue("large", may: .any, length: 8 * Self.mebibyte)
    try world.report(large, full(995))
    #expect(world.watched == [108 * Self.mebibyte])
    try world.report(small, full())
    #expect(world.watched == [104 * Self.mebibyte])
    #expect(world.started.isEmpty)
    try world.send(.roomCame(108 * Self.mebibyte - 1))
    #expect(world.started == ["small"])
    #expect(world.watched == [108 * Self.mebibyte])
    try world.send(.downloads(.cancel(.one(large))))
    #expect(world.watched == [nil])
  }

  @Test(
    "When many wait for the disk, no other download tries until one of them gets it, under a quota too",
    arguments: [Int64(0), 1 << 40], Origin.allCases)
  func many(quota: Int64, origin: Origin) throws {
    let world = try World {
      $0.storageQuotaBytes = quota
      $0.maxConcurrent = 256
      $0.maxPerHost = 64
    }
    let ids = try (0..<Obstacle.roomlessLimit).map {
      try world.enqueue("d\($0)", may: .any, origin: origin, length: 10)
    }
    for id in ids { try world.report(id, full(Int64(ids.count))) }
    let other = try world.enqueue("other", may: .any)
    #expect(world.started.isEmpty)
    #expect(try world.obstacle(other) == .storage(shortBytes: Int64(ids.count)))
    try world.send(.downloads(.cancel(.one(ids[0]))))
    #expect(world.started == ["other"])
  }

  /// There may be no notification of free space: the disk may be another one by then.
  @Test("When many have waited long enough they try again, without a notification")
  func patience() throws {
    let world = try World {
      $0.maxConcurrent = 256
      $0.maxPerHost = 64
    }
    let ids = try (0..<Obstacle.roomlessLimit).map { try world.enqueue("d\($0)", may: .any, length: 10) }
    for id in ids { try world.report(id, full()) }
    world.advance(seconds: 900)
    try world.send(.timeCame)
    #expect(world.started.count == ids.count)
  }

  /// A client may expect any length, and a server may declare it.
  @Test("Huge lengths overflow nothing")
  func huge() throws {
    let world = try World { $0.maxFileBytes = 0 }
    let ids = try (0..<3).map { try world.enqueue("d\($0)", on: "h\($0).example", may: .any, length: .max) }
    try world.report(ids[0], full())
    #expect(world.watched.count == 1)
    try world.set { $0.storageQuotaBytes = 1000 }
    try world.report(ids[1], .checkpoint(.sample(durable: 10, total: .max)))
    #expect(try error(world, ids[1])?.code == .noSpace)
    try world.enqueue("other", on: "other.example", may: .any, length: .max)
    #expect(world.started.isEmpty)
  }

  private static let absurd: Int64 = 9_999_999_960_000

  /// Regression: a length from one response kept a download waiting forever, and a retry did not help.
  @Test("A length beyond the quota counts for an hour, or until a requested retry")
  func doubtedByQuota() throws {
    let world = try World { $0.storageQuotaBytes = 4 * Self.mebibyte }
    let id = try world.enqueue("a", may: .any)
    #expect(world.attempts[id]?.doubt?.quotaLeft == 4 * Self.mebibyte)
    try world.report(id, .failed(.lost, kept: .sample(durable: 100, total: Self.absurd)))
    for _ in 0..<2 {
      world.advance(seconds: 30)
      try world.send(.timeCame)
    }
    #expect(try error(world, id)?.code == .noSpace)
    try world.send(.downloads(.retry(.one(id))))
    #expect(world.started == ["a"])
    #expect(world.attempts[id]?.doubt?.quotaLeft == 4 * Self.mebibyte - 100)
    #expect(world.downloads.live[id]?.expected == TransferMachine.leastRoom, "others are not kept out by it")

    var said = ResumeRecord.sample(durable: 100, total: Self.absurd)
    said.savedAt = world.clock.wall
    try world.report(id, full(kept: said))
    world.advance(seconds: 3599)
    try world.send(.timeCame)
    #expect(world.started.isEmpty)
    world.advance(seconds: 30)
    try world.send(.timeCame)
    #expect(world.started == ["a"])
    #expect(world.attempts[id]?.doubt != nil)
  }

  private func full(kept: ResumeRecord) -> AttemptReport.News {
    .failed(DownloadError(.noSpace, "full", shortBytes: 5), kept: kept)
  }

  @Test("A quota below the used bytes stops attempts at the next checkpoint, and keeps their bytes")
  func smaller() throws {
    let world = try World()
    let done = try world.enqueue("done", may: .any)
    try world.finish(done, as: .sample(length: 900))
    let id = try world.enqueue("a", may: .any, length: 500)
    try world.set { $0.storageQuotaBytes = 1000 }
    try world.report(id, .checkpoint(.sample(durable: 10, total: 500)))
    #expect(try error(world, id)?.shortBytes == 400)
    #expect(try world.state(done).kind == .completed)
  }
}
