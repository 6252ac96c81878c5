import Foundation
import Testing
import TestScheduling
import TestSupport

@Suite("Clients that are dropped", .systemTestAlone)
struct DroppedClientsTests {
  private let enqueue = #"{"type":"downloads/enqueue","payload":{"url":"http://127.0.0.1:1/a","paused":true}}"#

  /// How many connections come and go.
  private static let count = 10_000

  @Test("Connections that end in the middle of lines, observing or not, leave no descriptor and no client behind")
  func midLine() throws {
    let scene = try Scene()
    let engine = try scene.startListening()
    try scene.attach().leave()
    let before = try engine.socketCount()
    let memory = try engine.peakResidentBytes()
    for number in 0..<Self.count {
      let client = try RawConnection(scene.socketPath)
      switch number % 4 {
      case 0: break
      case 1: client.send(String(enqueue.prefix(number % enqueue.count)))
      case 2: client.send(enqueue + "\n" + enqueue.prefix(20))
      default: client.send(#"{"type":"observe","payload":{"actions":true}}"# + "\n" + enqueue.prefix(30))
      }
    }
    try waitUntil("the last connection's end", upTo: 20) { try scene.connectionCount() == 0 }
    #expect(try engine.socketCount() <= before)
    print("\(Self.count) connections: \((try engine.peakResidentBytes() - memory) >> 10) KiB more")
    #expect(try engine.peakResidentBytes() - memory < 24 << 20)
    // The lines that were whole have been carried out.
    #expect(try engine.downloads(limit: 10).items.count == 1)
  }

  @Test("A client that is killed with many lines on their way leaves nothing behind, and no other one waits")
  func killed() throws {
    let scene = try Scene()
    let engine = try scene.startListening()
    let deaf = try scene.attach()
    try deaf.send(line: Array(repeating: #"{"type":"snapshot"}"#, count: 2000).joined(separator: "\n"))
    try deaf.kill()
    try engine.order("snapshot", ["stores": ["engine"]], upTo: 5)
    try waitUntil("its connection's end") { try scene.connectionCount() == 0 }
  }

  @Test("Without a descriptor left, clients wait, and are taken in when there is one again")
  func noDescriptors() throws {
    let scene = try Scene()
    let engine = try scene.startListening()
    let held = try RawConnection(scene.socketPath)
    #expect(try held.readLine().contains("engine/ready"))
    // Numbers that are free below those of the sockets are of no use either.
    try engine.limitDescriptors(to: 3)
    let waiting = try (0..<8).map { _ in try RawConnection(scene.socketPath) }
    try waitUntil("the warning") { scene.log.contains("no more clients can be taken in for now") }
    // Nothing turns in a circle meanwhile, and clients that are there go on.
    try waitUntil("an idle engine", upTo: 20) { try engine.isIdle(forMilliseconds: 500) }
    held.send(#"{"type":"snapshot","payload":{"stores":["engine"]}}"# + "\n")
    #expect(try held.readLine().contains(#""type":"ok""#))
    #expect(scene.log.ranges(of: "no more clients can be taken in for now").count == 1)
    try engine.limitDescriptors(to: 1024)
    for client in waiting { #expect(try client.readLine().contains("engine/ready")) }
  }

  @Test("Clients leave half of few descriptors to the engine")
  func fewDescriptors() throws {
    let scene = try Scene()
    let engine = try scene.start(
      ["--socket", scene.socketPath], launcher: ["/bin/sh", "-c", #"ulimit -n 256; exec "$0" "$@""#])
    let clients = try (0..<128).map { _ in try RawConnection(scene.socketPath) }
    for client in clients { #expect(try client.readLine().contains("engine/ready")) }
    // Released clients would make room for one more.
    let words = try RawConnection(scene.socketPath).readToEnd()
    #expect(words.contains("128 clients are connected, which is the most"))
    #expect(clients.count == 128)
    withExtendedLifetime(clients) {}
    try engine.order("engine/suspend")
    try engine.order("engine/resume")
  }

  @Test("The one client too many is told so in one line, and the others stay")
  func tooMany() throws {
    let scene = try Scene()
    let engine = try scene.startListening()
    let limit = 2048
    var descriptors = rlimit()
    getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &descriptors)
    descriptors.rlim_cur = descriptors.rlim_max
    setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &descriptors)
    let clients = try (0..<limit).map { _ in try RawConnection(scene.socketPath) }
    for client in clients { #expect(try client.readLine().contains("engine/ready")) }
    let words = try RawConnection(scene.socketPath).readToEnd()
    #expect(words.split(separator: "\n").count == 1)
    #expect(words.contains(#""code":"limit_exceeded""#))
    clients[0].send(#"{"type":"snapshot","payload":{"stores":["engine"]}}"# + "\n")
    #expect(try clients[0].readLine().contains(#""type":"ok""#))
    try engine.order("snapshot", ["stores": ["engine"]])
  }
}
