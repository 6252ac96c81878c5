import Foundation
import Synchronization
import Testing
import TestScheduling
import TestSupport

@testable import podflux

@Suite("Service manager", .systemTestAlone, .serialized)
struct ServiceManagerTests {
  private let manager: FakeManager

  init() throws {
    manager = try FakeManager()
  }

  @Test("Readiness and stopping are reported, each in one datagram, over a path or an abstract name")
  func messages() throws {
    for socket in [manager, try FakeManager(isAbstract: true)] {
      let notifier = try #require(Notifier(environment: ["NOTIFY_SOCKET": socket.name]))
      notifier.ready()
      notifier.stopping()
      #expect(try socket.receive() == "READY=1\nMAINPID=\(getpid())")
      #expect(try socket.receive() == "STOPPING=1")
    }
  }

  @Test("The end is reported when commands for completions have run: from then on the manager's patience is short")
  func lateStop() throws {
    // It was reported when the engine had ended. systemd killed the commands of a drain, and what was left of it, 10 s
    // later, called that a failure, and started the engine again.
    let scene = try Scene()
    let (hook, go, begun) = (scene.outside + "/hook", scene.outside + "/go", scene.outside + "/begun")
    try "#!/bin/sh\ntouch '\(begun)'\nwhile [ ! -e '\(go)' ]; do sleep 0.05; done\n"
      .write(toFile: hook, atomically: true, encoding: .utf8)
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: hook)
    let engine = try scene.start(["--on-complete", hook], environment: ["NOTIFY_SOCKET": manager.name])
    #expect(try manager.receive() == "READY=1\nMAINPID=\(engine.pid)")
    scene.serve("/a.mp3", length: 20_000)
    try engine.order("downloads/enqueue", ["url": scene.origin.url("/a.mp3"), "id": "a"])
    try waitUntil("the command") { FileManager.default.fileExists(atPath: begun) }
    try engine.order("engine/shutdown", ["mode": "drain"])
    try waitUntil("the engine's end") { try SuspensionTests.locks(of: engine.pid) == 0 }
    #expect(try manager.countUntilSilence(ofMilliseconds: 500) == 0)
    #expect(FileManager.default.createFile(atPath: go, contents: nil))
    #expect(try manager.receive() == "STOPPING=1")
    #expect(try engine.waitForEnd().status == 0)
  }

  @Test(
    "Without a valid socket nothing is reported",
    arguments: [nil, "", "@", "/", "relative", "vsock:2:1", "/" + String(repeating: "a", count: 107)])
  func noSocket(name: String?) {
    #expect(Notifier(environment: name.map { ["NOTIFY_SOCKET": $0] } ?? [:]) == nil)
  }

  @Test("A manager that is gone, or whose queue is full, blocks nothing")
  func deafManager() throws {
    let gone = try #require(Notifier(environment: ["NOTIFY_SOCKET": "/nonexistent/socket"]))
    gone.ready()
    gone.stopping()
    let notifier = try #require(Notifier(environment: ["NOTIFY_SOCKET": manager.name]))
    let maximumQueue = try #require(
      Int(String(contentsOfFile: "/proc/sys/net/unix/max_dgram_qlen", encoding: .utf8).prefix { $0 != "\n" }))
    let begin = ContinuousClock.now
    for _ in 0...(maximumQueue + 1) { notifier.stopping() }
    #expect(ContinuousClock.now - begin < .seconds(10))
    #expect(try manager.receive() == "STOPPING=1")
  }

  @Test("The watchdog gets a report at half its interval, as long as the engine answers")
  func watchdog() throws {
    let notifier = try #require(
      Notifier(environment: [
        "NOTIFY_SOCKET": manager.name, "WATCHDOG_USEC": "100000", "WATCHDOG_PID": "\(getpid())",
      ]))
    let engine = Mutex<(isAlive: Bool, asked: Int)>((true, 0))
    let answers = DispatchQueue(label: "engine")
    let begin = ContinuousClock.now
    notifier.startWatchdog { answer in
      let isAlive = engine.withLock { engine in
        engine.asked += 1
        return engine.isAlive
      }
      if isAlive { answers.async(execute: answer) }
    }
    for _ in 0..<5 { #expect(try manager.receive() == "WATCHDOG=1") }
    // The first at once, four more after 50 ms each.
    #expect(ContinuousClock.now - begin >= .milliseconds(190))
    engine.withLock { $0.isAlive = false }
    // A pending report may still come; then none, and no further check.
    #expect(try manager.countUntilSilence(ofMilliseconds: 300) <= 2)
    let asked = engine.withLock { $0.asked }
    #expect(try manager.countUntilSilence(ofMilliseconds: 300) == 0)
    #expect(engine.withLock { $0.asked } == asked)
    notifier.stopWatchdog()
  }

  @Test(
    "Without a time, with one that is none, or for another process there is no watchdog",
    arguments: [
      [:], ["WATCHDOG_USEC": "0"], ["WATCHDOG_USEC": "soon"], ["WATCHDOG_USEC": "1000", "WATCHDOG_PID": "1"],
    ])
  func noWatchdog(variables: [String: String]) throws {
    let environment = variables.merging(["NOTIFY_SOCKET": manager.name]) { $1 }
    let notifier = try #require(Notifier(environment: environment))
    notifier.startWatchdog { $0() }
    #expect(try manager.countUntilSilence(ofMilliseconds: 100) == 0)
  }
}

/// The socket of a service manager.
private final class FakeManager: Sendable {
  /// Its name in NOTIFY_SOCKET.
  let name: String
  private let socket: Int32
  private let folder: TemporaryFolder

  init(isAbstract: Bool = false) throws {
    folder = try TemporaryFolder("podflux-notify")
    let path = folder.path + "/socket"
    name = isAbstract ? "@" + path : path
    socket = Foundation.socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let bytes = isAbstract ? [0] + Array(path.utf8) : Array(path.utf8) + [0]
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
    let size = socklen_t(MemoryLayout<sa_family_t>.size + bytes.count)
    let isBound = withUnsafePointer(to: &address) { address in
      address.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(socket, $0, size) == 0 }
    }
    guard isBound else { throw PodfluxProcess.Failure("no socket: \(String(cString: strerror(errno)))") }
  }

  deinit { close(socket) }

  /// The next datagram, which must come within 10 s.
  func receive() throws -> String {
    guard let message = try next(milliseconds: 10_000) else { throw PodfluxProcess.Failure("nothing was told") }
    return message
  }

  /// How many datagrams come before a pause of this length.
  func countUntilSilence(ofMilliseconds milliseconds: Int32) throws -> Int {
    var count = 0
    while try next(milliseconds: milliseconds) != nil { count += 1 }
    return count
  }

  private func next(milliseconds: Int32) throws -> String? {
    var watched = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
    guard poll(&watched, 1, milliseconds) > 0 else { return nil }
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = recv(socket, &bytes, bytes.count, 0)
    guard count >= 0 else { throw PodfluxProcess.Failure("recv: \(String(cString: strerror(errno)))") }
    return String(decoding: bytes.prefix(count), as: UTF8.self)
  }
}
