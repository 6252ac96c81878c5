import CLinux
import Foundation

/// Waits for many descriptors at once (epoll(7)), and for other threads (eventfd(2)).
final class Poller: @unchecked Sendable {
  // `@unchecked`: any thread may call `wakeUp`, which eventfd(2) allows. Only the loop's thread uses the rest.

  /// Names a descriptor that is watched.
  typealias Token = Int64

  /// The readiness of a descriptor.
  struct Event {
    let token: Token
    /// There is something to read, or the end of it.
    let isReadable: Bool
    /// There is room to write, or the peer is gone.
    let isWritable: Bool
  }

  /// What a descriptor is watched for.
  struct Interest: OptionSet {
    let rawValue: UInt32

    static let reading = Interest(rawValue: EPOLLIN.rawValue)
    static let writing = Interest(rawValue: EPOLLOUT.rawValue)
  }

  private static let eventsAtOnce = 128
  private static let wakeToken: Token = .min

  private let epoll: Int32
  private let wake: Int32
  private var events = [epoll_event](repeating: epoll_event(), count: eventsAtOnce)

  init() throws {
    (epoll, wake) = (linux_epoll_open(), linux_event_open())
    guard epoll >= 0, wake >= 0, watch(wake, as: Self.wakeToken, for: .reading) else {
      throw POSIXError(POSIXErrorCode(rawValue: min(epoll, wake) < 0 ? -min(epoll, wake) : errno) ?? .EIO)
    }
  }

  deinit {
    for descriptor in [epoll, wake] where descriptor >= 0 { close(descriptor) }
  }

  /// Ends the current wait, or the next one at once.
  func wakeUp() {
    // eventfd_write(3) fails only when the counter is full: then the wait ends anyway.
    eventfd_write(wake, 1)
  }

  /// Watches a descriptor for nothing else than this; for nothing at all if that is empty: a descriptor that epoll
  /// knows is reported when its peer is gone, watched for that or not.
  ///
  /// - Returns: Whether the system does so.
  @discardableResult
  func watch(_ descriptor: Int32, as token: Token, for interest: Interest) -> Bool {
    var event = epoll_event()
    event.events = interest.rawValue
    event.data.u64 = UInt64(bitPattern: token)
    guard !interest.isEmpty else {
      // EPOLL_CTL_DEL fails for a descriptor that is not watched.
      _ = epoll_ctl(epoll, EPOLL_CTL_DEL, descriptor, &event)
      return true
    }
    return epoll_ctl(epoll, EPOLL_CTL_MOD, descriptor, &event) == 0
      || errno == ENOENT && epoll_ctl(epoll, EPOLL_CTL_ADD, descriptor, &event) == 0
  }

  /// Waits until something has happened, `wakeUp` is called, or the time has passed; nil is no limit.
  func wait(upTo milliseconds: Int32?) -> [Event] {
    let count = epoll_wait(epoll, &events, Int32(Self.eventsAtOnce), milliseconds ?? -1)
    // epoll_wait(2) fails only when a signal interrupts it.
    return events.prefix(Int(max(0, count))).compactMap { event in
      let token = Token(bitPattern: event.data.u64)
      guard token != Self.wakeToken else {
        var calls: eventfd_t = 0
        eventfd_read(wake, &calls)
        return nil
      }
      let isGone = event.events & (EPOLLERR.rawValue | EPOLLHUP.rawValue) != 0
      return Event(
        token: token, isReadable: isGone || event.events & EPOLLIN.rawValue != 0,
        isWritable: isGone || event.events & EPOLLOUT.rawValue != 0)
    }
  }
}
