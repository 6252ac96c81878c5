import CCurl
import CLinux
import Glibc
import PodfluxCore

/// Waits for libcurl's sockets and timer with epoll. A wait costs in proportion to the ready sockets; `curl_multi_poll`
/// and `curl_multi_perform` go through all open ones each time.
///
/// Sources: libcurl-multi(3), "multi_socket"; epoll(7).
final class SocketWatch: @unchecked Sendable {
  // `@unchecked`: any thread may call `wakeUp`, which eventfd(2) allows. Only the driver's thread uses the rest.

  /// A socket, and its readiness for libcurl (`CURL_CSELECT_IN`, `CURL_CSELECT_OUT`).
  struct Event {
    var socket: curl_socket_t
    var readiness: Int32
  }

  /// How many sockets one wait reports; the next wait reports the others.
  private static let eventsAtOnce = 64

  private let epoll: Int32
  private let wake: Int32
  /// The events for which each socket is watched.
  private var interests: [curl_socket_t: UInt32] = [:]
  private var events = [epoll_event](repeating: epoll_event(), count: eventsAtOnce)
  /// When libcurl's timer expires.
  private var deadline: SuspendingClock.Instant?

  init?() {
    epoll = linux_epoll_open()
    wake = linux_event_open()
    guard epoll >= 0, wake >= 0, watch(wake, for: EPOLLIN.rawValue) else { return nil }
  }

  deinit {
    for descriptor in [epoll, wake] where descriptor >= 0 { close(descriptor) }
  }

  /// Ends the current wait, or the next one at once.
  func wakeUp() {
    // eventfd_write(3) fails only when the counter is full: then the wait ends anyway.
    eventfd_write(wake, 1)
  }

  // MARK: What libcurl wants

  /// Registers the socket and timer callbacks.
  func serve(_ multi: UnsafeMutableRawPointer) {
    let context = Unmanaged.passUnretained(self).toOpaque()
    ccurl_multi_set_pointer(multi, CURLMOPT_SOCKETDATA, context)
    ccurl_multi_set_socket_watcher(multi) { _, socket, interest, context, _ in
      guard let context else { return -1 }
      return Unmanaged<SocketWatch>.fromOpaque(context).takeUnretainedValue().take(interest, in: socket) ? 0 : -1
    }
    ccurl_multi_set_pointer(multi, CURLMOPT_TIMERDATA, context)
    ccurl_multi_set_timer(multi) { _, milliseconds, context in
      guard let context else { return -1 }
      Unmanaged<SocketWatch>.fromOpaque(context).takeUnretainedValue().setTimer(milliseconds)
      return 0
    }
  }

  /// Removes the callbacks before libcurl ends.
  func leave(_ multi: UnsafeMutableRawPointer) {
    ccurl_multi_set_socket_watcher(multi, nil)
    ccurl_multi_set_timer(multi, nil)
  }

  /// Watches a socket for the events that libcurl wants (`CURL_POLL_IN` and so on); false if it cannot be watched.
  func take(_ interest: Int32, in socket: curl_socket_t) -> Bool {
    let events: UInt32
    switch interest {
    case CURL_POLL_IN: events = EPOLLIN.rawValue
    case CURL_POLL_OUT: events = EPOLLOUT.rawValue
    case CURL_POLL_INOUT: events = EPOLLIN.rawValue | EPOLLOUT.rawValue
    default:
      interests[socket] = nil
      forget(socket)
      return true
    }
    interests[socket] = events
    return watch(socket, for: events)
  }

  /// Runs a body that puts another socket at this number, and watches the new one for the same events. epoll watches
  /// the open socket, not the number: it would report a socket that is kept elsewhere forever.
  func exchange(_ socket: curl_socket_t, _ body: () -> Void) {
    forget(socket)
    body()
    // If it cannot be watched, libcurl's own timeouts end the transfer.
    if let events = interests[socket] { _ = watch(socket, for: events) }
  }

  private func watch(_ descriptor: Int32, for events: UInt32) -> Bool {
    var event = epoll_event()
    event.events = events
    event.data.fd = descriptor
    // A closed socket has left epoll, and its number may have been reused.
    return epoll_ctl(epoll, EPOLL_CTL_MOD, descriptor, &event) == 0
      || errno == ENOENT && epoll_ctl(epoll, EPOLL_CTL_ADD, descriptor, &event) == 0
  }

  private func forget(_ descriptor: Int32) {
    var event = epoll_event()
    // EPOLL_CTL_DEL fails if the socket was closed before: then there is nothing to remove.
    _ = epoll_ctl(epoll, EPOLL_CTL_DEL, descriptor, &event)
  }

  /// Sets libcurl's timer; a negative number removes it.
  func setTimer(_ milliseconds: Int) {
    deadline = milliseconds < 0 ? nil : .now + .milliseconds(milliseconds)
  }

  // MARK: Waiting

  /// Whether libcurl's timer has expired: then the caller calls libcurl, which sets the next one
  /// (CURLMOPT_TIMERFUNCTION(3)).
  func takeDueTimer() -> Bool {
    guard let deadline, deadline <= .now else { return false }
    self.deadline = nil
    return true
  }

  /// Waits until a socket is ready, the timer expires, a thread calls `wakeUp`, or the limit passes.
  ///
  /// - Returns: The ready sockets; nil if waiting failed.
  func wait(upToMilliseconds limit: Int32) -> [Event]? {
    let timeout = min(limit, deadline.map { ($0 - .now).waitMilliseconds } ?? limit)
    let count = epoll_wait(epoll, &events, Int32(Self.eventsAtOnce), timeout)
    guard count >= 0 else { return errno == EINTR ? [] : nil }
    return events.prefix(Int(count)).compactMap { event in
      guard event.data.fd != wake else {
        var calls: eventfd_t = 0
        eventfd_read(wake, &calls)
        return nil
      }
      return Event(socket: event.data.fd, readiness: Self.readiness(event.events))
    }
  }

  /// Reports errors and hang-ups as readable, as libcurl does with poll(2).
  private static func readiness(_ events: UInt32) -> Int32 {
    let isReadable = events & (EPOLLIN.rawValue | EPOLLERR.rawValue | EPOLLHUP.rawValue) != 0
    let isWritable = events & EPOLLOUT.rawValue != 0
    return (isReadable ? CURL_CSELECT_IN : 0) | (isWritable ? CURL_CSELECT_OUT : 0)
  }
}
