import Flux
import Testing

@testable import PodfluxCore

@Suite("Retries")
struct RetryTests {
  private func retryAt(_ world: World, _ id: DownloadID) throws -> Timestamp {
    guard case .waiting(.retry(let at, _)) = try world.state(id) else {
      throw Unexpected()
    }
    return at
  }

  private struct Unexpected: Error {}

  @Test("After a transient failure it waits, requests a wake-up for that time, and then tries again")
  func transient() throws {
    let world = try World()
    let id = try world.enqueue("a")
    try world.report(id, .failed(.lost, kept: .sample(durable: 100)))
    let at = try retryAt(world, id)
    #expect(world.wakes == [at])
    #expect((5_000...7_500).contains(at.milliseconds - world.clock.wall.milliseconds))

    world.clock.wall = at.advanced(byMilliseconds: -1)
    try world.send(.timeCame)
    #expect(world.started.isEmpty)
    #expect(world.wakes == [at])

    world.clock.wall = at
    try world.send(.timeCame)
    #expect(world.started == ["a"])
    #expect(world.attempts[id]?.resume?.durable == 100)
    #expect(world.wakes.isEmpty || world.wakes == [nil])
  }

  @Test(
    "What waits for a moment that only a wrong clock can have set goes on when the clock is set right",
    arguments: [false, true])
  func wrongClock(isRestart: Bool) throws {
    let world = try World()
    let id = try world.enqueue("a")
    let right = world.clock.wall
    let busy = DownloadError(.httpStatus, "the server answered 503", status: 503)
    world.clock.wall = right.advanced(byDays: 3_650)
    try world.report(id, .failed(busy, kept: nil, retryAfterMilliseconds: 60_000))
    #expect(!world.downloads.hosts.cooldowns.isEmpty)
    world.clock.wall = right
    if isRestart { try world.restart() } else { try world.send(.timeCame) }
    try world.send(.timeCame)
    #expect(world.attempts[id] != nil && world.downloads.hosts.cooldowns.isEmpty)
  }

  @Test("Waits double from failure to failure, with jitter up to a half, and end at the longest")
  func delays() {
    var random = SeededGenerator(seed: 5)
    let delay = RetryDelay(Settings())
    let bounds: [(failures: Int, range: ClosedRange<Int64>)] = [
      (0, 5_000...7_500), (1, 5_000...7_500), (2, 10_000...15_000), (3, 20_000...30_000), (4, 40_000...60_000),
      (10, 2_560_000...3_600_000), (11, 3_600_000...3_600_000), (1_000, 3_600_000...3_600_000),
    ]
    for (failures, range) in bounds {
      let drawn = (0..<500).map { _ in delay.milliseconds(afterFailures: failures, using: &random) }
      #expect(drawn.allSatisfy(range.contains), "after \(failures) failures")
      if range.lowerBound < range.upperBound { #expect(Set(drawn).count > 100) }
    }
  }

  @Test("A broken connection is retried within half a second only if it has delivered 16 KiB")
  func prompt() throws {
    let world = try World { $0.retryFirstSeconds = 600 }
    let id = try world.enqueue("a")
    func delay(after error: DownloadError, keeping durable: Int64) throws -> Int64 {
      try world.report(id, .failed(error, kept: .sample(durable: durable, total: nil)))
      let at = try retryAt(world, id)
      defer { world.clock.wall = at }
      return at.milliseconds - world.clock.wall.milliseconds
    }
    func goOn() throws { try world.send(.timeCame) }
    var durable = RetryDelay.promptBytes
    #expect(RetryDelay.promptMilliseconds.contains(try delay(after: .lost, keeping: durable)))
    try goOn()
    #expect((600_000...900_000).contains(try delay(after: .lost, keeping: durable)), "nothing moved: the first failure")
    try goOn()
    #expect(try delay(after: .lost, keeping: durable) >= 1_200_000, "nothing moved: the second failure")
    try goOn()
    durable += RetryDelay.promptBytes - 1
    #expect((600_000...900_000).contains(try delay(after: .lost, keeping: durable)), "a trickle counts no attempt")
    #expect(try world.row(id).failures == 1)
    try goOn()
    durable += RetryDelay.promptBytes
    #expect(
      RetryDelay.promptMilliseconds.contains(
        try delay(after: DownloadError(.timeout, "no byte came"), keeping: durable)))
    try goOn()
    durable += RetryDelay.promptBytes
    #expect(try delay(after: DownloadError(.tooSlow, "slow"), keeping: durable) >= 600_000, "it would be slow again")
  }

  @Test("A host's cooldown precedes any earlier retry")
  func promptOnBusyHost() throws {
    let world = try World()
    let id = try world.enqueue("a")
    try world.report(
      id, .failed(.lost, kept: .sample(durable: 1 << 20, total: nil), retryAfterMilliseconds: 60_000))
    #expect(try retryAt(world, id).milliseconds - world.clock.wall.milliseconds >= 60_000)
  }

