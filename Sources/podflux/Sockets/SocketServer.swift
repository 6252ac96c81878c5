import Dispatch
import Foundation
import Logging
import PodfluxEngine

/// Serves the engine's clients over Unix sockets, all on one thread.
final class SocketServer: LastLines {
  private let loop: SocketLoop
  private let news: SocketNews
  /// Left when the last client has its last line, or is gone.
  private let done = DispatchGroup()

  /// - Throws: `POSIXError` if the system has no descriptors for it.
  init(_ sockets: [ListeningSocket], libraryPath: String, logger: Logger) throws {
    let poller = try Poller()
    news = SocketNews(poller)
    loop = SocketLoop(sockets, poller: poller, news: news, libraryPath: libraryPath, logger: logger)
  }

  /// Begins to take clients in. To be called once.
  func start(serving engine: Engine) {
    done.enter()
    let thread = Thread { [loop, done] in
      loop.run(serving: engine)
      done.leave()
    }
    thread.name = "podflux.sockets"
    thread.start()
  }

  // MARK: LastLines

  var bytesLeft: Int { news.bytesOnTheirWay }

  func finish() -> DispatchGroup {
    news.finish()
    return done
  }
}
