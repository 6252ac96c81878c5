import EngineRuntime
import Flux
import PodfluxCore

/// An attempt in the simulated world: the product's own `DownloadAttempt` and `AttemptFileWork`. Each step is an event
/// of the scheduler, and its outcome is handed in with the next one: between the two everything else can happen.
final class SimulatedAttempt {
  let attempt: Attempt
  /// Its process. The cycle ends with either.
  let process: SimulatedProcess
  unowned let world: World
  let files: SimulatedAttemptFiles
  private(set) var core: DownloadAttempt
  private var work: AttemptFileWork
  private(set) var exchange: SimulatedExchange?
  /// The last answer to a request for the file.
  var lastAnswer: SimulatedResponse?
  /// The last request for the file.
  private var request: HTTPRequest?
  /// The exchange of a part of what tags show, and what has come of it.
  private var partExchange: SmallExchange?
  private var partBody: [UInt8] = []
  /// Only the network event of this number means something.
  private var networkNumber = 0
  /// How many jobs of file work are ordered and not done.
  private var jobs = 0
  /// What the last step of the job under way has come to.
  private var outcome: Result<AttemptTask.Outcome, DownloadError>?
  /// Whether that step was a write.
  private var hasWritten = false
  private var isScheduled = false
  private(set) var isOver = false
  /// The received bytes that a sabotage keeps unreported.
  private var withheld: Int64 = 0
  /// Whether it might use all paths when it began.
  var mayUseAllAtStart = false
  /// Whether its origin, on this machine, has led it to another.
  private(set) var isLedElsewhere = false

  init(_ attempt: Attempt, in process: SimulatedProcess) {
    self.attempt = attempt
    self.process = process
    world = process.world
    files = SimulatedAttemptFiles(of: attempt, in: process)
    work = AttemptFileWork(attempt, files: files, surroundings: files)
    let configuration = DownloadAttempt.Configuration(
      bootID: process.bootID, bufferBytes: 1 << world.random.within(9...16),
      fastPieceBlocks: world.random.once(in: 2) ? 1 : WritePolicy.fastPieceBlocks, memory: world.memory,
      makeDecoder: { _ in SimulatedDecoder() })
    core = DownloadAttempt(attempt, configuration: configuration)
  }

  var download: DownloadID { attempt.id.download }
  /// A number that changes with each job and each network event.
  var activity: Int { jobs + networkNumber }

  // MARK: What the service asks

  func begin() throws { try advance { $0.begin() } }
  func proceed() throws { if world.sabotage != .proceedLost { try advance { $0.proceed() } } }
  func leave(_ parts: [TagMaterial.Part]) throws { try advance { $0.leave(parts) } }
  func stop() throws { try advance { $0.stop() } }

  // MARK: Events and commands

  /// Hands in an event, and obeys what follows from it.
  @discardableResult
  func advance<Answer>(_ event: (inout DownloadAttempt) -> Answer) throws -> Answer {
    let answer = event(&core)
    for command in core.takeCommands() { try obey(command) }
    return answer
  }

  private func obey(_ command: AttemptCommand) throws {
    switch command {
    case .work:
      jobs += 1
      scheduleFiles()
    case .startExchange(let request) where core.isGathering: try startPart(request)
    case .startExchange(let request): try start(request)
    case .cancelExchange where partExchange != nil:
      partExchange?.end(with: .cancelled)
      scheduleNetwork(after: world.random.delay())
    case .cancelExchange: exchange?.cancel()
    case .resumeExchange: exchange?.resume()
    case .keepGathered(let bytes, let source): process.gathered.keep(bytes, from: source)
    }
  }

  // MARK: The network

  private func start(_ request: HTTPRequest) throws {
    try world.checker.willRequest(attempt.id)
    try world.checker.willGoOn(download, with: files.file, from: core.machine.base)
    self.request = request
    let headers = request.headers.map { Header(name: $0.name, value: $0.value) }
    try world.checker.willSend(
      world.sabotage == .headersEverywhere ? attempt.description.headers : headers, to: attempt.address, for: download)
    isLedElsewhere = false
    let host = attempt.address.host
    var visit = SimulatedVisit(request, under: attempt.settings.addresses, by: world.word(of: download), in: world)
    let refusal = visit.enter(host)
    let isLetIn = try refusal != nil || world.lets(request, in: process, at: host)
    exchange = SimulatedExchange(request, of: self, isLetIn: isLetIn, refusal: refusal)
    isLedElsewhere = !needsPath && world.suffers(.protocols) && world.random.once(in: 20)
    files.requested()
    scheduleNetwork(after: world.random.delay())
  }