  @Test("The longest configurable waits overflow nothing")
  func longestDelays() {
    var settings = Settings()
    settings.retryFirstSeconds = Settings.Limits.seconds.upperBound
    settings.retryMaxSeconds = Settings.Limits.seconds.upperBound
    var random = SeededGenerator(seed: 5)
    let delay = RetryDelay(settings).milliseconds(
      afterFailures: Settings.Limits.maxAttempts.upperBound, using: &random)
    #expect(delay == 86_400_000)
  }

  @Test("After the allowed number of failures without progress it fails with the last error")
  func exhausted() throws {
    let world = try World { $0.maxAttempts = 3 }
    let id = try world.enqueue("a")
    for _ in 0..<2 {
      try world.report(id, .failed(DownloadError(.httpStatus, "busy", status: 503), kept: nil))
      world.clock.wall = try retryAt(world, id)
      try world.send(.timeCame)
    }
    try world.report(id, .failed(DownloadError(.httpStatus, "busy", status: 503), kept: nil))
    guard case .failed(let error) = try world.state(id) else {
      Issue.record("not failed")
      return
    }
    #expect(error.code == .retriesExhausted)
    #expect(error.cause == .httpStatus)
    #expect(error.status == 503)
    #expect(try world.row(id).failures == 3)
  }

