import Foundation
import Glibc
import Synchronization

/// The machine refuses a private namespace, or lacks the tools to set it up.
package struct NamespaceRefused: Error, CustomStringConvertible {
  /// The refused operation, and why.
  package let description: String

  package init(description: String) {
    self.description = description
  }
}

/// A private network namespace for one test (network_namespaces(7)), with its own interfaces, addresses and routes.
///
/// Threads and processes that start inside stay inside, and so do the sockets that they open.
package final class PrivateNetwork: Sendable {
  private let descriptor: Int32

  /// Creates a namespace with only loopback, which is up.
  package init() throws {
    descriptor = try Self.onThread {
      try Self.call("unshare", Self.newNetwork)
      let descriptor = open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC)
      guard descriptor >= 0 else { throw NamespaceRefused(description: "open: \(String(cString: strerror(errno)))") }
      return descriptor
    }
    try ip("link set lo up")
  }

  deinit { close(descriptor) }

  /// Runs a closure inside, on a new thread, and waits for its end.
  package func run<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) throws -> Value {
    let descriptor = descriptor
    return try Self.onThread {
      guard let setns = unsafeBitCast(dlsym(nil, "setns"), to: (@convention(c) (Int32, Int32) -> Int32)?.self),
        setns(descriptor, Self.newNetwork) == 0
      else { throw NamespaceRefused(description: "setns: \(String(cString: strerror(errno)))") }
      return try body()
    }
  }

  /// Runs `ip` inside, with words separated by spaces (ip(8)).
  package func ip(_ words: String) throws {
    try run { try Self.spawn(["ip"] + words.split(separator: " ").map(String.init)) }
  }

  /// Connects this network with another one by a virtual cable: an interface in each, with an address in a /24 network.
  package func connect(
    _ name: String, _ address: String, to other: PrivateNetwork, _ otherName: String, _ otherAddress: String
  ) throws {
    let there = "/proc/\(getpid())/fd/\(other.descriptor)"
    try ip("link add \(name) type veth peer name \(otherName) netns \(there)")
    try ip("addr add \(address)/24 dev \(name)")
    try ip("link set \(name) up")
    try other.ip("addr add \(otherAddress)/24 dev \(otherName)")
    try other.ip("link set \(otherName) up")
  }

  /// CLONE_NEWNET and CLONE_NEWNS (clone(2)).
  private static let newNetwork: Int32 = 0x4000_0000
  private static let newMounts: Int32 = 0x0002_0000

  private static func call(_ name: String, _ flags: Int32) throws {
    guard let function = unsafeBitCast(dlsym(nil, name), to: (@convention(c) (Int32) -> Int32)?.self),
      function(flags) == 0
    else { throw NamespaceRefused(description: "\(name): \(String(cString: strerror(errno)))") }
  }

  private static func spawn(_ words: [String]) throws {
    var arguments = words.map { strdup($0) } + [nil]
    defer { arguments.forEach { free($0) } }
    var child: pid_t = 0
    let refusal = posix_spawnp(&child, words[0], nil, nil, &arguments, environ)
    guard refusal == 0 else {
      throw NamespaceRefused(description: "\(words[0]): \(String(cString: strerror(refusal)))")
    }
    var status: Int32 = 0
    while waitpid(child, &status, 0) < 0, errno == EINTR {}
    guard status == 0 else {
      throw NamespaceRefused(description: "wait status \(status): \(words.joined(separator: " "))")
    }
  }

  /// Runs a closure on a new thread, whose namespaces end with it.
  private static func onThread<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) throws -> Value {
    let outcome = Outcome<Value>()
    Thread.detachNewThread {
      let value = Result { try body() }
      outcome.result.withLock { $0 = value }
      outcome.isThere.signal()
    }
    outcome.isThere.wait()
    guard let value = outcome.result.withLock({ $0 }) else {
      throw NamespaceRefused(description: "the thread has left nothing")
    }
    return try value.get()
  }

  private final class Outcome<Value: Sendable>: Sendable {
    let result = Mutex<Result<Value, any Error>?>(nil)
    let isThere = DispatchSemaphore(value: 0)
  }

  /// Runs a closure with a small private file system mounted on a folder (tmpfs(5)). Files that it opens there stay
  /// usable afterwards, on every thread. With `inodes`, it has so few in all.
  package static func withTemporaryFileSystem<Value: Sendable>(
    on folder: String, bytes: Int, inodes: Int? = nil, _ body: @escaping @Sendable () throws -> Value
  ) throws -> Value {
    try onThread {
      try call("unshare", newMounts)
      // MS_PRIVATE and MS_REC: mounts do not propagate to the original namespace.
      let isPrivate: UInt = 1 << 18 | 1 << 14
      guard mount(nil, "/", nil, isPrivate, nil) == 0,
        mount("tmpfs", folder, "tmpfs", 0, "size=\(bytes)" + (inodes.map { ",nr_inodes=\($0)" } ?? "")) == 0
      else { throw NamespaceRefused(description: "mount: \(String(cString: strerror(errno)))") }
      return try body()
    }
  }
}
