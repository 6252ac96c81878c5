import Foundation

/// The address of a Unix socket: a path of the file system, or an abstract name (unix(7)).
struct UnixAddress: Hashable, Sendable {
  /// The longest path, in bytes; a NUL follows it.
  static let maximumBytes = MemoryLayout.size(ofValue: sockaddr_un().sun_path) - 1

  private let name: [UInt8]

  /// The address of a file; nil if the path is empty, too long, or has a NUL.
  init?(path: String) {
    let name = Array(path.utf8)
    guard (1...Self.maximumBytes).contains(name.count), !name.contains(0) else { return nil }
    self.name = name
  }

  /// An absolute path, or an abstract name as service managers write it (`@…`); nil for all else.
  init?(serviceManager text: String) {
    guard text.hasPrefix("/") || text.hasPrefix("@"), text != "/", text != "@" else { return nil }
    self.init(path: text)
    guard text.hasPrefix("@") else { return }
    self = Self(abstract: Array(text.utf8.dropFirst()))
  }

  private init(abstract name: [UInt8]) {
    self.name = [0] + name
  }

  func withSocketAddress<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: name) }
    // The length ends an abstract name, not a NUL.
    let length = MemoryLayout<sockaddr_un>.size - Self.maximumBytes - 1 + name.count + (name[0] == 0 ? 0 : 1)
    return withUnsafePointer(to: &address) { address in
      address.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(length)) }
    }
  }

  /// Makes a stream socket and connects it: the descriptor, or the errno, negative; EAGAIN if the queue of the one that
  /// listens is full, and stays so.
  ///
  /// - Parameter seconds: How long a full queue is waited for; 0 for not at all, and a descriptor that does not block.
  func connect(waitingFor seconds: Int) -> Int32 {
    let flags = Int32(SOCK_CLOEXEC.rawValue) | (seconds > 0 ? 0 : Int32(SOCK_NONBLOCK.rawValue))
    let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | flags, 0)
    guard descriptor >= 0 else { return -errno }
    if seconds > 0 { Self.limitSending(to: seconds, at: descriptor) }
    while withSocketAddress({ Foundation.connect(descriptor, $0, $1) }) != 0 {
      guard errno != EINTR else { continue }
      let refusal = errno
      close(descriptor)
      return -refusal
    }
    if seconds > 0 { Self.limitSending(to: 0, at: descriptor) }
    return descriptor
  }

  /// Limits how long connecting and sending may take (socket(7), SO_SNDTIMEO); 0 is no limit. It fails for no socket.
  private static func limitSending(to seconds: Int, at descriptor: Int32) {
    var limit = timeval(tv_sec: seconds, tv_usec: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
  }
}
