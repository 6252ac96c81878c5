import CLinux
import Foundation
import Logging
import PodfluxCore
import PodfluxEngine
import WireProtocol

/// The loop of the sockets' thread: takes clients in, reads their lines, sends them theirs.
final class SocketLoop: @unchecked Sendable {
  // `@unchecked`: used on the sockets' thread only, once it runs.

  private let sockets: [ListeningSocket]
  private let poller: Poller
  private let news: SocketNews
  private let libraryPath: String
  private let logger: Logger
  private var clients: [Poller.Token: SocketClient] = [:]
  private let maximumClients = SocketLoop.clientLimit
  private var lastToken: Poller.Token = 0
  /// Until when no clients are taken in, since the system has refused one; nil if they are.
  private var pausedUntil: ContinuousClock.Instant?
  /// Whether the system has refused the last client.
  private var isShort = false
  /// Whose clients they are; nil before `run`.
  private var engine: Engine?
  private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: SocketLimits.readBytes, alignment: 16)

  init(
    _ sockets: [ListeningSocket], poller: Poller, news: SocketNews, libraryPath: String, logger: Logger
  ) {
    self.sockets = sockets
    self.poller = poller
    self.news = news
    self.libraryPath = libraryPath
    self.logger = logger
  }

  deinit {
    buffer.deallocate()
  }

  /// Returns when `SocketNews.finish` has been called and the last client has its last line, or is gone.
  func run(serving engine: Engine) {
    self.engine = engine
    watchSockets(for: .reading)
    var areSocketsOpen = true
    while true {
      for event in poller.wait(upTo: pauseMilliseconds) { receive(event) }
      let (tokens, isFinishing) = news.take()
      for token in tokens {
        guard let client = clients[token] else { continue }
        client.output.beginLook()
        goOn(client)
      }
      if isFinishing {
        if areSocketsOpen { for socket in sockets { socket.close() } }
        areSocketsOpen = false
        pausedUntil = nil
        if clients.isEmpty { return }
      } else if let pausedUntil, pausedUntil <= .now {
        self.pausedUntil = nil
        watchSockets(for: .reading)
      }
    }
  }

  private func receive(_ event: Poller.Event) {
    guard event.token > 0 else { return acceptClients(of: sockets[Int(-event.token)]) }
    guard let client = clients[event.token] else { return }
    if event.isReadable { client.read() }
    goOn(client)
  }

  private func goOn(_ client: SocketClient) {
    client.goOn()
    if client.isOver {
      client.discardInput()
    } else {
      guard !poller.watch(client.descriptor, as: client.token, for: client.interest) else { return }
      logger.warning("a client cannot be served", metadata: ["reason": "\(String(cString: strerror(errno)))"])
      client.session.leave()
    }
    // Its descriptor is closed, and has left epoll by that.
    clients[client.token] = nil
  }

  // MARK: Taking clients in

  private func acceptClients(of socket: ListeningSocket) {
    for _ in 0..<SocketLimits.acceptsAtOnce {
      let descriptor = linux_accept(socket.descriptor)
      switch -descriptor {
      case ...0:
        isShort = false
        welcome(descriptor)
      case EAGAIN: return
      case EINTR, ECONNABORTED: continue
      default: return pause(because: -descriptor)
      }
    }
  }

  private func welcome(_ descriptor: Int32) {
    if let refusal = refusal(of: descriptor) { return turnAway(descriptor, refusal) }
    lastToken += 1
    let client = SocketClient(
      descriptor, token: lastToken, news: news, libraryPath: libraryPath, buffer: buffer)
    clients[lastToken] = client
    // The loop watches the client's socket once the engine has accepted the client.
    engine?.connect(client.session)
  }

  /// Why a client is not taken in; nil if it is.
  private func refusal(of descriptor: Int32) -> Refusal? {
    var user: uid_t = 0
    let code = linux_peer_user(descriptor, &user)
    guard code == 0, user == geteuid() || user == 0 else {
      return Refusal(
        .conflict, "this engine serves its own user (\(geteuid())) and root only; connect as one of them")
    }
    guard clients.count < maximumClients else {
      return Refusal(
        .limitExceeded, "\(maximumClients) clients are connected, which is the most; end one of them")
    }
    return nil
  }

  private func turnAway(_ descriptor: Int32, _ refusal: Refusal) {
    logger.notice("a client was turned away", metadata: ["reason": "\(refusal.message)"])
    var encoder = LineEncoder()
    encoder.refusal(refusal, line: 1, id: nil)
    // A new socket has room for one line.
    _ = encoder.bytes.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
    close(descriptor)
  }

  /// The system has no descriptor or memory for a client: those that are there go on.
  private func pause(because code: Int32) {
    if !isShort {
      logger.warning(
        "no more clients can be taken in for now", metadata: ["reason": "\(String(cString: strerror(code)))"])
    }
    isShort = true
    pausedUntil = .now + .milliseconds(SocketLimits.pauseMilliseconds)
    watchSockets(for: [])
  }

  private func watchSockets(for interest: Poller.Interest) {
    for (index, socket) in sockets.enumerated() {
      poller.watch(socket.descriptor, as: -Poller.Token(index), for: interest)
    }
  }

  private static var clientLimit: Int {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else {
      return SocketLimits.maximumClients
    }
    return min(SocketLimits.maximumClients, Int(clamping: limit.rlim_cur) / SocketLimits.descriptorShare)
  }

  private var pauseMilliseconds: Int32? {
    pausedUntil.map { ($0 - .now).waitMilliseconds }
  }
}