  func scheduleNetwork(after delay: Int64) {
    networkNumber += 1
    world.schedule(.network(self, number: networkNumber), after: delay)
  }

  /// Takes what comes next of the exchange.
  func receiveNext(number: Int) throws {
    guard !isOver, number == networkNumber else { return }
    if partExchange != nil { return try receivePart() }
    try exchange?.goOn()
  }

  func exchangeFinished(_ result: Result<ExchangeSummary, ExchangeFailure>) throws {
    exchange = nil
    try advance { $0.exchangeFinished(result) }
  }

  // MARK: What tags show

  private func startPart(_ request: HTTPRequest) throws {
    try world.checker.willRequest(attempt.id)
    try world.checker.willAsk(forPartAt: request.url, attempt, in: process)
    partExchange = SmallExchange(request, under: attempt.settings, in: world)
    partBody = []
    scheduleNetwork(after: world.random.delay())
  }

  /// The next thing of a part comes over the wire. Some servers fall silent: then the attempt's patience ends it.
  private func receivePart() throws {
    let clock = world.clock
    try advance { _ = $0.tick(at: clock) }
    guard let url = partExchange?.request.url, let piece = try partExchange?.next(in: process) else {
      let isSilent = world.suffers(.tags) && world.random.once(in: 8)
      return scheduleNetwork(after: isSilent ? TagMaterial.patienceMilliseconds : world.random.delay())
    }
    switch piece {
    case .head(let head):
      if case .stop = try advance({ $0.received(head: head, at: clock) }) { partExchange?.end(with: .refused) }
    case .body(let bytes):
      partBody += bytes
      if partExchange?.needsPath == true {
        try world.checker.willTake(partBytes: bytes.count, over: world.path, self)
        if world.sabotage != .trafficForgotten { try advance { $0.received(overNetwork: Int64(bytes.count)) } }
      }
      let demand = try advance { attempt in bytes.withUnsafeBytes { attempt.received(body: $0) } }
      if case .stop = demand { partExchange?.end(with: .refused) }
    case .end(let result): return try endPart(result, from: url)
    }
    scheduleNetwork(after: world.random.delay())
  }

  private func endPart(_ result: Result<ExchangeSummary, ExchangeFailure>, from url: String) throws {
    partExchange = nil
    var result = result
    switch result {
    case .success: world.checker.hasServed(partBody, from: url, to: attempt)
    case .failure(let failure) where failure.reason == .connectionLost && world.sabotage == .tagsShowHalf:
      result = .success(ExchangeSummary(bytesReceived: 0, contentLength: nil, isDelimited: true))
    case .failure: break
    }
    let ended = result
    try advance { $0.exchangeFinished(ended) }
  }

  // MARK: Steps

  private func scheduleFiles() {
    guard !isScheduled, !isOver, jobs > 0 else { return }
    isScheduled = true
    world.schedule(.files(self), after: world.random.once(in: 4) ? world.random.delay() : 0)
  }

  /// Hands in what has come of the last step, and carries out the next one.
  func workOnFiles() throws {
    isScheduled = false
    guard !isOver, jobs > 0 else { return }
    // Of the job under way only: between two jobs time passes in which no write gives a checkpoint its chance.
    let hasWritten = self.hasWritten
    self.hasWritten = false
    guard let step = try nextStep() else { return }
    if hasWritten { try files.checkPatience(of: core, before: step) }
    if case .files(.append) = step { self.hasWritten = true }
    outcome = try perform(step)
    try files.raise()
    scheduleFiles()
  }

  private func nextStep() throws -> AttemptTask? {
    let clock = world.clock
    while jobs > 0 {
      let outcome = self.outcome
      self.outcome = nil
      if let step = try advance({ $0.next(after: outcome, at: clock) }) { return step }
      jobs -= 1
    }
    return nil
  }

