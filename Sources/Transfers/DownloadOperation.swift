import Digests
import Flux
import Foundation
import PodfluxCore
import Synchronization

/// One attempt at a download: the thin shell around its `TransferMachine`.
///
/// It never blocks a thread. Events come from the curl thread, from its own queue and from the service; each locks the
/// state, asks the machine, and puts its orders on the operation's own serial queue before it unlocks: they are carried
/// out in the order in which they were decided. File work happens on that queue alone, so a slow disk slows its own
/// transfers and nothing else.
final class DownloadOperation: AsynchronousOperation, @unchecked Sendable {
  // `@unchecked`: inherited from Operation. Everything below is immutable or in the locked state.

  struct State {
    var machine: TransferMachine
    var buffer: WriteBuffer
    var exchange: HTTPExchange?
    /// Whether the exchange waits for room in the buffer.
    var isExchangePaused = false
    var clockAtReading: Int64 = 0
    var checkpoints = CheckpointMeter()
    /// Tells what arrives and repeats kept bytes from what is new. Touched on the operation's queue while an exchange runs.
    var comparison = KeptComparison(from: 0, to: 0)
    /// The piece that differs from what is kept, and how many of its bytes do not: it waits for the store.
    var held: (piece: [Block], repeated: Int)?
    /// Whether a checkpoint's sync is under way, beside the writing.
    var isSyncing = false
    /// What waits for that one's end.
    var pendingSync: PendingSync?
    /// Undoes the coding of what the exchange brings, if it has any.
    var decoder: ContentDecoder?
    /// The bytes that have come over the network since the last report that told of them.
    var fetched: Int64 = 0
  }

  /// A last sync, which must not run beside a checkpoint's.
  enum PendingSync {
    case contents, everything
  }

  let attempt: Attempt
  let environment: TransferEnvironment
  let queue: DispatchQueue
  let state: Mutex<State>
  /// The open partial; touched on `queue` only.
  let partial = Mutex<(any PartialContents)?>(nil)
  /// The digests of what the partial holds; touched on `queue` only.
  let digests: Mutex<ContentDigests>
  private let diskQueues: DiskQueues
  private let place: DiskQueues.Place
  private let ended: @Sendable (AttemptID) -> Void

  init(_ attempt: Attempt, in environment: TransferEnvironment, ended: @escaping @Sendable (AttemptID) -> Void) {
    self.attempt = attempt
    self.environment = environment
    self.ended = ended
    // Quality of service is a thread's priority on Linux: writing must not fall behind what a person waits for.
    diskQueues = attempt.origin == .user ? environment.userDiskQueues : environment.otherDiskQueues
    place = diskQueues.enter()
    queue = DispatchQueue(label: "podflux.attempt", target: place.queue)
    let capacity = WritePolicy.writeSize(transfersAtOnce: attempt.settings.maxConcurrent)
    digests = Mutex(ContentDigests(attempt.digestAlgorithms))
    state = Mutex(
      State(
        machine: TransferMachine(attempt: attempt, bootID: environment.bootID),
        buffer: WriteBuffer(capacity: capacity, pool: environment.pool)))
    super.init()
    self.qualityOfService = attempt.origin == .user ? .userInitiated : .utility
  }

  override func begin() {
    advance { $0.machine.start() }
  }

  /// The store has committed what the attempt announced.
  func proceed() {
    advance { $0.machine.proceed() }
  }

  /// The attempt is to end and to keep what it has.
  func stop() {
    advance { $0.machine.stop() }
  }

  // MARK: Orders

  /// Lets the machine decide, and has what it orders carried out.
  func advance(_ event: (inout State) -> [TransferMachine.Order]) {
    state.withLock { carryOut(event(&$0)) }
  }

  /// Puts orders on the queue. To be called with the state locked, by whoever has just had them decided: were a stop's
  /// order to overtake that of the request which it ends, nobody would end the request.
  func carryOut(_ orders: [TransferMachine.Order]) {
    guard !orders.isEmpty else { return }
    queue.async { [self] in
      for order in orders {
        do throws(DownloadError) {
          try carryOut(order)
        } catch {
          return advance { $0.machine.filesFailed(error) }
        }
      }
    }
  }

