import CLinux
import Foundation
import PodfluxCore
import Synchronization

/// The thread behind a monitor, and what it shares with those who catch up.
final class PathLoop: Sendable {
  /// Where a loop is in its life.
  private enum Life {
    case made, running, stopped
  }

  private struct State {
    var life = Life.made
    var table: LinkTable
    var debouncer: PathDebouncer
    var isMeteredByHost: Bool
    /// Whether something that the kernel said was lost.
    var mustReadAll = false
  }

  private let overrides: LinkOverrides
  private let sysfs: SysfsLinks
  private let report: @Sendable (NetworkPath) -> Void
  private let socket: NetlinkSocket
  /// Written to when the thread should look up.
  private let wake: OpenDescriptor
  /// Of the thread alone, once it runs.
  private let metered: MeteredWatch?
  private let state: Mutex<State>

  /// How long init waits for NetworkManager.
  private static let hostPatience: Duration = .milliseconds(300)
  /// How soon everything is asked for again, after the kernel refused.
  private static let retryMilliseconds: Int32 = 1000
  /// Datagrams that are taken in at once: somebody may want to catch up, or to stop.
  private static let maximumBatch = 256
  /// Batches that somebody who catches up waits for.
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
    metered = MeteredWatch(bus)
    metered?.waitForAnswer(upTo: Self.hostPatience)
    let table = try socket.readAll()
    let isMeteredByHost = metered?.isMetered ?? false
    let picture = table.picture(
      LinkJudgement(overrides: overrides, isMeteredByHost: isMeteredByHost) { sysfs.traits(of: $0) })
    state = Mutex(
      State(table: table, debouncer: PathDebouncer(told: picture.path), isMeteredByHost: isMeteredByHost))
  }

  /// What was reported last.
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
    // It fails only when it is full of others' calls: then the thread wakes up all the same.
    _ = write(wake.number, &one, MemoryLayout<UInt64>.size)
  }

  func catchUp() {
    state.withLock { state in
      guard state.life == .running else { return }
      // More than this is a storm, in which nobody has a last word.
      for _ in 0..<Self.maximumBatches where !takeIn(&state) { return }
    }
  }

  // MARK: The thread

  private func run() {
    // What was said between the making and the start.
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

  /// How long nothing needs to be done if nobody says anything; nil at the end.
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

  /// The shorter of two timeouts, where -1 is for ever.
  private static func sooner(_ timeout: Int32, _ other: Int32) -> Int32 {
    timeout < 0 ? other : min(timeout, other)
  }

  private func waitForNews(milliseconds: Int32) {
    let input = Int16(POLLIN)
    var watched = [
      pollfd(fd: wake.number, events: input, revents: 0), pollfd(fd: socket.descriptor, events: input, revents: 0),
    ]
    if let watch = metered?.watched { watched.append(watch) }
    // Whatever woke it, interruptions included: everything is looked at.
    _ = poll(&watched, nfds_t(watched.count), milliseconds)
  }

  // MARK: With the state

  /// Takes in a batch of what the kernel has told. Returns whether there may be more.
  ///
  /// After each datagram the path is looked at: a link that went and came back within a batch has broken its connections.
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
    let judgement = LinkJudgement(overrides: overrides, isMeteredByHost: state.isMeteredByHost) { [sysfs] in
      sysfs.traits(of: $0)
    }
    if let path = state.debouncer.take(state.table.picture(judgement), at: Self.now) { report(path) }
  }

  private static var now: Duration {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
  }
}
