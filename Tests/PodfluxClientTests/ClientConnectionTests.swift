import Foundation
import PodfluxClient
import PodfluxCore
import Testing
import WireProtocol

@Suite("A client's connection")
struct ClientConnectionTests {
  /// The engine's end of a connection, as a script.
  private final class Peer {
    private let descriptor: Int32
    let connection: ClientConnection

    init(_ lines: [String], interruption: Int32? = nil) throws {
      var ends: [Int32] = [0, 0]
      try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
      descriptor = ends[0]
      connection = try ClientConnection(input: ends[1], output: ends[1], interruption: interruption)
      send(lines)
    }

    deinit {
      close(descriptor)
    }

    func send(_ lines: [String]) {
      let bytes = Array(lines.map { $0 + "\n" }.joined().utf8)
      _ = write(descriptor, bytes, bytes.count)
    }

    func hangUp() {
      shutdown(descriptor, Int32(SHUT_WR))
    }

    /// What the client has sent so far.
    func received() -> String {
      var buffer = [UInt8](repeating: 0, count: 1 << 16)
      let count = recv(descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT))
      return String(decoding: buffer.prefix(max(0, count)), as: UTF8.self)
    }
  }

  private static let snapshot = Request.query(.snapshot(SnapshotQuery(stores: [.engine])))

  @Test("Answers come in the order of the requests, with changes between them kept for later")
  func order() throws {
    let peer = try Peer([#"{"payload":{"library":"/l","revision":1},"type":"engine/ready"}"#])
    try peer.connection.waitUntilReady()
    #expect(peer.connection.library == "/l")
    peer.connection.send(Self.snapshot)
    peer.connection.send(Self.snapshot)
    peer.send([
      #"{"meta":{"id":1},"payload":{"a":1},"type":"ok"}"#,
      #"{"meta":{"revision":2},"payload":{"store":"engine"},"type":"state"}"#,
      #"{"error":true,"meta":{"id":2},"payload":{"code":"conflict","message":"no"},"type":"error"}"#,
    ])
    let first = try peer.connection.nextAnswer()
    #expect(first.id == 1)
    #expect(try first.outcome.get().integer("a") == 1)
    let second = try peer.connection.nextAnswer()
    #expect(throws: EngineRefusal(code: "conflict", message: "no")) { try second.outcome.get() }
    let event = try #require(try peer.connection.nextEvent(upTo: .now()))
    guard case .state(let payload) = event.content else { throw MalformedLine("no state") }
    #expect(try payload.string("store") == "engine")
    #expect(peer.received().split(separator: "\n").count == 2)
  }

  @Test(
    "What is no line of the protocol ends the connection with a sentence",
    arguments: [
      "nonsense", "{}", #"{"type":1}"#, #"{"type":"ok","payload":7}"#, #"{"type":"ok","meta":{"id":9},"payload":{}}"#,
      #"{"type":"ok","meta":{"id":"1"},"payload":{}}"#, #"{"type":"error","meta":{"id":1},"payload":{}}"#,
      #"{"type":"ok","type":"ok"}"#, String(repeating: "[", count: 100),
    ])
  func malformed(line: String) throws {
    let peer = try Peer([line])
    #expect { try peer.connection.ask(Self.snapshot) } throws: { error in
      if case .malformed? = error as? ConnectionFailure { true } else { false }
    }
  }

  @Test("An engine that refuses the client itself is quoted: before its first line no request can be meant")
  func turnedAway() throws {
    let refusal = #"{"error":true,"payload":{"code":"conflict","line":1,"message":"not you"},"type":"error"}"#
    let expected = ConnectionFailure.turnedAway(EngineRefusal(code: "conflict", message: "not you"))
    #expect(throws: expected) { try Peer([refusal]).connection.waitUntilReady() }
    #expect(expected.description == "not you")
    let peer = try Peer([#"{"payload":{},"type":"engine/ready"}"#, refusal])
    #expect { try peer.connection.ask(Self.snapshot) } throws: { error in
      if case .malformed? = error as? ConnectionFailure { true } else { false }
    }
  }

  @Test("The end of an engine is told with its reason, and what came before it is given out first")
  func end() throws {
    let peer = try Peer([
      #"{"payload":{},"type":"downloads/finished"}"#, #"{"payload":{"reason":"signal"},"type":"engine/stopped"}"#,
    ])
    #expect(try peer.connection.nextEvent(upTo: .now() + .seconds(5))?.line.isEmpty == false)
    #expect(throws: ConnectionFailure.ended(reason: "signal")) { try peer.connection.nextEvent(upTo: nil) }
    let silent = try Peer([])
    silent.hangUp()
    for _ in 0..<2 {
      #expect(throws: ConnectionFailure.ended(reason: nil)) { try silent.connection.ask(Self.snapshot) }
    }
  }

  @Test("A caller that wants to be done is not kept waiting")
  func interruption() throws {
    var ends: [Int32] = [0, 0]
    try #require(pipe(&ends) == 0)
    defer { ends.forEach { close($0) } }
    let peer = try Peer([], interruption: ends[0])
    #expect(try peer.connection.nextEvent(upTo: .now())?.line == nil)
    _ = write(ends[1], "x", 1)
    #expect(throws: ConnectionFailure.interrupted) { try peer.connection.ask(Self.snapshot) }
    // The last words come behind the answer that was not awaited.
    peer.send([#"{"meta":{"id":1},"payload":{},"type":"ok"}"#])
    try peer.connection.ignoreInterruptions()
    peer.connection.send(Self.snapshot)
    peer.send([#"{"meta":{"id":2},"payload":{"a":2},"type":"ok"}"#])
    #expect(try peer.connection.nextAnswer().outcome.get().integer("a") == 2)
  }

  @Test("More requests than the socket holds go out while answers are awaited")
  func manyRequests() throws {
    let peer = try Peer([])
    let count = 20_000
    for _ in 0..<count { peer.connection.send(Self.snapshot) }
    let lines = (1...count).map { #"{"meta":{"id":\#($0)},"payload":{},"type":"ok"}"# }
    var received = 0
    for start in stride(from: 0, to: count, by: 100) {
      received += peer.received().count { $0 == "\n" }
      peer.send(Array(lines[start..<start + 100]))
      for _ in 0..<100 { _ = try peer.connection.nextAnswer() }
    }
    while received < count {
      let more = peer.received().count { $0 == "\n" }
      if more == 0 { _ = try peer.connection.nextEvent(upTo: .now() + .milliseconds(1)) }
      received += more
    }
    #expect(received == count)
    #expect(peer.connection.outstanding == 0)
  }
}
