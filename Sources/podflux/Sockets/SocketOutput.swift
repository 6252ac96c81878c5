import Flux
import Synchronization

/// The lines on their way to one client of a socket. The engine's queues append; the sockets' thread takes and sends.
final class SocketOutput: ClientOutput {
  private struct State {
    var pending: [UInt8] = []
    /// The bytes appended but not sent, with those being sent.
    var backlog = Backlog(limit: SocketLimits.outputBytes)
    /// Whether the sockets' thread has been told, and has not looked yet.
    var isAnnounced = false
  }

  private let token: Poller.Token
  private let news: SocketNews
  private let state = Mutex(State())

  init(_ token: Poller.Token, news: SocketNews) {
    self.token = token
    self.news = news
  }

  // MARK: ClientOutput

  var hasRoom: Bool { state.withLock { $0.backlog.hasRoom } }

  /// The sockets' thread looks again whenever it has sent something.
  func hasRoomForAnswers() -> Bool { hasRoom }

  var isClosed: Bool { state.withLock { $0.backlog.isClosed } }

  func append(_ lines: [UInt8]) {
    let isKept = state.withLock { state in
      guard state.backlog.add(lines.count) else { return false }
      if state.pending.isEmpty {
        state.pending = lines
      } else {
        state.pending += lines
      }
      return true
    }
    if isKept { news.count(lines.count) }
  }

  func flush() {
    let isNew = state.withLock { state in
      defer { state.isAnnounced = true }
      return !state.isAnnounced
    }
    if isNew { news.post(token) }
  }

  // MARK: The sockets' thread

  /// Starts a look at the output: lines appended from now on are announced again.
  func beginLook() {
    state.withLock { $0.isAnnounced = false }
  }

  /// Takes the lines that were appended.
  func take() -> [UInt8] {
    state.withLock { state in
      defer { state.pending = [] }
      return state.pending
    }
  }

  func delivered(_ count: Int) {
    state.withLock { _ = $0.backlog.deliver(count) }
    news.count(-count)
  }

  /// The client reads no more: nothing is kept.
  func close() {
    let bytes = state.withLock { state in
      defer {
        state.pending = []
        _ = state.backlog.close()
      }
      return state.backlog.bytes
    }
    news.count(-bytes)
  }
}

/// What other threads tell the sockets' thread.
final class SocketNews: Sendable {
  private struct State {
    var tokens: [Poller.Token] = []
    var isFinishing = false
  }

  private let poller: Poller
  private let state = Mutex(State())
  private let bytes = Atomic(0)

  init(_ poller: Poller) {
    self.poller = poller
  }

  /// A client has lines to be sent, or may post more.
  func post(_ token: Poller.Token) {
    let isFirst = state.withLock { state in
      state.tokens.append(token)
      return state.tokens.count == 1
    }
    if isFirst { poller.wakeUp() }
  }

  /// The engine has ended: no more clients are taken in, and the thread ends with the last one.
  func finish() {
    state.withLock { $0.isFinishing = true }
    poller.wakeUp()
  }

  /// Counts bytes that are on their way to clients.
  func count(_ change: Int) {
    bytes.add(change, ordering: .relaxed)
  }

  /// How many bytes are on their way to clients.
  var bytesOnTheirWay: Int { bytes.load(ordering: .relaxed) }

  /// Takes the clients that were posted, and whether the thread is to end.
  func take() -> (tokens: [Poller.Token], isFinishing: Bool) {
    state.withLock { state in
      defer { state.tokens = [] }
      return (state.tokens, state.isFinishing)
    }
  }
}
