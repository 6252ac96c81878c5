import EngineRuntime
import Flux
import PodfluxCore

/// The fetch of a sidecar in the simulated world: the product's own `SidecarAttempt`, with its queue and its exchange.
/// Each step is an event of the scheduler: between two of them everything else can happen.
final class SimulatedSidecar {
  let fetch: SidecarFetch
  /// Its process. The cycle ends with either.
  let process: SimulatedProcess
  unowned let world: World
  private let files: SimulatedFiles
  private var core: SidecarAttempt<SimulatedFiles>
  /// The events that were handed in and not handled.
  private var events: [SidecarEvent] = []
  private var isScheduled = false
  private var exchange: SmallExchange?
  private var networkNumber = 0
  private var fetched: Int64 = 0
  private(set) var activity = 0
  private var isOver = false
  /// Whether it was told to stop: it hears so a moment later.
  private(set) var isToldToStop = false

  init(_ fetch: SidecarFetch, in process: SimulatedProcess) {
    self.fetch = fetch
    self.process = process
    world = process.world
    files = SimulatedFiles(in: process)
    let source = GatheredFiles.Source(fetch)
    core = SidecarAttempt(fetch, gathered: source.flatMap { process.gathered.take($0) }, files: files)
  }

  func begin() { hand(in: .begin) }
  func proceed() { hand(in: .proceed) }
  func stop() {
    isToldToStop = true
    hand(in: .stop)
  }

  private func hand(in event: SidecarEvent) {
    events.append(event)
    schedule()
  }

  private func schedule() {
    guard !isScheduled, !events.isEmpty else { return }
    isScheduled = true
    world.schedule(.sidecar(self), after: world.sidecarDelay(oneIn: 3))
  }

  /// Takes in what was handed in first.
  func work() throws {
    isScheduled = false
    guard !events.isEmpty, !world.dies(in: 400) else { return }
    let event = events.removeFirst()
    let commands = try files.run(.sidecar(.fetch(fetch))) { core.handle(event, at: world.clock) }
    guard process.isAlive else { return }
    for command in commands { try obey(command) }
    schedule()
  }

  private func obey(_ command: SidecarCommand) throws {
    switch command {
    case .startExchange(let request):
      activity += 1
      exchange = SmallExchange(request, under: fetch.settings, in: world)
      scheduleNetwork()
    case .cancelExchange:
      exchange?.end(with: .cancelled)
      scheduleNetwork()
    case .report(let report): process.post(.sidecar(.fetch(counted(report))))
    case .end(let report):
      isOver = true
      process.ended(self, counted(report))
    }
  }

  private func counted(_ report: SidecarReport) -> SidecarReport {
    defer { fetched = 0 }
    var report = report
    report.fetched = fetched
    return report
  }

  // MARK: The network

  private func scheduleNetwork() {
    networkNumber += 1
    world.schedule(.sidecarExchange(self, number: networkNumber), after: world.sidecarDelay(oneIn: 1))
  }

  /// Takes what comes next over the wire.
  func receiveNext(number: Int) throws {
    guard !isOver, number == networkNumber, var exchange else { return }
    let piece = try exchange.next(in: process)
    self.exchange = exchange
    switch piece {
    case .head(let head):
      hand(in: .head(head))
      if case .stop = head.sidecarDemand { end(.failure(.refused)) }
    case .body(let bytes):
      if exchange.needsPath {
        fetched += Int64(bytes.count)
        try world.checker.willTake(sidecarBytes: bytes.count, over: world.path, self)
      }
      hand(in: .body(bytes))
    case .end(let result): end(result)
    case nil: break
    }
    if self.exchange?.isOver == false { scheduleNetwork() }
  }

  private func end(_ result: Result<ExchangeSummary, ExchangeFailure>) {
    exchange = nil
    hand(in: .exchangeEnded(result))
  }
}

extension World {
  /// Milliseconds until a fetch does the next thing: some once in so many steps.
  func sidecarDelay(oneIn draws: Int) -> Int64 {
    guard sidecars?.random.once(in: draws) == true else { return 0 }
    return sidecars?.random.delay() ?? 0
  }

  func answer(to request: HTTPRequest) -> SimulatedSidecars.Answer {
    sidecars?.answer(request, hasFaults: suffers(.sidecars) || suffers(.tags))
      ?? SimulatedSidecars.Answer(head: ResponseHead(status: 404, effectiveURL: request.url, fields: []))
  }
}

/// Sidecars.
extension SimulatedProcess {
  func begin(_ order: SidecarOrder) throws {
    switch order {
    case .fetch(let fetch):
      guard sidecars[fetch.id] == nil else { return }
      try world.checker.willFetch(fetch, in: self)
      let shell = SimulatedSidecar(fetch, in: self)
      sidecars[fetch.id] = shell
      shell.begin()
    case .proceed(let id): sidecars[id]?.proceed()
    case .stop(let id): if world.sabotage != .sidecarStopLost { sidecars[id]?.stop() }
    case .delete, .move, .look: world.schedule(.sidecarErrand(self, order), after: world.sidecarDelay(oneIn: 2))
    }
  }

  func run(_ order: SidecarOrder) throws {
    guard !world.dies(in: 400) else { return }
    if case .delete(let deletion) = order, world.sabotage == .sidecarStays {
      return post(.sidecar(.deleted(deletion.sidecar)))
    }
    if case .move(let move) = order { try world.checker.willMove(move, in: self) }
    let files = SimulatedFiles(in: self)
    let fact = try files.run(.sidecar(order)) { files.carryOut(order) }
    guard isAlive, let fact else { return }
    post(.sidecar(fact))
  }

