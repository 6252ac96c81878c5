import CCurl
import Glibc
import PodfluxCore
import Testing

@testable import Transfers

@Suite("libcurl's open sockets")
struct SocketTableTests {
  private static let elsewhere: in_addr_t = 0xC000_0201  // 192.0.2.1, RFC 5737
  private static let here: in_addr_t = 0x7F00_0001
  private static let streams = Int32(SOCK_STREAM.rawValue)

  private let table = SocketTable()

  /// Opens a socket as libcurl would that is to connect to this address.
  private func open(to host: in_addr_t) throws -> curl_socket_t {
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
    return try table.open(to: &address, by: .any)
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

  @Test("When all is shut down that leads away, whoever has the number of one that libcurl closed by itself goes on")
  func numberOfAnother() throws {
    let number = try open(to: Self.elsewhere)
    let other = try replace(number)
    defer { close(other) }
    table.shutDownAll()
    #expect(canSend(number))
    #expect(table.close(number) == 0)
  }

  @Test("A connection that leads away is at its end then, one to this machine goes on")
  func leadingAway() throws {
    let listener = socket(AF_INET, Self.streams, 0)
    defer { close(listener) }
    var name = sockaddr_in()
    name.sin_family = sa_family_t(AF_INET)
    name.sin_addr.s_addr = Self.here.bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let sockets = try [open(to: Self.elsewhere), open(to: Self.here)]
    try withUnsafeMutablePointer(to: &name) { pointer in
      try pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        try #require(bind(listener, address, length) == 0 && listen(listener, 2) == 0)
        try #require(getsockname(listener, address, &length) == 0)
        // What the table goes by is where they were to lead.
        for socket in sockets { try #require(connect(socket, address, length) == 0) }
      }
    }
    table.shutDownAll()
    #expect(sockets.map(canSend) == [false, true])
    for socket in sockets { #expect(table.close(socket) == 0) }
  }
}
