import Foundation
import ScriptedOrigin
import Terminal
import TestSupport

/// The steps of the demo. Nothing is faked: server, engine, files and the SIGKILL are real.
struct Story {
  let library: String
  let screen: Screen
  let isSabotaged: Bool
  let episodes: [Episode]
  let origin: ScriptedOrigin

  private static let limitSeconds = 30.0
  private static let frameSeconds = 0.1
  private let deadline = Date(timeIntervalSinceNow: limitSeconds)

  init(library: String, screen: Screen, isSabotaged: Bool) throws {
    self.library = library
    self.screen = screen
    self.isSabotaged = isSabotaged
    episodes = try Catalogue.episodes()
    origin = try ScriptedOrigin.start()
    episodes.forEach { [origin] in $0.serve(from: origin) }
  }

  /// Runs all steps.
  func tell() throws -> Checklist {
    let bytes = episodes.reduce(0) { $0 + $1.length }
    screen.announce(
      "A server on \(origin.baseURL) has \(episodes.count) episodes of 3 podcasts: \(Self.inBytes(bytes)).")
    let wreck = try firstLife()
    let ending = try secondLife(after: wreck)
    if isSabotaged { try spoilFile() }
    let last = try LibrarySnapshot(library: library)
    try origin.stop()
    show(last)
    return try verify(last, after: wreck, ending)
  }

  // MARK: The first engine

  /// Fills the queue, pauses a download, and kills the engine in the middle.
  private func firstLife() throws -> Wreck {
    let engine = try start()
    // If the demo breaks off: an engine that has ended gets no signal.
    defer { engine.signal(SIGKILL) }
    try engine.order("settings/update", ["maxConcurrent": 4, "maxPerHost": 4])
    for episode in episodes {
      try engine.order("downloads/enqueue", episode.wish(at: origin))
    }
    screen.say("All \(episodes.count) are enqueued; each was acknowledged when it was durable. Four run at once.")
    try follow(engine, until: "the paused one has begun") {
      Self.item(Catalogue.pausedID, in: $0).map { $0.received > 900_000 }
    }
    try engine.order("downloads/pause", ["id": Catalogue.pausedID])
    screen.say("“\(title(of: Catalogue.pausedID))” is paused.")
    let items = try follow(engine, until: "all that run are well under way") { items in
      let running = items.filter { $0.state == "running" }
      let isSlowOneFarEnough = Self.item(Catalogue.slowID, in: items).map { $0.received > 2_600_000 } ?? false
      return isSlowOneFarEnough && running.allSatisfy { $0.received > 500_000 }
        && items.contains { $0.state == "completed" }
    }
    let ending = try engine.kill()
    // Bytes on their way to the dead engine count as served: wait until the server notices.
    let seen = try origin.wait(upTo: .seconds(5)) { $0.activeRequests == 0 }
    screen.finish()
    screen.announce(
      "kill -9 \(engine.pid): the engine is dead, with \(items.count { $0.state == "running" }) downloads running.")
    return try Wreck(
      snapshot: LibrarySnapshot(library: library), library: library, signal: ending.signal,
      requestCount: seen.requests.count, bytesServed: seen.totalBodyBytesSent)
  }

  // MARK: The second engine

  /// Starts the engine again on the same library, resumes what is paused, and lets it drain.
  private func secondLife(after wreck: Wreck) throws -> PodfluxProcess.Ending {
    screen.say(
      "On the disk: \(wreck.completed.count) complete, and \(Self.inBytes(wreck.partialBytes)) of \(wreck.partials.count) others."
    )
    let engine = try start()
    defer { engine.signal(SIGKILL) }
    try follow(engine, until: "the second engine downloads") {
      $0.contains { $0.state == "running" && $0.bytesPerSecond > 0 }
    }
    try engine.order("downloads/resume", ["id": Catalogue.pausedID])
    screen.say("“\(title(of: Catalogue.pausedID))” is resumed.")
    try follow(engine, until: "one download is left") { items in items.count { $0.state != "completed" } <= 1 }
    engine.closeInput()
    screen.say("stdin is closed: the engine goes on until nothing is left to do, then ends by itself.")
    let ending = try waitForDrain(of: engine)
    screen.finish()
    screen.say("The engine has ended with status \(ending.status.map(String.init) ?? "none").")
    return ending
  }

  private func start() throws -> PodfluxProcess {
    let engine = try PodfluxProcess(library: library)
    try engine.waitUntilReady()
    screen.announce("$ podflux run --library \(library)    (process \(engine.pid))")
    return engine
  }

  /// Shows the downloads until the condition holds.
  @discardableResult
  private func follow(
    _ engine: PodfluxProcess, until goal: String, _ isReached: ([Item]) -> Bool?
  ) throws -> [Item] {
    while true {
      let items = try Item.list(engine.downloads().items)
      screen.show(items)
      if isReached(items) == true { return items }
      if Date() > deadline { throw PodfluxProcess.Failure("not within \(Self.limitSeconds) s: \(goal)") }
      Thread.sleep(forTimeInterval: Self.frameSeconds)
    }
  }

  /// The engine answers no requests any more: `podflux snapshot` reads the library beside it.
  private func waitForDrain(of engine: PodfluxProcess) throws -> PodfluxProcess.Ending {
    while true {
      let ending = try? engine.waitForEnd(upTo: Self.frameSeconds)
      screen.show(try LibrarySnapshot(library: library).items)
      if let ending { return ending }
      if Date() > deadline { throw PodfluxProcess.Failure("the engine does not end") }
    }
  }

  // MARK: The end

  /// Changes one byte in the middle of a published file, as a failing disk would.
  private func spoilFile() throws {
    guard let path = try LibrarySnapshot(library: library).items.lazy.compactMap(\.path).first else { return }
    let file = try FileHandle(forUpdating: URL(fileURLWithPath: library + "/" + path))
    defer { try? file.close() }
    try file.seek(toOffset: file.seekToEnd() / 2)
    let byte = try file.read(upToCount: 1)?.first ?? 0
    try file.seek(toOffset: file.offset() - 1)
    try file.write(contentsOf: [~byte])
    screen.say("Sabotage: one byte of “\(path)” has been changed.")
  }

  private func show(_ snapshot: LibrarySnapshot) {
    screen.say()
    screen.announce("$ podflux snapshot --library \(library)    (some keys of its \(snapshot.line.utf8.count) bytes)")
    screen.say("  \(Self.json(["counts": snapshot.counts]))")
    for object in snapshot.objects {
      screen.say("  \(Self.json(object.filter { ["id", "state", "bytes", "path"].contains($0.key) }))")
    }
    screen.say()
  }

  private static func json(_ object: [String: Any]) -> String {
    let options: JSONSerialization.WritingOptions = [.sortedKeys, .withoutEscapingSlashes]
    guard let data = try? JSONSerialization.data(withJSONObject: object, options: options) else { return "\(object)" }
    return String(decoding: data, as: UTF8.self)
  }

  static func inBytes(_ bytes: Int) -> String {
    ByteCount(Int64(bytes)).description
  }

  private static func item(_ id: String, in items: [Item]) -> Item? {
    items.first { $0.id == id }
  }

  private func title(of id: String) -> String {
    episodes.first { $0.id == id }?.title ?? id
  }
}
