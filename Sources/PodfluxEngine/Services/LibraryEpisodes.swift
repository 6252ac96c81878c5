import EngineRuntime
import Persistence
import PodfluxCore
import Synchronization

/// Reads the known episodes of feeds for refreshes, over a database connection of its own, which is opened when the
/// first feed has changed.
final class LibraryEpisodes: EpisodeReader, Sendable {
  private enum Connection {
    case none
    case open(LibraryDatabase)
    case closed
  }

  private let database: LibraryDatabase
  private let connection = Mutex(Connection.none)

  init(_ database: LibraryDatabase) {
    self.database = database
  }

  func episodeTraces(of feed: Feed.Key, withNotes: Bool) throws -> [EpisodeTraces] {
    try reader().read { try $0.episodeTraces(of: feed, withNotes: withNotes) }
  }

  func feed(at address: WebAddress) throws -> FeedID? {
    try reader().read { try $0.feed(at: address) }
  }

  /// Closes the connection; nothing is read any more.
  func close() {
    connection.withLock { connection in
      if case .open(let reader) = connection { try? reader.close() }
      connection = .closed
    }
  }

  private func reader() throws -> LibraryDatabase {
    try connection.withLock { connection in
      switch connection {
      case .open(let reader): return reader
      case .closed: throw Refusal.isSuspended
      case .none:
        let reader = try database.reader()
        connection = .open(reader)
        return reader
      }
    }
  }
}
