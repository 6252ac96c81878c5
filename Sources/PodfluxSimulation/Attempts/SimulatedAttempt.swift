import Digests
import Flux
import PodfluxCore

/// A shell around the real `TransferMachine`, after the model of `DownloadOperation`: the machine, the ladder, the
/// comparison with what is kept, the digests and the meter of checkpoints are the product's own; disk, network and time are simulated.
///
/// Files and network are two threads of events, as in the real shell: what is done with files waits in one queue and is done
/// one step at a time, so that a crash can fall between any two.
final class SimulatedAttempt {
  enum Task {
    case orders(ArraySlice<TransferMachine.Order>)
    case write([UInt8])
    /// A piece has been appended: a checkpoint may be due.
    case afterWrite
    case checkpoint(length: Int)
    case finishSync
    /// The file is renamed; its folder is to be synced.
    case syncFolder(PublishedFile, Publication)
  }

  let attempt: Attempt
  /// Its process. The cycle ends with either.
  let process: SimulatedProcess
  unowned let world: World
  let bootID: String
  var machine: TransferMachine
  var buffer: PieceBuffer
  var checkpoints = CheckpointMeter()
  var comparison = KeptComparison(from: 0, to: 0)
  /// What differs from what is kept, and waits for the store.
  var held: [UInt8]?
  var digests: ContentDigests
  var exchange: ExchangeState?
  /// Only the network event of this number means something.
  var networkNumber = 0
  var file: SimulatedFile?
  /// The failure of an earlier sync of the file.
  var syncFailure: DownloadError?
  var tasks: [Task] = []
  private var isScheduled = false
  var isOver = false
  /// Bytes that have come over the network since the last report.
  var fetched: Int64 = 0
  /// Whether it might use all paths when it began.
  var mayUseAllAtStart = false
  /// Whether its origin, on this machine, has led it to another.
  var isLedElsewhere = false
  var clockAtWrite: Int64 = 0
  var clockAtReading: Int64 = 0
  var clockAtRequest: Int64 = 0
  /// Since when bytes of the file are written and not in its record.
  var unrecordedSince: Int64?

  init(_ attempt: Attempt, in process: SimulatedProcess) {
    self.attempt = attempt
    self.process = process
    world = process.world
    bootID = process.bootID
    digests = ContentDigests(attempt.digestAlgorithms)
    machine = TransferMachine(attempt: attempt, bootID: bootID)
    buffer = PieceBuffer(capacity: 1 << world.random.within(9...16))
  }

  var download: DownloadID { attempt.id.download }
  var disk: SimulatedDisk { world.disk }

  // MARK: What the service asks

  func begin() throws { try carryOut(machine.start()) }
  func proceed() throws { try carryOut(machine.proceed()) }
  func stop() throws { try carryOut(machine.stop()) }

  // MARK: The queue of file work

  func carryOut(_ orders: [TransferMachine.Order]) throws {
    guard !orders.isEmpty else { return }
    enqueue(.orders(orders[...]))
  }

  func enqueue(_ task: Task) {
    tasks.append(task)
    scheduleFiles()
  }

  /// Goes before what waits: the step belongs to the one just done.
  func follow(with task: Task) {
    tasks.insert(task, at: 0)
  }

  private func scheduleFiles() {
    guard !isScheduled, !isOver, !tasks.isEmpty else { return }
    isScheduled = true
    world.schedule(.files(self), after: world.random.once(in: 4) ? world.random.delay() : 0)
  }

  /// Does the next step.
  func workOnFiles() throws {
    isScheduled = false
    guard !isOver, !tasks.isEmpty else { return }
    do {
      try work(tasks.removeFirst())
    } catch let error as DownloadError {
      try carryOut(machine.filesFailed(error))
    }
    scheduleFiles()
  }

