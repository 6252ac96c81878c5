import CLinux
import Foundation

/// Serves the exposition at `GET /metrics` over HTTP/1.1, on a thread of its own, until `stop`.
///
/// It is bounded: in the number of connections (further ones wait in the kernel's queue), in the length of a request's
/// head, and in the time from the connection to the end of the response.
package final class ExpositionServer: Sendable {
  /// Why it does not listen.
  package struct Failure: Error, CustomStringConvertible {
    /// One sentence for people.
    package let description: String
  }

  /// How many connections are served at once.
  package static let maximumConnections = 16
  /// How long a connection may last, in milliseconds.
  package static let connectionMilliseconds: Int64 = 5000
  /// How long no connection is accepted after the system has refused one, for lack of descriptors, in milliseconds.
  private static let pauseMilliseconds: Int64 = 1000
  /// How many connections wait in the kernel.
  private static let backlog: Int32 = 16

  /// Where it listens, with the port that the system has chosen if the wish was 0.
  package let address: ListeningAddress
  private let listener: Int32
  /// Becomes readable when the server is to stop.
  private let stopping: Int32
  private let done = DispatchSemaphore(value: 0)

  /// Listens; connections wait until `start`.
  package init(_ wish: ListeningAddress) throws(Failure) {
    let descriptor = wish.makeSocket()
    guard descriptor >= 0 else { throw Self.failure(wish, -descriptor) }
    var isOn: Int32 = 1
    // A restart does not wait for the connections of the former server.
    setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &isOn, socklen_t(MemoryLayout<Int32>.size))
    var reason = wish.bind(descriptor)
    if reason == 0, listen(descriptor, Self.backlog) != 0 { reason = errno }
    guard reason == 0 else {
      close(descriptor)
      throw Self.failure(wish, reason)
    }
    let stopping = linux_event_open()
    guard stopping >= 0 else {
      close(descriptor)
      throw Self.failure(wish, -stopping)
    }
    (listener, self.stopping) = (descriptor, stopping)
    address = wish.bound(to: descriptor)
  }

  deinit {
    close(listener)
    close(stopping)
  }

  private static func failure(_ address: ListeningAddress, _ number: Int32) -> Failure {
    Failure(description: "the metrics cannot be served at \(address): \(String(cString: strerror(number)))")
  }

  /// Begins to serve. The closure makes the exposition on the server's thread; nil if that took too long.
  package func start(_ exposition: @escaping @Sendable () -> [UInt8]?) {
    let thread = Thread { [self] in
      serve(exposition)
      done.signal()
    }
    thread.name = "podflux.metrics"
    thread.start()
  }

  /// Ends what `start` has begun, and waits for it.
  package func stop() {
    var one: UInt64 = 1
    // An event counter takes every number below its limit.
    _ = write(stopping, &one, MemoryLayout<UInt64>.size)
    done.wait()
  }

  private func serve(_ exposition: () -> [UInt8]?) {
    var connections: [ExpositionConnection] = []
    var pauseEnd: Int64?
    defer { for connection in connections { close(connection.descriptor) } }
    while true {
      if let end = pauseEnd, end <= Self.now() { pauseEnd = nil }
      let hasRoom = connections.count < Self.maximumConnections && pauseEnd == nil
      var watched = [pollfd(fd: stopping, events: Int16(POLLIN), revents: 0)]
      watched.append(pollfd(fd: hasRoom ? listener : -1, events: Int16(POLLIN), revents: 0))
      watched += connections.map(\.watched)
      let next = (connections.map(\.deadline) + [pauseEnd].compactMap(\.self)).min()
      let timeout = next.map { max(0, $0 - Self.now()) }
      guard poll(&watched, nfds_t(watched.count), timeout.map { Int32(clamping: $0 + 1) } ?? -1) >= 0 else {
        guard errno == EINTR else { return }
        continue
      }
      guard watched[0].revents == 0 else { return }
      connections = zip(connections, watched.dropFirst(2)).compactMap { connection, watched in
        var connection = connection
        if watched.revents != 0 { connection.proceed(exposition) }
        guard !connection.isDone, connection.deadline > Self.now() else {
          close(connection.descriptor)
          return nil
        }
        return connection
      }
      guard watched[1].revents != 0 else { continue }
      let descriptor = accept(listener, nil, nil)
      if descriptor >= 0 {
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
        connections.append(
          ExpositionConnection(descriptor: descriptor, deadline: Self.now() + Self.connectionMilliseconds))
      } else if [EMFILE, ENFILE, ENOBUFS, ENOMEM].contains(errno) {
        pauseEnd = Self.now() + Self.pauseMilliseconds
      }
    }
  }

  /// Milliseconds on the monotonic clock.
  private static func now() -> Int64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
  }
}
