import Flux
import PodfluxCore

/// One attempt at a download: what happens between the dispatcher and the system, without threads, files and clocks.
///
/// Events come in through the methods: what the service asks (`begin`, `proceed`, `stop`), what the exchange brings,
/// what came of a step, how a sync ended, each with the time where that matters. What the attempt wants comes out in
/// two ways. The shell that has just handed in an event carries out the commands at once. Steps are file work and
/// reports: they are handed out one at a time by `next(after:at:)`, are carried out outside the lock that guards the
/// attempt, and end with an outcome. Between a step and its outcome every other event may come.
///
/// The product's shell is an `Operation` with a serial queue and an exchange of libcurl; the simulator's is its
/// scheduler.
///
///     while let step = attempt.next(after: outcome, at: clock.now) { outcome = perform(step) }
package struct DownloadAttempt: Sendable {
  /// What the shell gives an attempt beside its description.
  package struct Configuration: Sendable {
    /// The machine's current boot.
    var bootID: String
    /// How many bytes are collected before they are written.
    var bufferBytes: Int
    /// How many blocks a write must have for the next sync to run beside the writing.
    var fastPieceBlocks: Int
    /// Where memory for arriving bytes comes from.
    var memory: any BlockMemory
    /// Makes what undoes a coding.
    var makeDecoder: @Sendable (ContentCoding) -> any BodyDecoder

    /// Makes a configuration.
    package init(
      bootID: String, bufferBytes: Int, fastPieceBlocks: Int = WritePolicy.fastPieceBlocks, memory: any BlockMemory,
      makeDecoder: @escaping @Sendable (ContentCoding) -> any BodyDecoder
    ) {
      self.bootID = bootID
      self.bufferBytes = bufferBytes
      self.fastPieceBlocks = fastPieceBlocks
      self.memory = memory
      self.makeDecoder = makeDecoder
    }
  }

  /// A piece of file work: its steps are carried out before another job begins.
  enum Job: Sendable {
    case orders([TransferMachine.Order])
    case write([Block])
    case synchronized(DownloadError?)
    case gathered
  }

  /// What the step that is being carried out is for.
  enum Stage: Sendable {
    case opening
    case truncating(to: Int64)
    case preparing(ResumePolicy.Plan)
    case resuming
    case comparing(AttemptTask.Piece)
    case appending(AttemptTask.Piece)
    case announcing(AttemptTask.Piece)
    case beginningSync(AttemptTask.Piece, length: Int64)
    case checkpointing(AttemptTask.Piece)
    case recording(length: Int64, digestStates: [String])
    case reporting(pendingSync: Bool)
    case cutting(DownloadError)
    case savingWritten(DownloadError, AttemptTask.Piece)
    case finishing
    case verifying
    case inspecting
    case synchronizingContents
    case naming
    case lookingForTagParts(LibraryPath)
    case preparingToMove(LibraryPath)
    case publishing
    case ending
  }

  /// A sync that was requested while another sync ran.
  enum PendingSync: Sendable {
    case contents, everything
  }

  /// A step, and the stage that handles its outcome.
  typealias Work = (step: AttemptTask, stage: Stage)

  package let attempt: Attempt
  let configuration: Configuration
  /// Decides what the attempt does.
  package internal(set) var machine: TransferMachine
  var buffer: WriteBuffer
  var hasExchange = false
  /// Whether the exchange waits for room in the buffer.
  var isExchangePaused = false
  /// Undoes the coding of what the exchange brings, if it has any.
  var decoder: (any BodyDecoder)?
  /// The bytes that have come over the network since the last report that told of them.
  var fetched: Int64 = 0
  var clockAtReading: Int64 = 0
  var checkpoints = CheckpointMeter()
  /// Separates received bytes that repeat kept ones from new ones.
  var comparison = KeptComparison(from: 0, to: 0)
  /// The piece that differs from the kept bytes: it waits for the store.
  var held: AttemptTask.Piece?
  /// The length and digests that the running sync makes durable. They are outdated once the file was cut below the
  /// length: the bytes behind the cut are then other ones.
  var syncing: (length: Int64, digestStates: [String], isOutdated: Bool)?
  /// The sync that waits for the end of the running one.
  var pendingSync: PendingSync?
  /// The running fetch of parts for the file's tags.
  var gathering: Gathering?
  /// Whether the parts for tags were fetched: this happens once, although several names may turn out to be taken.
  var hasGathered = false
  /// The parts that the attempt fetches no more.
  var leftParts: Set<TagMaterial.Part> = []
  /// The parts fetched for the tags.
  var material = TagMaterial()
  /// The orders of the job under way that are not carried out yet.
  var orders: ArraySlice<TransferMachine.Order> = []
  private var jobs: [Job] = []
  private var stage: Stage?
  private var commands: [AttemptCommand] = []

  /// Makes an attempt that has not begun.
  package init(_ attempt: Attempt, configuration: Configuration) {
    self.attempt = attempt
    self.configuration = configuration
    machine = TransferMachine(attempt: attempt, bootID: configuration.bootID)
    buffer = WriteBuffer(capacity: configuration.bufferBytes, memory: configuration.memory)
  }

  /// Whether a sync runs beside the writing.
  package var isSynchronizing: Bool { syncing != nil }

  // MARK: What the service asks

  /// The attempt begins.
  package mutating func begin() { enqueue(machine.start()) }

  /// The store has committed what the attempt announced.
  package mutating func proceed() { enqueue(machine.proceed()) }

  /// These parts of what the file's tags show may come no more: the file gets its tags without them.
  package mutating func leave(_ parts: [TagMaterial.Part]) {
    leftParts.formUnion(parts)
    guard let current = gathering?.current, leftParts.contains(current) else { return }
    endGathering(because: "the networks' policy does not let it come over this network")
  }

  /// The attempt is to end and to keep what it has.
  package mutating func stop() {
    enqueue(machine.stop())
    endGathering(because: "the download was stopped")
  }

  /// The sync that a step began has ended; with an error if it failed.
  package mutating func synchronized(_ failure: DownloadError?) { enqueue(.synchronized(failure)) }

  // MARK: Commands

  /// What is to be done at once, in this order. To be asked for after every event, under the lock under which it came:
  /// were a stop's command to overtake that of the request which it ends, nothing would end the request.
  package mutating func takeCommands() -> [AttemptCommand] {
    guard !commands.isEmpty else { return [] }
    defer { commands = [] }
    return commands
  }

  mutating func command(_ command: AttemptCommand) { commands.append(command) }

  // MARK: Jobs

  mutating func enqueue(_ orders: [TransferMachine.Order]) {
    if !orders.isEmpty { enqueue(.orders(orders)) }
  }

  mutating func enqueue(_ job: Job) {
    jobs.append(job)
    commands.append(.work)
  }

  /// Has a sync that has ended recorded before the next piece is written. While the network is faster than the disk
  /// there is always a next piece: the record would wait for the end of the file.
  ///
  /// - Returns: whether there was such a sync.
  mutating func giveWay(to next: [Block]) -> Bool {
    let index = jobs.firstIndex { if case .synchronized = $0 { true } else { false } }
    guard orders.isEmpty, let index else { return false }
    let ended = jobs.remove(at: index)
    jobs.insert(contentsOf: [ended, .write(next)], at: 0)
    command(.work)
    return true
  }

  /// The next step of the job under way, or the first one of the next job.
  ///
  /// - Parameters:
  ///   - outcome: What came of the step before; nil at the beginning of a job.
  ///   - now: The time.
  /// - Returns: nil where the job is done.
  package mutating func next(
    after outcome: Result<AttemptTask.Outcome, DownloadError>?, at now: ClockReading
  ) -> AttemptTask? {
    var work: Work?
    if let outcome {
      work = takeUp(outcome, at: now)
    } else {
      work = beginJob(at: now)
    }
    while work == nil, let order = orders.popFirst() { work = begin(order, at: now) }
    stage = work?.stage
    return work?.step
  }

  private mutating func beginJob(at now: ClockReading) -> Work? {
    precondition(stage == nil, "a job was begun before the last one had ended")
    guard !jobs.isEmpty else { return nil }
    switch jobs.removeFirst() {
    case .orders(let orders):
      self.orders = orders[...]
      return nil
    case .write(let blocks): return lay(AttemptTask.Piece(blocks: blocks), at: now)
    case .synchronized(let failure): return endSync(failure, at: now)
    case .gathered: return gatherNext(at: now)
    }
  }

  private mutating func takeUp(
    _ outcome: Result<AttemptTask.Outcome, DownloadError>, at now: ClockReading
  ) -> Work? {
    guard let stage = self.stage else { preconditionFailure("an outcome came, and no step was under way") }
    switch outcome {
    case .success(.synchronizationFailed(let error)):
      machine.synchronizationFailed()
      return fail(error, in: stage)
    case .success(let outcome): return go(on: outcome, in: stage, at: now)
    case .failure(let error): return fail(error, in: stage)
    }
  }

  /// What failed takes the orders with it that came beside it, but for the end: nothing else would bring that.
  mutating func fail(_ error: DownloadError) -> Work? {
    let dropped = orders
    orders = []
    if let end = dropped.last, case .end = end {
      enqueue([end])
      return nil
    }
    if dropped.contains(where: { if case .request = $0 { true } else { false } }) || isPreparing {
      enqueue(machine.requestNotMade(error))
      return nil
    }
    if dropped.contains(.resumeWriting) { loseCut() }
    // Nothing is to come of the exchange once the machine has ended.
    if gathering != nil {
      gathering?.failure = error
      endGathering(because: error.message)
      return nil
    }
    enqueue(machine.filesFailed(error))
    return nil
  }

  /// Whether a request waits for what the digests have to read.
  private var isPreparing: Bool { if case .preparing = stage { true } else { false } }

  /// The old version's bytes could not be cut off: none of the new one can be written behind them.
  private mutating func loseCut() {
    machine.cutFailed()
    if let held { buffer.giveBack(held.blocks) }
    held = nil
    buffer.reset()
  }
}