  private func work(_ task: Task) throws {
    switch task {
    case .orders(let orders):
      guard let order = orders.first else { return }
      // A failure drops the orders that came with it.
      if orders.count > 1 { follow(with: .orders(orders.dropFirst())) }
      do {
        try work(order)
      } catch let error as DownloadError {
        if orders.count > 1 { tasks.removeFirst() }
        throw error
      }
    case .write(let piece): try write(piece)
    case .afterWrite: try checkpointIfDue()
    case .checkpoint(let length): try checkpoint(length)
    case .finishSync: try finishSync()
    case .syncFolder(let published, let publication):
      disk.synchronizeFolder(of: published.path.description)
      try carryOut(machine.published(publication))
    }
  }

  private func work(_ order: TransferMachine.Order) throws {
    switch order {
    case .openPartial(let tail):
      let file = try disk.openPartial(of: download)
      self.file = file
      try carryOut(
        machine.partialOpened(
          length: Int64(file.length), tailHash: tail.map { file.hash(of: Range(bytes: $0)) },
          room: disk.isFull ? 0 : .max))
    case .truncate(let length): try truncate(to: Int(length))
    case .request(let plan):
      try world.checker.willGoOn(download, with: file, from: machine.base)
      try bringDigestsUpToDate()
      try request(plan)
    case .cancelExchange: cancelExchange()
    case .resumeWriting: try resumeWriting()
    case .finishWriting: try finishWriting()
    case .completeWriting: try completeWriting()
    case .synchronizeContents:
      let file = try openedFile()
      if world.sabotage != .publishedUnsynced { try synchronize(file) { file.synchronizeContents() } }
      try carryOut(machine.contentsSynchronized())
    case .name(let number): try name(number: number)
    case .publish(let file): try publish(file)
    case .report(let news): try report(news)
    case .end(let news): end(news)
    }
  }

  func openedFile() throws -> SimulatedFile {
    guard let file else { throw DownloadError(.io, "the partial file was used before it was open") }
    return file
  }

  private func truncate(to length: Int) throws {
    try world.checker.willTruncate(download, attempt: attempt.id, to: length)
    if world.sabotage == .noTruncation { return }
    try openedFile().truncate(to: length)
    checkpoints.begin(at: Int64(length), milliseconds: world.now)
    unrecordedSince = nil
  }

  // MARK: Publishing

  private func name(number: Int) throws {
    let path = try world.name(for: attempt, number: number)
    try carryOut(machine.named(path, inode: try openedFile().inode))
  }

  private func publish(_ published: PublishedFile) throws {
    let path = published.path.description
    try world.checker.willPublish(attempt.id, as: published, on: disk)
    if disk.isPublished(published) {
      follow(with: .syncFolder(published, Publication(modifiedNanoseconds: disk.published[path]?.file.modified)))
      return
    }
    let replaced = world.sabotage == .publishReplaces ? disk.published[path] : nil
    let (sparesTwins, twins) = (world.sparesTwins(attempt), disk.twins(of: path))
    if let publication = try disk.publish(
      download, at: path, replacing: replaced != nil, sparingTwins: sparesTwins)
    {
      if attempt.settings.portableNames { try world.checker.hasPublished(path, beside: twins) }
      try replaced.map { try world.checker.willReplace(path, $0) }
      follow(with: .syncFolder(published, publication))
    } else {
      try carryOut(machine.published(nil))
    }
  }

  // MARK: Reports

  func report(_ news: AttemptReport.News) throws {
    process.post(.attempt(AttemptReport(attempt: attempt.id, news: news, fetched: takeFetched())))
    switch (news, world.sabotage) {
    case (.restarting, .truncatedTooEarly?), (.publishing, .publishedTooEarly?): try carryOut(machine.proceed())
    default: break
    }
  }

  private func end(_ news: AttemptReport.News) {
    isOver = true
    file = nil
    process.ended(self, AttemptReport(attempt: attempt.id, news: news, fetched: takeFetched()))
  }

  private func takeFetched() -> Int64 {
    defer { fetched = 0 }
    return world.sabotage == .trafficForgotten ? 0 : fetched
  }
}
