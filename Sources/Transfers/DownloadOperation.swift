import Dispatch
import EngineRuntime
import Flux
import Foundation
import PodfluxCore
import Synchronization

/// The shell of one `DownloadAttempt`: a lock, a serial queue for its steps, and an exchange on the curl thread.
///
/// It never blocks a thread but those of `DiskQueues`. Events come from the curl thread, from the queue and from the
/// service; each locks the state, and exchanges are started and cancelled before it unlocks: in the order in which that
/// was decided.
final class DownloadOperation: AsynchronousOperation, @unchecked Sendable {
  // `@unchecked`: inherited from Operation. Everything below is immutable or locked.

  private struct State {
    var attempt: DownloadAttempt
    var exchange: HTTPExchange?
  }

  private let id: AttemptID
  private let environment: TransferEnvironment
  private let queue: DispatchQueue
  private let state: Mutex<State>
  /// Used on `queue` only.
  private let files: Mutex<AttemptFileWork>
  private let diskQueues: DiskQueues
  private let place: DiskQueues.Place
  private let ended: @Sendable (AttemptID) -> Void

  init(_ attempt: Attempt, in environment: TransferEnvironment, ended: @escaping @Sendable (AttemptID) -> Void) {
    id = attempt.id
    self.environment = environment
    self.ended = ended
    // Quality of service is a thread's priority on Linux: what a rule wants must not delay what a person waits for.
    diskQueues = attempt.origin == .user ? environment.userDiskQueues : environment.otherDiskQueues
    place = diskQueues.enter()
    queue = DispatchQueue(label: "podflux.attempt", target: place.queue)
    files = Mutex(AttemptFileWork(attempt, files: environment.files, surroundings: environment.surroundings))
    let configuration = DownloadAttempt.Configuration(
      bootID: environment.bootID,
      bufferBytes: WritePolicy.writeSize(transfersAtOnce: attempt.settings.maxConcurrent),
      memory: environment.memory, makeDecoder: { ContentDecoder($0) })
    state = Mutex(State(attempt: DownloadAttempt(attempt, configuration: configuration)))
    super.init()
    self.qualityOfService = attempt.origin == .user ? .default : .utility
  }

  override func begin() {
    advance { $0.begin() }
  }

  /// The store has committed what the attempt announced.
  func proceed() {
    advance { $0.proceed() }
  }

  /// The attempt is to go on without these parts of what the file's tags show.
  func leave(_ parts: [TagMaterial.Part]) {
    advance { $0.leave(parts) }
  }

  /// The attempt is to end and to keep what it has.
  func stop() {
    advance { $0.stop() }
  }

  // MARK: Events and commands

  /// What wakes another thread, which would then wait for the lock: two changes of threads for each piece of a fast
  /// transfer.
  private struct Wakes: Sendable {
    /// How many jobs there are to do. Each is the next one when its turn comes, so their order does not matter.
    var jobs = 0
    /// The exchange that there is room for again. Resumed behind its end it does nothing.
    var exchange: HTTPExchange?
  }

  /// Hands in an event, and obeys what follows from it.
  private func advance<Answer: Sendable>(_ event: (inout DownloadAttempt) -> Answer) -> Answer {
    let (answer, wakes) = state.withLock { state in
      let answer = event(&state.attempt)
      var wakes = Wakes()
      for command in state.attempt.takeCommands() { obey(command, &state, &wakes) }
      return (answer, wakes)
    }
    for _ in 0..<wakes.jobs { queue.async { self.work() } }
    wakes.exchange?.resume()
    return answer
  }

  private func obey(_ command: AttemptCommand, _ state: inout State, _ wakes: inout Wakes) {
    switch command {
    case .work: wakes.jobs += 1
    // Started under the lock: the first callback, on the curl thread, finds the exchange in its place.
    case .startExchange(let request): state.exchange = environment.driver.start(request, delegate: self)
    case .cancelExchange: state.exchange?.cancel()
    case .resumeExchange: wakes.exchange = state.exchange
    case .keepGathered(let bytes, let source): environment.gathered.keep(bytes, from: source)
    }
  }

  // MARK: Steps

  /// Does a job, step by step.
  private func work() {
    var outcome: Result<AttemptTask.Outcome, DownloadError>?
    while let step = next(after: outcome) { outcome = perform(step) }
  }

  private func next(after outcome: Result<AttemptTask.Outcome, DownloadError>?) -> AttemptTask? {
    let now = environment.readClock()
    return advance { $0.next(after: outcome, at: now) }
  }

  private func perform(_ step: AttemptTask) -> Result<AttemptTask.Outcome, DownloadError> {
    switch step {
    case .files(let step):
      return Result { () throws(DownloadError) in
        try files.withLock { (files) throws(DownloadError) in
          try files.perform(step) { state.withLock(\.attempt.machine.isStopping) }
        }
      }
    case .synchronizeBeside: return .success(.synchronizing(digestStates: synchronizeBeside()))
    case .report(let report): environment.report(report)
    case .end(let report): end(report)
    }
    return .success(.done)
  }

  private func synchronizeBeside() -> [String] {
    let (file, states) = files.withLock { ($0.partial, $0.digestStates) }
    let place = environment.syncQueues.enter()
    place.queue.async { [self] in
      defer { environment.syncQueues.leave(place) }
      do throws(DownloadError) {
        try file?.synchronize()
        advance { $0.synchronized(nil) }
      } catch {
        advance { $0.synchronized(error) }
      }
    }
    return states
  }

  private func end(_ report: AttemptReport) {
    files.withLock { $0.close() }
    // The service forgets the attempt before the store hears that it has ended and may start another.
    ended(id)
    diskQueues.leave(place)
    environment.report(report)
    finish()
  }
}

/// Calls of the curl thread. Each takes microseconds.
extension DownloadOperation: HTTPExchangeDelegate {
  func exchange(_ exchange: HTTPExchange, received head: ResponseHead) -> HeadDemand {
    let now = environment.readClock()
    return advance { $0.received(head: head, at: now) }
  }

  func exchange(_ exchange: HTTPExchange, received bytes: UnsafeRawBufferPointer) -> BodyDemand {
    advance { $0.received(body: bytes) }
  }

  func exchange(_ exchange: HTTPExchange, fetched bytes: Int64) {
    advance { $0.received(overNetwork: bytes) }
  }

  func exchangeDidTick(_ exchange: HTTPExchange) {
    let now = environment.readClock()
    if let reading = advance({ $0.tick(at: now) }) { environment.report(reading) }
  }

  func exchange(_ exchange: HTTPExchange, finished result: Result<ExchangeSummary, ExchangeFailure>) {
    state.withLock { $0.exchange = nil }
    advance { $0.exchangeFinished(result) }
  }
}
