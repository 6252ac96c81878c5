import Flux
import PodfluxCore
import Synchronization
import TestSupport

@testable import Transfers

/// A transfer service whose reports are written down, and which is told to go on with each announcement.
final class ServiceUnderTest: Sendable {
  let files: MemoryFiles
  private let service: TransferService
  private let heard = Mutex<[AttemptReport]>([])
  private let events: AsyncStream<AttemptReport>

  /// Starts a service, in a network of its own if there is one.
  init(files: MemoryFiles = MemoryFiles(), in network: PrivateNetwork? = nil) throws {
    self.files = files
    let (events, continuation) = AsyncStream<AttemptReport>.makeStream()
    self.events = events
    let begin = ContinuousClock.now
    let make: @Sendable () throws -> TransferService = {
      try TransferService(
        files: files, authorities: nil, authorityBundlePath: "/nonexistent/bundle.pem", bootID: "boot",
        readClock: {
          let milliseconds = Int64((ContinuousClock.now - begin) / .milliseconds(1))
          return ClockReading(wall: Timestamp(milliseconds: milliseconds), monotonicMilliseconds: milliseconds)
        },
        report: { continuation.yield($0) })
    }
    service = try network.map { try $0.run(make) } ?? make()
  }

  deinit { service.shutDown() }

  var reports: [AttemptReport] { heard.withLock { $0 } }

  func limit(_ limits: TransferLimits) { service.limit(limits) }

  func stop(_ attempt: Attempt) { service.stop(attempt.id) }

  /// Starts an attempt at this address.
  func start(_ address: String, route: Route = .any, configure: (inout Attempt) -> Void = { _ in }) throws -> Attempt {
    guard let download = DownloadID("a") else { throw NothingReported() }
    var attempt = Attempt(
      id: AttemptID(download: download, generation: 1), address: try WebAddress(address), description: .init(),
      origin: .user, resume: nil, settings: Settings(), route: route)
    attempt.settings.progressInterval = 0.05
    configure(&attempt)
    service.start(attempt)
    return attempt
  }

  /// The next report that is as wanted, or the last one.
  @discardableResult
  func next(_ isWanted: (AttemptReport.News) -> Bool) async throws -> AttemptReport.News {
    for await report in events {
      heard.withLock { $0.append(report) }
      switch report.news {
      case .restarting, .publishing: service.proceed(report.attempt)
      case .reading, .checkpoint, .finished, .failed, .stopped, .pathRefused: break
      }
      if isWanted(report.news) || report.news.isEnd { return report.news }
    }
    throw NothingReported()
  }

  /// The last report.
  func end() async throws -> AttemptReport.News { try await next { _ in false } }

  struct NothingReported: Error {}
}

extension AttemptReport.News {
  fileprivate var isEnd: Bool {
    switch self {
    case .finished, .failed, .stopped, .pathRefused: true
    case .reading, .checkpoint, .restarting, .publishing: false
    }
  }
}
