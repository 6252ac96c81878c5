import Flux
import PodfluxCore

@testable import EngineRuntime

/// A `DownloadAttempt` whose steps a test carries out one by one.
final class AttemptUnderTest {
  let files: FakeFiles
  let attempt: Attempt
  private(set) var core: DownloadAttempt
  private var work: AttemptFileWork
  private(set) var reports: [AttemptReport] = []
  private(set) var requests: [HTTPRequest] = []
  private(set) var cancellations = 0
  private(set) var gathered: [(bytes: [UInt8], source: GatheredFiles.Source)] = []
  private(set) var resumptions = 0
  private(set) var hasEnded = false
  /// Whether a sync runs beside the writing.
  private(set) var isSynchronizing = false
  private(set) var jobs = 0
  private var outcome: Result<AttemptTask.Outcome, DownloadError>?
  var milliseconds: Int64 = 0

  struct Unmakable: Error {}

  init(
    files: FakeFiles = FakeFiles(), fastPieceBlocks: Int = 100, bufferBytes: Int = 1000,
    decoder: any BodyDecoder = Passing(), configure: (inout Attempt) -> Void = { _ in }
  ) throws {
    guard let download = DownloadID("a") else { throw Unmakable() }
    var attempt = Attempt(
      id: AttemptID(download: download, generation: 1), address: try WebAddress("http://host.example/a.mp3"),
      description: .init(), origin: .user, resume: nil, settings: Settings())
    configure(&attempt)
    self.attempt = attempt
    self.files = files
    work = AttemptFileWork(attempt, files: files, surroundings: files)
    core = DownloadAttempt(
      attempt,
      configuration: .init(
        bootID: "boot", bufferBytes: bufferBytes, fastPieceBlocks: fastPieceBlocks, memory: FakeMemory(),
        makeDecoder: { _ in decoder }))
  }

  var now: ClockReading {
    ClockReading(wall: Timestamp(milliseconds: milliseconds), monotonicMilliseconds: milliseconds)
  }

  /// What was reported, readings left out.
  var news: [AttemptReport.News] { reports.map(\.news).filter { !$0.isReading } }

  // MARK: Events

  @discardableResult
  func hand<Answer>(_ event: (inout DownloadAttempt) -> Answer) -> Answer {
    let answer = event(&core)
    for command in core.takeCommands() {
      switch command {
      case .work: jobs += 1
      case .startExchange(let request): requests.append(request)
      case .cancelExchange: cancellations += 1
      case .resumeExchange: resumptions += 1
      case .keepGathered(let bytes, let source): gathered.append((bytes, source))
      }
    }
    return answer
  }

  func receive(_ bytes: [UInt8]) -> BodyDemand {
    hand { attempt in bytes.withUnsafeBytes { attempt.received(body: $0) } }
  }

  func head(_ status: Int = 200, length: Int? = nil, _ fields: [HTTPField] = []) -> HeadDemand {
    let length = length.map { [HTTPField(name: "Content-Length", value: "\($0)")] } ?? []
    let head = ResponseHead(
      status: status, effectiveURL: attempt.address.description,
      fields: [HTTPField(name: "Content-Type", value: "audio/mpeg")] + length + fields)
    return hand { $0.received(head: head, at: now) }
  }

  func finishExchange(_ failure: ExchangeFailure? = nil) {
    let result =
      failure.map(Result.failure)
      ?? .success(ExchangeSummary(bytesReceived: 1, contentLength: nil, isDelimited: true))
    hand { $0.exchangeFinished(result) }
  }

  /// The sync that runs beside the writing ends.
  func endSync(_ failure: DownloadError? = nil) throws {
    isSynchronizing = false
    var failure = failure
    if failure == nil {
      do throws(DownloadError) {
        try files.synchronize()
      } catch {
        failure = error
      }
    }
    hand { $0.synchronized(failure) }
  }

  // MARK: Steps

  /// Hands in what has come of the last step, and carries out the next one. Its outcome stays here.
  @discardableResult
  func step() -> AttemptTask? {
    while jobs > 0 {
      let outcome = self.outcome
      self.outcome = nil
      guard let step = hand({ $0.next(after: outcome, at: now) }) else {
        jobs -= 1
        continue
      }
      self.outcome = perform(step)
      return step
    }
    return nil
  }

  /// Carries out all steps that there are, or stops behind one.
  @discardableResult
  func run(through isLast: (AttemptTask) -> Bool = { _ in false }) -> AttemptTask? {
    while let step = step() {
      if isLast(step) { return step }
    }
    return nil
  }

  private func perform(_ step: AttemptTask) -> Result<AttemptTask.Outcome, DownloadError> {
    switch step {
    case .files(let step):
      return Result { () throws(DownloadError) in try work.perform(step) { core.machine.isStopping } }
    case .synchronizeBeside:
      isSynchronizing = true
      return .success(.synchronizing(digestStates: work.digestStates))
    case .report(let report): reports.append(report)
    case .end(let report):
      work.close()
      reports.append(report)
      hasEnded = true
    }
    return .success(.done)
  }

  // MARK: Steps, by kind

  static func isAppend(_ step: AttemptTask) -> Bool { if case .files(.append) = step { true } else { false } }
  static func isSync(_ step: AttemptTask) -> Bool { if case .files(.synchronize) = step { true } else { false } }
  static func isBeside(_ step: AttemptTask) -> Bool { if case .synchronizeBeside = step { true } else { false } }
}

/// A coding that changes nothing.
final class Passing: BodyDecoder {
  let isAtEnd = true

  func decode(
    _ bytes: UnsafeRawBufferPointer, _ take: (UnsafeRawBufferPointer) -> Bool
  ) throws(DownloadError) -> Bool {
    take(bytes)
  }
}