  private func carryOut(_ order: TransferMachine.Order) throws(DownloadError) {
    switch order {
    case .openPartial, .truncate, .resumeWriting, .finishWriting, .completeWriting, .publish:
      try environment.endOfWork.check()
    case .request, .cancelExchange, .synchronizeContents, .name, .report, .end: break
    }
    switch order {
    case .openPartial(let tail): try openPartial(tail: tail)
    case .truncate(let length): try truncate(to: length)
    case .request(let plan): try request(plan)
    case .cancelExchange: state.withLock { $0.exchange }?.cancel()
    case .resumeWriting: try resumeWriting()
    case .finishWriting: try finishWriting()
    case .completeWriting: try completeWriting()
    case .synchronizeContents: try synchronizeContents()
    case .name(let number): try name(number: number)
    case .publish(let file):
      let publication = try environment.files.publish(
        attempt.id.download, as: file, portably: attempt.settings.portableNames)
      advance { $0.machine.published(publication) }
    case .report(let news): report(news)
    case .end(let news): end(news)
    }
  }

  private func openPartial(tail: Range<Int64>?) throws(DownloadError) {
    let file = try environment.files.openPartial(of: attempt.id.download)
    partial.withLock { $0 = file }
    let length = try file.length()
    let hash = try tail.map { (range) throws(DownloadError) in try tailHash(of: file, in: range) }
    let (room, reserve) = (try environment.files.availableBytes(), environment.limits.reserveFreeBytes)
    advance { $0.machine.partialOpened(length: length, tailHash: hash, room: room, reserve: reserve) }
  }

  /// Cuts the partial; checkpoints are counted from there.
  private func truncate(to length: Int64) throws(DownloadError) {
    try openedPartial().truncate(to: length)
    let now = environment.readClock().monotonicMilliseconds
    state.withLock { $0.checkpoints.begin(at: length, milliseconds: now) }
  }

  private func request(_ plan: ResumePolicy.Plan) throws(DownloadError) {
    try bringDigestsUpToDate()
    let settings = attempt.settings
    let request = HTTPRequest(
      url: attempt.address.description, headers: attempt.headers.map { ($0.name, $0.value) },
      rangeStart: plan.rangeStart, ifRange: plan.ifRange, userAgent: settings.userAgent,
      connectTimeoutMilliseconds: settings.connectTimeoutSeconds * 1000,
      firstByteTimeoutMilliseconds: settings.firstByteTimeoutSeconds * 1000,
      stallTimeoutMilliseconds: settings.stallTimeoutSeconds * 1000, slowBytesPerSecond: settings.slowBytesPerSecond,
      slowWindowMilliseconds: settings.slowWindowSeconds * 1000,
      allowsInsecureRedirects: settings.allowInsecureRedirects, route: attempt.route)
    let now = environment.readClock().monotonicMilliseconds
    state.withLock { state in
      state.checkpoints.begin(at: state.machine.base, milliseconds: now)
      state.buffer.reset()
      (state.held, state.decoder) = (nil, nil)
      // Started under the lock: the first callback, on the curl thread, finds the exchange in its place.
      state.exchange = environment.driver.start(request, delegate: self)
    }
  }

  private func name(number: Int) throws(DownloadError) {
    let (head, contents) = state.withLock { ($0.machine.head, $0.machine.contents) }
    let facts = PublishingFacts(
      description: attempt.description, address: attempt.ownAddress, contentDisposition: head?.contentDisposition,
      contentType: head?.contentType, beginning: contents?.beginning ?? [], settings: attempt.settings)
    let path = try environment.files.name(for: facts, number: number)
    let now = environment.readClock().wall
    // All is written; the last thing before the file is synced and renamed.
    if let moment = attempt.settings.fileTimes.modification(published: attempt.description.published, now: now) {
      try openedPartial().setModificationTime(moment)
    }
    let inode = try openedPartial().prepareToMove(reserve: environment.limits.reserveFreeBytes) {
      !environment.endOfWork.hasBegun && !state.withLock(\.machine.isStopping)
    }
    // What was ended by a stop the machine ends by itself.
    if inode == nil { try environment.endOfWork.check() }
    advance { $0.machine.named(path, inode: inode ?? 0) }
  }

  func report(_ news: AttemptReport.News) {
    // A reading may be lost behind the next one: it tells of no bytes that have to be counted.
    let fetched: Int64 = news.isReading ? 0 : takeFetched()
    environment.report(AttemptReport(attempt: attempt.id, news: news, fetched: fetched))
  }

  private func takeFetched() -> Int64 {
    state.withLock { state in
      defer { state.fetched = 0 }
      return state.fetched
    }
  }

  private func end(_ news: AttemptReport.News) {
    partial.withLock { file in
      file?.close()
      file = nil
    }
    // The service forgets the attempt before the store hears that it has ended and may start another.
    ended(attempt.id)
    diskQueues.leave(place)
    report(news)
    finish()
  }

  func openedPartial() throws(DownloadError) -> any PartialContents {
    guard let file = partial.withLock({ $0 }) else {
      throw DownloadError(.io, "the partial file was used before it was open")
    }
    return file
  }
}
