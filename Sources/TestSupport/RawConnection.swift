import Foundation

/// A connection to an engine's socket, without a program between: it can read nothing, and break off in the middle of a
/// line. For one thread at a time.
package final class RawConnection: @unchecked Sendable {
  // `@unchecked`: see above.

  private let descriptor: Int32
  /// The bytes read behind the last returned line.
  private var rest: [UInt8] = []

  private static let readSize = 64 << 10

  /// Connects to the socket at a path.
  package init(_ path: String) throws {
    descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8)) }
    let isConnected = withUnsafePointer(to: &address) { address in
      address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
      }
    }
    guard isConnected else {
      let code = errno
      close(descriptor)
      throw PodfluxProcess.Failure("no connection to \(path): \(String(cString: strerror(code)))")
    }
  }

  deinit {
    close(descriptor)
  }

  /// Sends what the socket takes now. Returns how many bytes it has taken.
  @discardableResult
  package func send(_ text: String) -> Int {
    let bytes = Array(text.utf8)
    let flags = Int32(MSG_NOSIGNAL | MSG_DONTWAIT)
    return max(0, Foundation.send(descriptor, bytes, bytes.count, flags))
  }

  /// Reads one line, without its line feed.
  package func readLine(upTo seconds: Int32 = 20) throws -> String {
    while true {
      if let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
        defer { rest.removeFirst(end + 1) }
        return String(decoding: rest[..<end], as: UTF8.self)
      }
      var readable = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      let ready = poll(&readable, 1, seconds * 1000)
      if ready < 0, errno == EINTR { continue }
      guard ready > 0 else { throw noLine("within \(seconds) s") }
      guard read() > 0 else { throw noLine("before the connection's end") }
    }
  }

  private func noLine(_ when: String) -> PodfluxProcess.Failure {
    PodfluxProcess.Failure("no line \(when); begun: \(String(decoding: rest.prefix(200), as: UTF8.self))")
  }

  /// Reads until the engine has closed the connection.
  package func readToEnd() -> String {
    while read() > 0 {}
    return String(decoding: rest, as: UTF8.self)
  }

  /// Reads and forgets what is there. Returns whether more may come.
  package func discardInput() -> Bool {
    var buffer = [UInt8](repeating: 0, count: Self.readSize)
    while true {
      let count = recv(descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT))
      guard count > 0 else { return count < 0 && errno == EAGAIN }
    }
  }

  private func read() -> Int {
    var buffer = [UInt8](repeating: 0, count: Self.readSize)
    let count = Foundation.read(descriptor, &buffer, buffer.count)
    rest += buffer.prefix(max(0, count))
    return count
  }
}
