import CLinux
import Foundation
import PodfluxCore
import Synchronization

/// The thread of a monitor, and the state that it shares with `catchUp()`.
final class PathLoop: Sendable {
  /// The stages of a loop's life.
  private enum Life {
    case made, running, stopped
  }

  private struct State {
    var life = Life.made
    var table: LinkTable
    var debouncer: PathDebouncer
    var isMeteredByHost: Bool
    /// Whether the kernel dropped a notification.
    var mustReadAll = false
  }

  private let overrides: LinkOverrides
  private let sysfs: SysfsLinks
  private let report: @Sendable (NetworkPath) -> Void
  private let socket: NetlinkSocket
  private let routes: KernelRoutes
  /// An eventfd that wakes the thread.
  private let wake: OpenDescriptor
  /// Only the thread uses it once it runs.
  private let metered: MeteredWatch?
  private let state: Mutex<State>

  /// How long init waits for NetworkManager.
  private static let hostPatience: Duration = .milliseconds(300)
  /// How long to wait before reading everything again after the kernel refused.
  private static let retryMilliseconds: Int32 = 1000
  /// How many datagrams are handled at once, so that `catchUp()` and `stop()` get the lock in between.
  private static let maximumBatch = 256
  /// How many batches `catchUp()` waits for.
  private static let maximumBatches = 64

  init(
    overrides: LinkOverrides, sysfs: SysfsLinks, bus: MeteredWatch.Bus,
    report: @escaping @Sendable (NetworkPath) -> Void
  ) throws(ReachabilityError) {
    self.overrides = overrides
    self.sysfs = sysfs
    self.report = report
    wake = try OpenDescriptor("eventfd") { linux_event_open() }
    socket = try NetlinkSocket()
    routes = try KernelRoutes()
    metered = MeteredWatch(bus)
    metered?.waitForAnswer(upTo: Self.hostPatience)
    let table = try socket.readAll()
    let isMeteredByHost = metered?.isMetered ?? false
    let picture = table.picture(
      LinkJudgement(overrides: overrides, isMeteredByHost: isMeteredByHost) { sysfs.traits(of: $0) })
    state = Mutex(
      State(table: table, debouncer: PathDebouncer(told: picture.path), isMeteredByHost: isMeteredByHost))
  }

  /// The path reported last.
  var told: NetworkPath { state.withLock { $0.debouncer.told } }

  func start() {
    let isFirst = state.withLock { state in
      guard state.life == .made else { return false }
      state.life = .running
      return true
    }
    guard isFirst else { return }
    let thread = Thread { [self] in run() }
    thread.name = "podflux-path"
    thread.start()
  }

  func stop() {
    state.withLock { $0.life = .stopped }
    var one: UInt64 = 1
    // The write fails only when the counter is full: then the thread wakes up anyway.
    _ = write(wake.number, &one, MemoryLayout<UInt64>.size)
  }

  func catchUp() {
    state.withLock { state in
      guard state.life == .running else { return }
      // More batches than this are a storm of changes without a final state.
      for _ in 0..<Self.maximumBatches where !takeIn(&state) { return }
    }
  }

  func device(towards address: [UInt8], insteadOf device: String) -> String? {
    switch routes.choice(for: address) {
    case nil: return device
    case .here: return nil
    case .over(let index):
      return state.withLock { state in
        guard let link = state.table.links[index], link.name != device else { return device }
        return state.table.isUnmeteredBeside(link, judgement(state)) ? link.name : device
      }
    }
  }

  // MARK: The thread

  private func run() {
    // Handles notifications that arrived between init and start.
    catchUp()
    while let timeout = nextTimeout() {
      waitForNews(milliseconds: timeout)
      if let metered { metered.process() }
      state.withLock { state in
        guard state.life == .running else { return }
        let isMetered = metered?.isMetered ?? false
        if isMetered != state.isMeteredByHost {
          state.isMeteredByHost = isMetered
          look(&state)
        }
        _ = takeIn(&state)
        if let path = state.debouncer.elapse(at: Self.now) { report(path) }
      }
    }
  }

  /// How long to sleep if no event comes; nil to end.
  private func nextTimeout() -> Int32? {
    state.withLock { state in
      guard state.life == .running else { return nil }
      var timeout = metered?.timeoutMilliseconds ?? -1
      if let deadline = state.debouncer.deadline {
        timeout = Self.sooner(timeout, (deadline - Self.now).waitMilliseconds)
      }
      return state.mustReadAll ? Self.sooner(timeout, Self.retryMilliseconds) : timeout
    }
  }

  /// The shorter of two timeouts, where -1 means forever.
  private static func sooner(_ timeout: Int32, _ other: Int32) -> Int32 {
    timeout < 0 ? other : min(timeout, other)
  }

  private func waitForNews(milliseconds: Int32) {
    let input = Int16(POLLIN)
    var watched = [
      pollfd(fd: wake.number, events: input, revents: 0), pollfd(fd: socket.descriptor, events: input, revents: 0),
    ]
    if let watch = metered?.watched { watched.append(watch) }
    // After any wake-up, EINTR included, everything is checked.
    _ = poll(&watched, nfds_t(watched.count), milliseconds)
  }

  // MARK: With the state

  /// Handles a batch of notifications. Returns whether there may be more.
  ///
  /// Computes the path after each datagram: a link that went and came back within a batch has broken its connections.
  private func takeIn(_ state: inout State) -> Bool {
    var isAtEnd = false
    for _ in 0..<Self.maximumBatch where !isAtEnd && !state.mustReadAll {
      switch socket.nextChange() {
      case .messages(let messages):
        guard !messages.isEmpty else { continue }
        messages.forEach { state.table.apply($0) }
        look(&state)
      case .lost: state.mustReadAll = true
      case .none: isAtEnd = true
      }
    }
    if state.mustReadAll {
      socket.discardChanges()
      guard let table = try? socket.readAll() else { return false }
      state.mustReadAll = false
      state.table = table
      look(&state)
    }
    return !isAtEnd
  }

  private func look(_ state: inout State) {
    if let path = state.debouncer.take(state.table.picture(judgement(state)), at: Self.now) { report(path) }
  }

  private func judgement(_ state: State) -> LinkJudgement {
    LinkJudgement(overrides: overrides, isMeteredByHost: state.isMeteredByHost) { [sysfs] in sysfs.traits(of: $0) }
  }

  private static var now: Duration {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
  }
}
