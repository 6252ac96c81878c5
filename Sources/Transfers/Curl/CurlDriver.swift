import Dispatch
import EngineRuntime
import Glibc
import Synchronization

/// The one libcurl thread: it runs every transfer of the process, and no other thread blocks on it.
///
/// It sleeps when idle; a transfer costs no thread and, besides libcurl's buffer (`CurlLimits`), a few KiB.
package final class CurlDriver: Sendable {
  /// The configuration that all exchanges share.
  package struct Configuration: Sendable {
    /// The authorities to trust in addition to the system's.
    package var addedAuthorities: CertificateAuthorities?
    /// The path for the file of all authorities, in a folder to which no other program writes. Required with added
    /// ones.
    package var bundlePath: String?
    /// To which devices connections are bound.
    package var chooseDevice: DeviceChoice = { $1 }
    /// The proxies that requests go through.
    var proxies = ProxyEnvironment.ofProcess
    /// The file of the system's authorities; by default the one that libcurl was built for.
    var systemBundlePath: String?

    /// The system's authorities, and added ones if any.
    package init(addedAuthorities: CertificateAuthorities? = nil, bundlePath: String? = nil) {
      self.addedAuthorities = addedAuthorities
      self.bundlePath = bundlePath
      systemBundlePath = TrustStore.builtInBundlePath
    }
  }

  /// The system refused a resource that the driver needs.
  package enum SetupError: Error, Sendable, Hashable, CustomStringConvertible {
    case libraryUnavailable
    case threadRefused(errno: Int32)
    /// The file of all authorities cannot be written.
    case bundleRefused(path: String, errno: Int32)

    /// The reason in words, for messages.
    package var description: String {
      switch self {
      case .libraryUnavailable: "libcurl cannot be set up: too little memory, or too few descriptors (ulimit -n)"
      case .threadRefused(let code):
        "no thread can be started: \(String(cString: strerror(code))) (ulimit -u, TasksMax=)"
      case .bundleRefused(let path, let code): "\"\(path)\" cannot be written: \(String(cString: strerror(code)))"
      }
    }
  }

  /// What requests of sessions are sent with.
  let credentials = CredentialBook()
  private let mailbox: CurlMailbox
  private let configuration: Configuration
  /// The authorities that new exchanges trust.
  private let trust: Mutex<TrustStore>
  /// Nil once a caller has taken it to join it.
  private let thread: Mutex<pthread_t?>

  /// Starts the thread.
  package init(configuration: Configuration = Configuration()) throws(SetupError) {
    guard let multi = MultiHandle() else { throw .libraryUnavailable }
    mailbox = CurlMailbox(multi: multi)
    let trust = try TrustStore(configuration)
    self.configuration = configuration
    self.trust = Mutex(trust)
    let loop = CurlLoop(
      multi: multi, mailbox: mailbox, trust: trust, proxies: configuration.proxies,
      chooseDevice: configuration.chooseDevice)
    thread = Mutex(try Self.startThread(loop))
  }

  /// Without `shutDown()` this also cancels everything, but does not wait for it.
  deinit {
    guard let running = takeThread() else { return }
    mailbox.post { $0.isShuttingDown = true }
    pthread_detach(running)
  }

  /// Starts an exchange. Returns at once; errors come as `finished`, on the driver's thread.
  func start(_ request: HTTPRequest, delegate: any HTTPExchangeDelegate) -> HTTPExchange {
    let exchange = HTTPExchange(id: mailbox.nextID(), mailbox: mailbox)
    let start = CurlMailbox.Start(
      exchange: exchange, request: request, credentials: request.session.flatMap { credentials[$0.session] },
      delegate: delegate)
    if !mailbox.post({ $0.started.append(start) }) {
      // The thread is gone, and the caller may hold a lock that the delegate needs.
      DispatchQueue.global().async { delegate.exchange(exchange, finished: .failure(.cancelled)) }
    }
    return exchange
  }

  /// Leaves the network path: exchanges started from now on reuse no connection that is open now, and connections that
  /// lead away from this machine are shut down. Thread safe; returns at once.
  package func leaveNetworkPath() {
    mailbox.post { $0.leavesPath = true }
  }

  /// Reads the system's authorities again. Open connections stay.
  package func renewAuthorities() throws(SetupError) {
    try trust.withLock { (trust) throws(SetupError) in
      guard let renewed = try trust.renewed(configuration) else { return }
      trust = renewed
      mailbox.post { $0.trust = renewed }
    }
  }

  /// Sets the rate limit of all bodies together, running ones included; 0 for no limit. Thread safe; returns at once.
  package func limit(bytesPerSecond: Int64) {
    mailbox.post { $0.bytesPerSecond = bytesPerSecond }
  }

  /// Cancels every exchange, waits until each delegate has received `finished`, and ends the thread. A second call does
  /// nothing.
  ///
  /// Do not call it from a delegate: the thread cannot wait for itself.
  package func shutDown() {
    guard let running = takeThread() else { return }
    precondition(pthread_equal(running, pthread_self()) == 0, "the driver cannot be shut down from its own thread")
    mailbox.post { $0.isShuttingDown = true }
    pthread_join(running, nil)
  }

  private func takeThread() -> pthread_t? {
    thread.withLock { thread in
      defer { thread = nil }
      return thread
    }
  }

  private static func startThread(_ loop: CurlLoop) throws(SetupError) -> pthread_t {
    let context = Unmanaged.passRetained(loop)
    var thread = pthread_t()
    let refusal = pthread_create(&thread, nil, runLoop, context.toOpaque())
    guard refusal == 0 else {
      context.release()
      throw .threadRefused(errno: refusal)
    }
    return thread
  }
}

private func runLoop(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
  guard let context else { return nil }
  blockBrokenPipeSignal()
  Unmanaged<CurlLoop>.fromOpaque(context).takeRetainedValue().run()
  return nil
}

/// With CURLOPT_NOSIGNAL libcurl does not block SIGPIPE, and a TLS write to a closed connection raises it.
private func blockBrokenPipeSignal() {
  var signals = sigset_t()
  sigemptyset(&signals)
  sigaddset(&signals, SIGPIPE)
  pthread_sigmask(SIG_BLOCK, &signals, nil)
}