  /// The service forgets the fetch before the store hears that it has ended.
  func ended(_ sidecar: SimulatedSidecar, _ report: SidecarReport) {
    sidecars[report.fetch] = nil
    postAfterPath(.sidecar(.fetch(report)))
  }
}

extension SimulatedFiles {
  func stage(
    _ bytes: [UInt8], for sidecar: Sidecar.Key, keepingFree reserve: Int64
  ) throws(FileSystemFailure) -> StagedFile {
    try enter()
    do throws(DownloadError) {
      let file = try disk.stage(bytes, as: sidecar)
      return StagedFile(inode: file.inode, modifiedNanoseconds: file.modified)
    } catch {
      throw FileSystemFailure(error.message, lacksRoom: error.code == .noSpace)
    }
  }

  func publish(
    _ sidecar: Sidecar.Key, as file: PublishedFile, portably: Bool
  ) throws(FileSystemFailure) -> Bool {
    try enter()
    let path = file.path.description
    guard disk.cover(over: path) == nil else { throw FileSystemFailure("something is on the way to \(path)") }
    if disk.isPublished(file) { return true }
    guard disk.staged[sidecar] != nil else {
      if disk.published[path] != nil { return false }
      throw FileSystemFailure("the file is gone")
    }
    if let slash = path.lastIndex(of: "/"), !disk.folders.contains(String(path[..<slash])) {
      throw FileSystemFailure("the folder of \(path) is gone")
    }
    if world.sabotage == .sidecarReplaces, disk.published[path] != nil {
      check { throw Violation(.sidecarPlaces, "the file at \(path) is replaced by a sidecar") }
    }
    guard disk.published[path] == nil, !disk.links.contains(path), !disk.folders.contains(path) else { return false }
    guard !portably || disk.twins(of: path).isEmpty else { return false }
    disk.publishSidecar(sidecar, at: path)
    return true
  }

  func discardStaged(_ sidecar: Sidecar.Key) throws(FileSystemFailure) {
    try enter()
    disk.discardStaged(sidecar)
  }
}

/// The sabotages that concern the table of sidecars are built in here.
struct ObservedSidecars: SidecarTable {
  let inner: any SidecarTable
  let notes: TransactionNotes
  let sabotage: Sabotage?

  func find(_ key: Sidecar.Key) throws -> Sidecar? { try inner.find(key) }
  func insert(_ sidecar: Sidecar) throws {
    if sabotage != .notesNotWanted || sidecar.kind != .notes { try inner.insert(sidecar) }
  }
  func update(_ sidecar: Sidecar) throws {
    var sidecar = sidecar
    if sabotage == .sidecarFetchedAgain, case .disowned = sidecar.state {
      sidecar.state = .wanted(failures: 0, next: Timestamp(milliseconds: 0))
    }
    try inner.update(sidecar)
    if sidecar.kind == .cover, case .disowned(let file) = sidecar.state { notes.disownedCovers.append(file) }
  }
  func delete(_ key: Sidecar.Key) throws { try inner.delete(key) }
  func sidecars(of owner: DownloadID) throws -> [Sidecar] { try inner.sidecars(of: owner) }
  func sidecars(of session: Session.Key, after key: Sidecar.Key, limit: Int) throws -> [Sidecar] {
    try inner.sidecars(of: session, after: key, limit: limit)
  }
  func cover(at stem: String) throws -> Sidecar? { try inner.cover(at: stem) }
  func covers(after key: Sidecar.Key, limit: Int) throws -> [Sidecar] { try inner.covers(after: key, limit: limit) }
  func present(after key: Sidecar.Key, limit: Int) throws -> [Sidecar] { try inner.present(after: key, limit: limit) }
  func isKnown(_ file: FoundFile) throws -> Bool {
    try sabotage != .sidecarTakenForOrphan && inner.isKnown(file)
  }
  func isUsed(_ folder: LibraryPath) throws -> Bool { try inner.isUsed(folder) }
  func hasKeptFile(in folder: LibraryPath) throws -> Bool {
    try sabotage != .coverGoes && inner.hasKeptFile(in: folder)
  }
  func due(at now: Timestamp, _ need: SidecarNeed, limit: Int) throws -> [Sidecar] {
    try inner.due(at: now, need, limit: limit)
  }
  func nextMoment(after now: Timestamp) throws -> Timestamp? { try inner.nextMoment(after: now) }
  func bringForward(dueAfter latest: Timestamp, to moment: Timestamp) throws {
    if sabotage != .farSidecarsKept { try inner.bringForward(dueAfter: latest, to: moment) }
  }
  func owed(limit: Int) throws -> [Sidecar] { try inner.owed(limit: limit) }
  func postpone(_ key: Sidecar.Key) throws { try inner.postpone(key) }
  func oweAll() throws { try inner.oweAll() }
  func isEmpty() throws -> Bool { try inner.isEmpty() }
  func save(scanAfter key: Int64?) throws { try inner.save(scanAfter: key) }
  func completedDownloads(after key: Int64, limit: Int) throws -> (downloads: [DownloadID], next: Int64?) {
    try inner.completedDownloads(after: key, limit: limit)
  }
}
