import CCurl
import EngineRuntime
import Glibc
import PodfluxCore
import Testing
import TestScheduling

@testable import Transfers

@Suite("libcurl's open sockets", .systemTestAlone)
struct SocketTableTests {
  private static let elsewhere: in_addr_t = 0xC000_0201  // 192.0.2.1, RFC 5737
  private static let here: in_addr_t = 0x7F00_0001
  private static let streams = Int32(SOCK_STREAM.rawValue)

  private let table = SocketTable()

  /// Opens a socket as libcurl would that is to connect to this address.
  private func open(
    to host: in_addr_t, by route: Route = .any, in other: SocketTable? = nil
  ) throws -> curl_socket_t {
    var address = curl_sockaddr()
    address.family = AF_INET
    address.socktype = Self.streams
    address.addrlen = UInt32(MemoryLayout<sockaddr_in>.size)
    var name = sockaddr_in()
    name.sin_family = sa_family_t(AF_INET)
    name.sin_addr.s_addr = host.bigEndian
    withUnsafeMutableBytes(of: &address.addr) { addr in
      withUnsafeBytes(of: name) { addr.copyMemory(from: $0) }
    }
    return try (other ?? table).open(to: &address, by: route)
  }

  /// Puts one end of a pair where a socket was, as if that had got connected or its number had been given away; returns
  /// the other end.
  private func replace(_ number: curl_socket_t) throws -> Int32 {
    var ends: [Int32] = [0, 0]
    try #require(socketpair(AF_UNIX, Self.streams, 0, &ends) == 0)
    try #require(dup2(ends[0], number) == number)
    close(ends[0])
    return ends[1]
  }

  private func canSend(_ socket: Int32) -> Bool {
    send(socket, "x", 1, Int32(MSG_NOSIGNAL)) == 1
  }

  @Test("A socket that must not leave over every device is bound to the one that is chosen for its address, or to none")
  func chosenDevice() throws {
    let route = Route.only(device: "gone9")
    #expect(throws: ExchangeFailure.self) { try open(to: Self.elsewhere, by: route) }
    let chosen = SocketTable { address, device in
      address == [192, 0, 2, 1] && device == "gone9" ? nil : "gone8"
    }
    #expect(chosen.close(try open(to: Self.elsewhere, by: route, in: chosen)) == 0)
    let failure = #expect(throws: ExchangeFailure.self) { try open(to: 0xC000_0202, by: route, in: chosen) }
    #expect(failure?.message.contains("gone8") == true)
  }

  @Test("When all is shut down that leads away, the holder of the number of one that libcurl closed by itself goes on")
  func numberOfAnother() throws {
    let number = try open(to: Self.elsewhere)
    let other = try replace(number)
    defer { close(other) }
    table.shutDownAll()
    #expect(canSend(number))
    #expect(table.close(number) == 0)
  }

  /// Connects sockets to a listener on this machine. What the table goes by is where they were to lead.
  private func connect(_ sockets: [curl_socket_t], to listener: Int32) throws {
    var name = sockaddr_in()
    name.sin_family = sa_family_t(AF_INET)
    name.sin_addr.s_addr = Self.here.bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    try withUnsafeMutablePointer(to: &name) { pointer in
      try pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        try #require(bind(listener, address, length) == 0 && listen(listener, 2) == 0)
        try #require(getsockname(listener, address, &length) == 0)
        for socket in sockets { try #require(Glibc.connect(socket, address, length) == 0) }
      }
    }
  }

  /// The kernel resets a connection whose socket is gone, over any device: Wi-Fi's by cellular.
  @Test("One that is bound to a device is at its end as well, and yet its peer is answered by the socket and not reset")
  func bound() throws {
    let listener = socket(AF_INET, Self.streams, 0)
    defer { close(listener) }
    let number = try open(to: Self.elsewhere, by: .only(device: "lo"))
    try connect([number], to: listener)
    let peer = accept(listener, nil, nil)
    defer { close(peer) }
    let watch = try #require(SocketWatch())
    #expect(watch.take(CURL_POLL_IN, in: number))
    table.shutDownAll(exchanging: watch.exchange)
    #expect(table.left.count == 1)
    var byte: UInt8 = 0
    #expect(recv(number, &byte, 1, 0) == 0 && !canSend(number))
    // Its end is told to the watcher of the number; what comes for the one that is kept is not.
    #expect(watch.wait(upToMilliseconds: 0)?.map(\.socket) == [number])
    #expect(watch.take(CURL_POLL_REMOVE, in: number))
    #expect(table.close(number) == 0)
    // The peer hears that nothing more will come, and may send without being reset.
    #expect(recv(peer, &byte, 1, 0) == 0)
    for _ in 0..<3 { #expect(canSend(peer)) }
    #expect(watch.wait(upToMilliseconds: 0)?.isEmpty == true)
  }

  @Test("A connection that leads away is at its end then, one to this machine goes on")
  func leadingAway() throws {
    let listener = socket(AF_INET, Self.streams, 0)
    defer { close(listener) }
    let sockets = try [open(to: Self.elsewhere), open(to: Self.here)]
    try connect(sockets, to: listener)
    table.shutDownAll()
    #expect(sockets.map(canSend) == [false, true])
    for socket in sockets { #expect(table.close(socket) == 0) }
  }
}