  @Test("After many restarts nothing counts as progress, until a client orders an attempt")
  func restarts() throws {
    let world = try World { $0.maxAttempts = 3 }
    let id = try world.enqueue("a")
    // At each request the server has another file, and connections break after more bytes than the time before.
    func attempt(keeping durable: Int64) throws -> DownloadState.Kind {
      try world.report(id, .restarting(discarding: durable - 1, because: .contentChanged))
      try world.report(id, .failed(.lost, kept: .sample(durable: durable, total: nil)))
      if case .waiting(.retry(let at, _)) = try world.state(id) { world.clock.wall = at }
      try world.send(.timeCame)
      return try world.state(id).kind
    }
    let most = Int64(LiveAttempt.progressiveRestarts)
    for number in 1...most { #expect(try attempt(keeping: number + 1) == .running) }
    #expect(try world.row(id).failures == 1)
    for number in 1...2 { #expect(try attempt(keeping: most + Int64(number)) == (number == 1 ? .running : .failed)) }
    try world.send(.downloads(.retry(.one(id))))
    #expect(try attempt(keeping: 1 << 20) == .running)
    #expect(try world.row(id).failures <= 1)
  }

  @Test("Progress resets the count, and progress is more durable bytes than the attempt began with")
  func progress() throws {
    let world = try World { $0.maxAttempts = 3 }
    let id = try world.enqueue("a")
    var failures: [Int] = []
    for durable: Int64 in [0, 0, 10, 10, 20, 20] {
      try world.report(id, .failed(.lost, kept: durable == 0 ? nil : .sample(durable: durable)))
      failures.append(try world.row(id).failures)
      world.clock.wall = try retryAt(world, id)
      try world.send(.timeCame)
    }
    #expect(failures == [1, 2, 1, 2, 1, 2])
  }

  /// The state of a download after its only address has failed with this code, and no status.
  private static let outcomes: [(code: DownloadError.Code, kind: DownloadState.Kind)] = [
    (.unknownHost, .waiting), (.connectFailed, .waiting), (.timeout, .waiting), (.tooSlow, .waiting),
    (.connectionLost, .waiting), (.rangeMismatch, .waiting), (.validatorChanged, .waiting), (.lengthMismatch, .waiting),
    (.notMedia, .waiting), (.noSpace, .waiting),
    (.tlsCertificate, .failed), (.tooManyRedirects, .failed), (.unsafeRedirect, .failed), (.httpStatus, .failed),
    (.notFound, .failed), (.gone, .failed), (.unauthorized, .failed), (.forbidden, .failed),
    (.integrityMismatch, .failed), (.tooLarge, .failed), (.fileExists, .failed), (.io, .failed),
    (.corruptFile, .failed), (.retriesExhausted, .failed),
  ]

  @Test("The table of outcomes has each code once")
  func allCodes() {
    #expect(Self.outcomes.count == DownloadError.Code.allCases.count)
    #expect(Set(Self.outcomes.map(\.code)) == Set(DownloadError.Code.allCases))
  }

  @Test("A failure that no repetition can mend is final at once, any other waits", arguments: outcomes)
  func nonTransient(code: DownloadError.Code, kind: DownloadState.Kind) throws {
    let world = try World()
    let id = try world.enqueue("a")
    let error = DownloadError(code, "so it is")
    try world.report(id, .failed(error, kept: .sample(durable: 1)))
    #expect(try world.state(id).kind == kind)
    guard kind == .failed else { return }
    #expect(try world.state(id) == .failed(error))
    #expect(try world.row(id).progress.durable == 1)
  }

  @Test("A failure that is known to last is final at once, although others of its code pass")
  func lasting() throws {
    let world = try World()
    let id = try world.enqueue("a")
    try world.report(id, .failed(DownloadError(.notMedia, "a feed", outlook: .lasting), kept: nil))
    #expect(try world.state(id) == .failed(DownloadError(.notMedia, "a feed")))
    #expect(try world.row(id).failures == 1)
  }

  @Test("The disk's failures are repeated for rules, which no person watches, and for others only if they pass")
  func disk() throws {
    for (origin, outlook, kind) in [
      (Origin.auto, nil, DownloadState.Kind.waiting), (.auto, .lasting, .failed), (.user, nil, .failed),
      (.user, .passing, .waiting),
    ] as [(Origin, DownloadError.Outlook?, DownloadState.Kind)] {
      let world = try World()
      let id = try DownloadID.named("a")
      try world.send(.downloads(.enqueue(.init(id: id, address: .on("a.example"), origin: origin))))
      try world.report(id, .failed(DownloadError(.io, "a closed folder", outlook: outlook), kept: nil))
      #expect(try world.state(id).kind == kind, "\(origin)")
    }
  }

  /// A shortage of descriptors for two minutes ended all downloads of the queue.
  @Test("What the machine lacks ends no download, however often; failures of the server count then as before")
  func ofMachine() throws {
    let world = try World { $0.maxAttempts = 3 }
    let id = try world.enqueue("a")
    func fail(_ error: DownloadError) throws {
      try world.report(id, .failed(error, kept: nil))
      guard try world.state(id).kind == .waiting else { return }
      world.clock.wall = try retryAt(world, id)
      try world.send(.timeCame)
    }
    for _ in 0..<10 {
      let before = world.clock.wall
      try fail(DownloadError(.io, "too many open files", outlook: .passing))
      #expect(DownloadsStore.machineWaitMilliseconds.contains(world.clock.wall.milliseconds - before.milliseconds))
    }
    for number in 1...2 {
      try fail(.lost)
      #expect(try world.row(id).failures == number)
    }
    try fail(.lost)
    #expect(try world.state(id).failure?.code == .retriesExhausted)
  }

  @Test("Statuses are repeated as curl repeats them", arguments: [408, 429, 500, 502, 503, 504, 522, 524])
  func transientStatuses(status: Int) {
    #expect(DownloadError(.httpStatus, "", status: status).isTransient)
    #expect(!DownloadError(.httpStatus, "", status: 400).isTransient)
    #expect(!DownloadError(.httpStatus, "").isTransient)
  }

  @Test("A requested retry begins at once, and the count restarts")
  func askedFor() throws {
    let world = try World()
    let id = try world.enqueue("a")
    try world.report(id, .failed(.lost, kept: nil))
    try world.send(.downloads(.retry(.one(id))))
    #expect(world.started == ["a"])
    #expect(world.wakes == [nil])
    #expect(try world.row(id).failures == 0)
  }

  @Test("The store requests a wake-up for the earliest time, and again only when that changes")
  func wakes() throws {
    let world = try World()
    let a = try world.enqueue("a")
    try world.enqueue("b")
    try world.report(a, .failed(.lost, kept: nil))
    let first = try retryAt(world, a)
    try world.enqueue("c", paused: true)
    #expect(world.wakes.isEmpty)
    world.advance(seconds: 1)
    try world.report(.named("b"), .failed(.lost, kept: nil))
    let earliest = min(first, try retryAt(world, .named("b")))
    #expect(world.wakes == (earliest == first ? [] : [earliest]))
    try world.send(.downloads(.pause(.all)))
    #expect(world.wakes == [nil])
  }

  @Test("More downloads than fit into one turn are woken in several, each requesting the next at once")
  func manyWaiting() throws {
    let total = DownloadsStore.wokenAtOnce + 10
    let world = try World {
      $0.maxConcurrent = 256; $0.maxPerHost = 64; $0.retryMaxSeconds = 5
    }
    world.checksInvariants = false
    for number in 0..<total {
      let id = try world.enqueue("d\(number)", host: "h\(number).example")
      try world.report(id, .failed(.lost, kept: nil))
    }
    world.advance(seconds: 100)
    try world.send(.timeCame)
    #expect(world.downloads.counts[.waiting] == 10)
    #expect(world.wakes.count == 1)
    world.checksInvariants = true
    try world.send(.timeCame)
    #expect(world.downloads.counts[.waiting] == 0)
    #expect(world.downloads.live.count == 256)
  }
}
