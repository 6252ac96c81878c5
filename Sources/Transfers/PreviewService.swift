import Dispatch
import EngineRuntime
import Flux
import Foundation
import PodfluxCore
import Synchronization

/// Looks at feeds without a subscription: each look is a `RefreshOperation` whose findings are counted and not kept.
///
/// Every call is thread safe and returns at once.
package final class PreviewService: Sendable {
  /// Called with the preview, or with why there is none.
  package typealias Completion = @Sendable (Result<FeedPreview, Refusal>) -> Void

  private let transfers: TransferService
  private let operations = OperationQueue()
  private let queue = DispatchQueue(label: "podflux.previews", qos: .default, attributes: .concurrent)
  private let readClock: @Sendable () -> ClockReading

  /// - Parameter transfers: Must outlive the service.
  package init(transfers: TransferService, readClock: @escaping @Sendable () -> ClockReading) {
    self.transfers = transfers
    self.readClock = readClock
    operations.maxConcurrentOperationCount = FeedPreview.Limits.atOnce
  }

  /// Looks at a feed.
  ///
  /// - Parameters:
  ///   - found: Called with the feed's episodes as they come, one call after the other, before the completion.
  ///   - completion: Called once, on any thread.
  package func start(
    _ refresh: FeedRefresh, found: @escaping @Sendable ([EpisodeContent]) -> Void = { _ in },
    _ completion: @escaping Completion
  ) {
    guard operations.operationCount < FeedPreview.Limits.atOnce else {
      let limit = FeedPreview.Limits.atOnce
      return completion(.failure(Refusal(.limitExceeded, "\(limit) previews are under way; wait for one of them")))
    }
    let look = Look(at: refresh.feed.address, found: found, completion)
    let operation = RefreshOperation(
      refresh, rows: NoEpisodes(), followsDocument: false, driver: transfers.driver, target: queue,
      readClock: readClock, report: look.receive, ended: { _ in })
    look.operation.withLock { $0 = operation }
    operations.addOperation(operation)
    queue.asyncAfter(deadline: .now() + .milliseconds(FeedPreview.Limits.milliseconds)) { [weak operation] in
      operation?.stop()
    }
  }
}

/// One preview under way: its refresh, and what that has reported.
private final class Look: Sendable {
  let operation = Mutex<RefreshOperation?>(nil)
  private let preview: Mutex<FeedPreview>
  private let found: @Sendable ([EpisodeContent]) -> Void
  private let completion: PreviewService.Completion

  init(
    at address: WebAddress, found: @escaping @Sendable ([EpisodeContent]) -> Void,
    _ completion: @escaping PreviewService.Completion
  ) {
    preview = Mutex(FeedPreview(address: address))
    self.found = found
    self.completion = completion
  }

  @Sendable func receive(_ report: RefreshReport) {
    switch report.news {
    case .described(let podcast): preview.withLock { $0.title = podcast.title }
    case .appeared(let contents):
      preview.withLock { $0.add(contents) }
      found(contents)
      operation.withLock { $0 }?.proceed()
    case .changed, .listed: operation.withLock { $0 }?.proceed()
    case .moved(let address): preview.withLock { $0.address = address }
    case .refreshed(let findings):
      preview.withLock { $0.title = findings.podcast?.title }
      end(.success(preview.withLock(\.self)))
    case .failed(let error, _):
      let found = preview.withLock(\.self)
      // There is as much to see of it as has come.
      guard error == .feedEndsEarly, found.episodes > 0 else { return end(.failure(Refusal(previewFailing: error))) }
      end(.success(found))
    case .stopped:
      let seconds = FeedPreview.Limits.milliseconds / 1000
      end(
        .failure(
          Refusal(.conflict, "the feed has not come within \(seconds) s; try again later", path: "payload.url")))
    }
  }

  private func end(_ result: Result<FeedPreview, Refusal>) {
    operation.withLock { $0 = nil }
    completion(result)
  }
}

/// The reader for previews: the library has no episodes of a feed without a subscription, and a page may lead to a feed
/// that is subscribed.
private struct NoEpisodes: EpisodeReader {
  func episodeTraces(of feed: Feed.Key, withNotes: Bool) -> [EpisodeTraces] { [] }

  func feed(at address: WebAddress) -> FeedID? { nil }
}

extension Refusal {
  fileprivate init(previewFailing error: DownloadError) {
    let code: Code =
      switch error.code {
      case .notMedia: .invalidValue
      case .unknownHost, .notFound, .gone: .notFound
      default: .conflict
      }
    let advice =
      switch error.code {
      case _ where error.outlook == .lasting: "give the URL of a feed elsewhere, or allow it"
      case .unauthorized: "subscribe to it with a login"
      case .forbidden,
        .httpStatus where error.status.map { (400..<500).contains($0) && $0 != 429 } ?? false:
        "try again later, or give headers or a userAgent that its server wants"
      case _ where code == .conflict: "try again later"
      default: "give the URL of a feed"
      }
    self.init(code, "\(error.message) (\(error.code.rawValue)); \(advice)", path: "payload.url")
  }
}
