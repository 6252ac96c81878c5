import Flux
import Persistence
import PodfluxCore
import Synchronization

/// Finds out how many episodes rules would download of a feed that is only looked at: its episodes go into a library in
/// memory, which is asked like any other and forgotten.
final class RulesPreview: Sendable {
  private let feed: Feed
  private let now: Timestamp
  private let state = Mutex(State.empty)

  private enum State {
    /// The preview has no episode yet.
    case empty
    case filled(LibraryDatabase, Feed.Key)
    case failed(any Error)
  }

  init(of feed: Feed, at now: Timestamp) {
    (self.feed, self.now) = (feed, now)
  }

  /// Takes in some of the feed's episodes.
  @Sendable func receive(_ contents: [EpisodeContent]) {
    state.withLock { state in
      do {
        let (database, key) = try library(state)
        try database.ledger().transaction { _ = try $0.episodes.insert(contents, of: key, added: now) }
        state = .filled(database, key)
      } catch {
        state = .failed(error)
      }
    }
  }

  private func library(_ state: State) throws -> (LibraryDatabase, Feed.Key) {
    switch state {
    case .filled(let database, let key): return (database, key)
    case .failed(let error): throw error
    case .empty:
      let database = try LibraryDatabase.inMemory()
      let key = try database.ledger().transaction {
        try $0.feeds.insert(feed.id, at: feed.address, wishes: feed.wishes, session: nil, next: now, added: now)
      }
      return (database, key)
    }
  }

  /// The preview with the number of its episodes that the rules would download.
  @Sendable func counted(_ preview: FeedPreview) -> Result<FeedPreview, Refusal> {
    state.withLock { state in
      var preview = preview
      do {
        switch state {
        case .empty: break
        case .failed(let error): throw error
        case .filled(let database, _):
          preview.wouldDownload = try database.read {
            try $0.numberOfDownloads(of: feed.id, at: ConditionMoment(now: now))
          }
        }
        return .success(preview)
      } catch {
        return .failure(Refusal(.storageFailure, "what the rules would download cannot be found out: \(error)"))
      }
    }
  }
}
