@testable import Flux

/// A model of the reader of stdin, the engine, an observer, the writer and the client: each step is what one of them
/// does under one lock. The shared state is the real one; the loops around it follow `LineReader`, `EngineCore`,
/// `Observer` and `OutputWriter`.
///
/// A reply has `replyBytes`, an observer's line one byte; the pipe holds one byte, and the mailbox one request.
struct BackpressureModel: Hashable {
  /// A mistake in the protocol that the search must find.
  enum Sabotage: CaseIterable {
    /// Every caller stores its answer, and bytes being written do not count: a former version did this.
    case sharedFlag
    /// The engine asks, and registers as waiting in another step.
    case askedAndNotedApart
    /// The reader of stdin tries first, and announces its sleep afterwards.
    case triedBeforeApproach
    /// A delivery wakes no thread.
    case silentDelivery
  }

  private enum Reader: Hashable { case posting, approaching, trying, leaving, asleep, ended }
  private enum Engine: Hashable {
    case resting, asking, noting, taking(limit: Int), answering(Int), flushing, opening
  }
  private enum Writer: Hashable { case asleep, looking, writing(Int), written(Int), nudging(Int) }
  private enum Observer: Hashable { case resting, telling, flushing }

  private static let replyBytes = 2

  let sabotage: Sabotage?
  private var backlog = Backlog(limit: 2)
  private var lanes = MailboxQueues<Int, Int, Int>(requestCapacity: 1)
  private var gate = Gate()
  /// Appended bytes that the writer has not taken.
  private var pending = 0
  /// The flag of `sharedFlag`.
  private var isCrowded = false

  private var reader = Reader.posting
  private var linesLeft: Int
  private var gateSignals = 0
  private var engine = Engine.resting
  /// Drains that wait in the engine's queue.
  private var drains = 0
  private var writer = Writer.asleep
  private var writerSignals = 0
  private var observer = Observer.resting
  private var asksLeft: Int
  /// The bytes in the pipe.
  private var pipe = 0

  init(lines: Int, asks: Int, sabotage: Sabotage?) {
    linesLeft = lines
    asksLeft = asks
    self.sabotage = sabotage
  }

  /// Whether every line has been answered and every answer read.
  var isAtPeace: Bool {
    reader == .ended && lanes.requestCount == 0 && pending == 0 && pipe == 0 && backlog.bytes == 0 && writer == .asleep
      && !backlog.isAwaited
  }

  /// The possible next states: one for each of the five sides that can take a step.
  var successors: [BackpressureModel] {
    Side.allCases.compactMap { side in
      var next = self
      return next.step(side) ? next : nil
    }
  }

  private enum Side: CaseIterable { case reader, engine, observer, writer, client }

  /// Lets one side take its next step. Returns whether it could.
  private mutating func step(_ side: Side) -> Bool {
    switch side {
    case .reader: read()
    case .engine: drain()
    case .observer: tell()
    case .writer: write()
    case .client: listen()
    }
  }

  // MARK: The reader of stdin

  private mutating func read() -> Bool {
    switch reader {
    case .posting:
      if linesLeft == 0 {
        reader = .ended
      } else if !post() {
        reader = sabotage == .triedBeforeApproach ? .trying : .approaching
      }
    case .approaching:
      gate.approach()
      reader = sabotage == .triedBeforeApproach ? .asleep : .trying
    case .trying:
      let isTaken = post()
      if sabotage == .triedBeforeApproach {
        reader = isTaken ? .posting : .approaching
      } else {
        reader = isTaken ? .leaving : .asleep
      }
    case .leaving:
      gate.leave()
      reader = .posting
    case .asleep:
      guard gateSignals > 0 else { return false }
      gateSignals -= 1
      reader = .posting
    case .ended: return false
    }
    return true
  }

  private mutating func post() -> Bool {
    let (isTaken, shouldWake) = lanes.add(request: linesLeft, from: 0, endsDelivery: true)
    if isTaken { linesLeft -= 1 }
    if shouldWake { drains += 1 }
    return isTaken
  }

  // MARK: The engine

  private mutating func drain() -> Bool {
    switch engine {
    case .resting:
      guard drains > 0 else { return false }
      drains -= 1
      engine = .asking
    case .asking: ask()
    case .noting:
      _ = backlog.hasRoomOrIsAwaited()
      engine = .taking(limit: 0)
    case .taking(let limit):
      let (_, requests, shouldWake) = lanes.take(requestsUpTo: limit, ofSeveral: limit, factsUpTo: 0) { _ in 0 }
      if shouldWake { drains += 1 }
      engine = requests.isEmpty ? .resting : .answering(requests.count)
    case .answering(let count):
      append(count * Self.replyBytes)
      engine = .flushing
    case .flushing:
      flush()
      engine = .opening
    case .opening:
      if gate.open() { gateSignals += 1 }
      drains += 1
      engine = .resting
    }
    return true
  }

  private mutating func ask() {
    let hasRoom =
      switch sabotage {
      case .sharedFlag: noteCrowd()
      case .askedAndNotedApart: backlog.hasRoom
      case .triedBeforeApproach, .silentDelivery, nil: backlog.hasRoomOrIsAwaited()
      }
    engine = !hasRoom && sabotage == .askedAndNotedApart ? .noting : .taking(limit: hasRoom ? 1 : 0)
  }

  private mutating func noteCrowd() -> Bool {
    isCrowded = pending >= backlog.limit
    return !isCrowded
  }

  private mutating func append(_ bytes: Int) {
    guard backlog.add(bytes) else { return }
    pending += bytes
  }

  private mutating func flush() {
    if pending > 0 { writerSignals += 1 }
  }

  // MARK: An observer

  private mutating func tell() -> Bool {
    switch observer {
    case .resting:
      guard asksLeft > 0 else { return false }
      asksLeft -= 1
      if sabotage == .sharedFlag ? noteCrowd() : backlog.hasRoom { observer = .telling }
    case .telling:
      append(1)
      observer = .flushing
    case .flushing:
      flush()
      observer = .resting
    }
    return true
  }

  // MARK: The writer and the client

  private mutating func write() -> Bool {
    switch writer {
    case .asleep:
      guard writerSignals > 0 else { return false }
      writerSignals -= 1
      writer = .looking
    case .looking:
      writer = pending == 0 ? .asleep : .writing(pending)
      pending = 0
    case .writing(let left):
      guard pipe == 0 else { return false }
      pipe = 1
      writer = .written(left - 1)
    case .written(let left):
      writer = delivered(left) ? .nudging(left) : left > 0 ? .writing(left) : .looking
    case .nudging(let left):
      if lanes.nudge() { drains += 1 }
      writer = left > 0 ? .writing(left) : .looking
    }
    return true
  }

  /// Whether to wake the engine.
  private mutating func delivered(_ left: Int) -> Bool {
    let shouldWake = backlog.deliver(1)
    switch sabotage {
    case .sharedFlag:
      guard left == 0, isCrowded else { return false }
      isCrowded = false
      return true
    case .silentDelivery: return false
    case .askedAndNotedApart, .triedBeforeApproach, nil: return shouldWake
    }
  }

  private mutating func listen() -> Bool {
    guard pipe > 0 else { return false }
    pipe -= 1
    return true
  }
}