  private func perform(_ step: AttemptTask) throws -> Result<AttemptTask.Outcome, DownloadError> {
    switch step {
    case .files(let step):
      if world.sabotage == .stopForgetsToSync, core.machine.isStopping, case .synchronize = step {
        files.syncsAreSkipped = true
      }
      return perform(step)
    case .synchronizeBeside:
      world.schedule(.synchronization(self), after: Int64(world.random.within(0...300)))
      let states = work.digestStates
      if world.sabotage == .syncNotAwaited { try advance { $0.synchronized(nil) } }
      return .success(.synchronizing(digestStates: states))
    case .report(let report): try post(report)
    case .end(let report):
      try end(report)
      if world.sabotage == .endedTwice { try end(report) }
    }
    return .success(.done)
  }

  private func perform(_ step: AttemptTask.FileTask) -> Result<AttemptTask.Outcome, DownloadError> {
    var step = step
    if world.sabotage == .tagsNotAwaited, case .prepareToMove(let moment, var request?) = step {
      request.material = TagMaterial()
      step = .prepareToMove(modified: moment, tagging: request)
    }
    let result = Result { () throws(DownloadError) in
      try work.perform(step) { core.machine.isStopping }
    }
    guard world.sabotage == .digestNotChecked, let integrity = attempt.description.integrity,
      case .success(.contents(var contents)) = result
    else { return result }
    contents.digests[integrity.algorithm] = integrity.digests[0]
    return .success(.contents(contents))
  }

  /// The sync beside the writing ends.
  func synchronize() throws {
    guard !isOver else { return }
    var failure: DownloadError?
    do throws(DownloadError) {
      try work.partial?.synchronize()
    } catch {
      failure = error
    }
    files.isCutOwed = failure != nil
    try files.raise()
    if world.sabotage != .syncNotAwaited { try advance { $0.synchronized(failure) } }
  }

  /// The process is no more. In the product two system calls lie between a sync that fails beside the writing and the
  /// cut that follows it, and the kernel tells no other process of the failure: no crash of this world falls between
  /// them.
  func die() {
    if files.isCutOwed { files.file?.truncate(to: Int(core.machine.promised)) }
  }

  // MARK: Reports

  func post(_ report: AttemptReport) throws {
    // Nothing is posted to a library that was given up.
    guard process.isAlive else { return }
    let report = sabotaged(report)
    if world.sabotage == .checkpointForgotten, case .checkpoint = report.news {
      withheld = report.fetched
      return
    }
    if case .restarting(let bytes, let cause) = report.news {
      try world.checker.willDiscard(bytes, because: cause, self)
    }
    try world.checker.willReport(report)
    if case .checkpoint(let record) = report.news, record.durable > 0 { files.recorded() }
    process.post(.attempt(report))
    switch (report.news, world.sabotage) {
    case (.restarting, .truncatedTooEarly?), (.publishing, .publishedTooEarly?): try advance { $0.proceed() }
    case (.publishing, .requestWhilePublishing?): if let request { try start(request) }
    default: break
    }
  }

  private func end(_ report: AttemptReport) throws {
    isOver = true
    work.close()
    guard process.isAlive else { return }
    let report = sabotaged(report)
    try world.checker.willReport(report)
    world.checker.noteEnd(of: self)
    process.ended(self, report)
  }

  private func sabotaged(_ report: AttemptReport) -> AttemptReport {
    var report = report
    report.fetched += withheld
    withheld = 0
    if world.sabotage == .tagsDigestReplaced, case .publishing(let file, let kept, .tagged) = report.news {
      let original = Download.Original(length: file.length, sha256: file.sha256)
      report.news = .publishing(file, kept: kept, tagging: .tagged(original))
    }
    if world.sabotage == .retryAfterForgotten, case .failed(let error, let kept, _) = report.news {
      report.news = .failed(error, kept: kept)
    }
    guard world.sabotage == .syncFailureForgotten else { return report }
    report.news.believe(process.bootID)
    return report
  }
}

extension AttemptReport.News {
  /// Has the record say that all of the partial is to be believed.
  fileprivate mutating func believe(_ bootID: String) {
    func believed(_ record: ResumeRecord?) -> ResumeRecord? {
      var record = record
      record?.bootID = bootID
      return record
    }
    switch self {
    case .failed(let error, let kept, let milliseconds):
      self = .failed(error, kept: believed(kept), retryAfterMilliseconds: milliseconds)
    case .stopped(let kept): self = .stopped(kept: believed(kept))
    case .pathRefused(let kept): self = .pathRefused(kept: believed(kept))
    case .reading, .checkpoint, .restarting, .publishing, .finished: break
    }
  }
}
