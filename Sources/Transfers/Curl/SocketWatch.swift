import CCurl
import CLinux
import Glibc
import PodfluxCore

/// Waits for libcurl's sockets and its timer. Each wait costs by the sockets that are ready, however many are open: what
/// `curl_multi_poll` and `curl_multi_perform` do goes through all of them, each time.
///
/// Sources: libcurl-multi(3), "multi_socket"; epoll(7).
final class SocketWatch: @unchecked Sendable {
  // `@unchecked`: `wakeUp` may be called from any thread, eventfd(2) sees to that. The rest is the driver's thread's.

  /// A socket, and what libcurl may do with it (`CURL_CSELECT_IN`, `CURL_CSELECT_OUT`).
  struct Event {
    var socket: curl_socket_t
    var readiness: Int32
  }

  /// How many sockets one wait tells of; the others are told by the next.
  private static let eventsAtOnce = 64

  private let epoll: Int32
  private let wake: Int32
  /// What each socket is watched for.
  private var interests: [curl_socket_t: UInt32] = [:]
  private var events = [epoll_event](repeating: epoll_event(), count: eventsAtOnce)
  /// When libcurl wants to be called, whatever else happens.
  private var deadline: SuspendingClock.Instant?

  init?() {
    epoll = linux_epoll_open()
    wake = linux_event_open()
    guard epoll >= 0, wake >= 0, watch(wake, for: EPOLLIN.rawValue) else { return nil }
  }

  deinit {
    for descriptor in [epoll, wake] where descriptor >= 0 { close(descriptor) }
  }

  /// Ends the present wait, or the next one at once.
  func wakeUp() {
    // It fails only when it is full of others' calls: then the wait ends all the same.
    eventfd_write(wake, 1)
  }

  // MARK: What libcurl wants

  /// Sees to it that libcurl is called for its sockets and when its time has come.
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

  /// Lets go of libcurl, which is about to end.
  func leave(_ multi: UnsafeMutableRawPointer) {
    ccurl_multi_set_socket_watcher(multi, nil)
    ccurl_multi_set_timer(multi, nil)
  }

  /// Watches a socket for what libcurl wants of it (`CURL_POLL_IN` and so on); false if it cannot be watched.
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

  /// Has another socket put at this one's number, and watches that for the same. epoll goes by the open socket, not by its
  /// number: one that somebody keeps would be told of for ever.
  func exchange(_ socket: curl_socket_t, _ body: () -> Void) {
    forget(socket)
    body()
    // Where it cannot be watched libcurl's own timeouts come.
    if let events = interests[socket] { _ = watch(socket, for: events) }
  }

  private func watch(_ descriptor: Int32, for events: UInt32) -> Bool {
    var event = epoll_event()
    event.events = events
    event.data.fd = descriptor
    // A socket that was closed is gone from here, and its number may be another's.
    return epoll_ctl(epoll, EPOLL_CTL_MOD, descriptor, &event) == 0
      || errno == ENOENT && epoll_ctl(epoll, EPOLL_CTL_ADD, descriptor, &event) == 0
  }

  private func forget(_ descriptor: Int32) {
    var event = epoll_event()
    // If it fails the socket has been closed before, and there is nothing to forget.
    _ = epoll_ctl(epoll, EPOLL_CTL_DEL, descriptor, &event)
  }

  /// Notes when libcurl wants to be called; a negative number means that nothing waits for a time.
  func setTimer(_ milliseconds: Int) {
    deadline = milliseconds < 0 ? nil : .now + .milliseconds(milliseconds)
  }

  // MARK: Waiting

  /// Whether libcurl's time has come: then it is to be called, and sets the next timer if it wants one
  /// (CURLMOPT_TIMERFUNCTION(3)).
  func takeDueTimer() -> Bool {
    guard let deadline, deadline <= .now else { return false }
    self.deadline = nil
    return true
  }

  /// Waits until a socket is ready, libcurl's time has come or somebody wakes it, for at most so long.
  ///
  /// - Returns: the sockets that are ready; nil if waiting itself has failed.
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

  /// An error or an end is read, as poll(2) tells libcurl.
  private static func readiness(_ events: UInt32) -> Int32 {
    let isReadable = events & (EPOLLIN.rawValue | EPOLLERR.rawValue | EPOLLHUP.rawValue) != 0
    let isWritable = events & EPOLLOUT.rawValue != 0
    return (isReadable ? CURL_CSELECT_IN : 0) | (isWritable ? CURL_CSELECT_OUT : 0)
  }
}
