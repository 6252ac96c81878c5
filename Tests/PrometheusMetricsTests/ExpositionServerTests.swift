import Foundation
import Synchronization
import TestScheduling
import TestSupport
import Testing

@testable import PrometheusMetrics

@Suite("Serving the exposition", .systemTest, .serialized)
struct ExpositionServerTests {
  private static func started(_ exposition: String = "a 1\n") throws -> ExpositionServer {
    let server = try ExpositionServer(try #require(ListeningAddress("127.0.0.1:0")))
    server.start { Array(exposition.utf8) }
    return server
  }

  @Test("A request gets the exposition, also a long one, over either version of IP")
  func get() throws {
    let exposition = String(repeating: "podflux_downloads{state=\"queued\"} 1\n", count: 50_000)
    for address in ["127.0.0.1:0", "[::1]:0"] {
      let server = try ExpositionServer(try #require(ListeningAddress(address)))
      server.start { Array(exposition.utf8) }
      defer { server.stop() }
      let client = try RawClient(port: server.address.port, isVersion6: address.hasPrefix("["))
      client.send("GET /metrics HTTP/1.1\r\nHost: a\r\n\r\n")
      let text = try client.readToEnd()
      #expect(text.hasPrefix("HTTP/1.1 200 OK\r\n") && text.hasSuffix("\r\n\r\n" + exposition))
    }
  }

  @Test("A head may come in pieces, and one that never ends is refused")
  func pieces() throws {
    let server = try Self.started()
    defer { server.stop() }
    let slow = try RawClient(port: server.address.port)
    for piece in ["GE", "T /metr", "ics HTTP/1.1\r", "\n\r", "\n"] { slow.send(piece) }
    #expect(try slow.readToEnd().hasSuffix("\r\n\r\na 1\n"))
    let endless = try RawClient(port: server.address.port)
    endless.send("GET /metrics HTTP/1.1\r\nX: " + String(repeating: "x", count: 10_000))
    #expect(try endless.readToEnd().hasPrefix("HTTP/1.1 431 "))
  }

  @Test("Clients that say nothing hold up others for their time only, and those that are gone leave nothing")
  func silentClients() throws {
    let server = try Self.started()
    defer { server.stop() }
    let silent = try (0..<ExpositionServer.maximumConnections).map { _ in try RawClient(port: server.address.port) }
    let begin = ContinuousClock.now
    let client = try RawClient(port: server.address.port)
    client.send("GET /metrics HTTP/1.1\r\n\r\n")
    #expect(try client.readToEnd().hasSuffix("a 1\n"))
    #expect(ContinuousClock.now - begin < .milliseconds(3 * ExpositionServer.connectionMilliseconds))
    for client in silent { #expect(try client.readToEnd() == "") }
    for _ in 0..<100 { try RawClient(port: server.address.port).send("GET /met") }
    let last = try RawClient(port: server.address.port)
    last.send("GET /metrics HTTP/1.1\r\n\r\n")
    #expect(try last.readToEnd().hasSuffix("a 1\n"))
  }

  @Test("A port that is taken, and an address that is not this machine's, are refused with one sentence")
  func refused() throws {
    let server = try Self.started()
    defer { server.stop() }
    for (address, reason) in [
      ("127.0.0.1:\(server.address.port)", "Address already in use"),
      ("192.0.2.1:9464", "Cannot assign requested address"),
    ] {
      let error = #expect(throws: ExpositionServer.Failure.self) {
        try ExpositionServer(try #require(ListeningAddress(address)))
      }
      #expect(error?.description == "the metrics cannot be served at \(address): \(reason)")
    }
  }

  @Test("A file is replaced as a whole, and what the file system refuses is told with its path")
  func file() throws {
    let folder = try TemporaryFolder("podflux-exposition")
    let path = folder.path + "/podflux.prom"
    let file = ExpositionFile(path)
    for text in ["# HELP a A\na 1\n", "# HELP b B\nb 2\n"] {
      try file.write(Array(text.utf8))
      #expect(try String(contentsOfFile: path, encoding: .utf8) == text)
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["podflux.prom"])
    // What another program has put where the temporary file goes is neither followed, nor written to, nor waited for.
    try Data("other".utf8).write(to: URL(fileURLWithPath: folder.path + "/other"))
    let others: [(String) throws -> Void] = [
      { try FileManager.default.createSymbolicLink(atPath: $0, withDestinationPath: folder.path + "/other") },
      { try FileManager.default.linkItem(atPath: folder.path + "/other", toPath: $0) },
      { if mkfifo($0, 0o600) != 0 { throw POSIXError(.EIO) } },
    ]
    for place in others {
      try place(path + ".tmp")
      try file.write(Array("# HELP c C\nc 3\n".utf8))
      #expect(try String(contentsOfFile: path, encoding: .utf8) == "# HELP c C\nc 3\n")
      #expect(try String(contentsOfFile: folder.path + "/other", encoding: .utf8) == "other")
    }
    let error = #expect(throws: ExpositionFile.Failure.self) {
      try ExpositionFile(folder.path + "/missing/a.prom").write([])
    }
    #expect(
      error?.description
        == "the metrics cannot be written to \"\(folder.path)/missing/a.prom\": No such file or directory")
  }

  @Test("What is there and is no file of metrics is left as it is")
  func others() throws {
    let folder = try TemporaryFolder("podflux-exposition")
    let path = folder.path + "/podflux.prom"
    try Data("precious".utf8).write(to: URL(fileURLWithPath: folder.path + "/other"))
    let others: [(String) throws -> Void] = [
      { try FileManager.default.createSymbolicLink(atPath: $0, withDestinationPath: folder.path + "/other") },
      { try FileManager.default.createSymbolicLink(atPath: $0, withDestinationPath: "/nowhere") },
      { try FileManager.default.linkItem(atPath: folder.path + "/other", toPath: $0) },
      { try FileManager.default.createDirectory(atPath: $0, withIntermediateDirectories: false) },
      { if mkfifo($0, 0o600) != 0 { throw POSIXError(.EIO) } },
    ]
    for place in others {
      try place(path)
      let before = try FileManager.default.attributesOfItem(atPath: path)
      #expect(throws: ExpositionFile.Failure.self) { try ExpositionFile(path).write(Array("# HELP a A\n".utf8)) }
      let after = try FileManager.default.attributesOfItem(atPath: path)
      #expect(before[.systemFileNumber] as? Int == after[.systemFileNumber] as? Int)
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() == ["other", "podflux.prom"])
      try FileManager.default.removeItem(atPath: path)
    }
    #expect(try String(contentsOfFile: folder.path + "/other", encoding: .utf8) == "precious")
    // An empty one holds nothing.
    try Data().write(to: URL(fileURLWithPath: path))
    try ExpositionFile(path).write(Array("# HELP a A\n".utf8))
  }
}

/// A connection to a server on loopback.
private final class RawClient {
  private let socket: Int32

  init(port: UInt16, isVersion6: Bool = false) throws {
    socket = Foundation.socket(isVersion6 ? AF_INET6 : AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var result: Int32
    if isVersion6 {
      var address = sockaddr_in6()
      address.sin6_family = sa_family_t(AF_INET6)
      address.sin6_port = port.bigEndian
      address.sin6_addr = in6addr_loopback
      result = Self.connect(socket, &address)
    } else {
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_port = port.bigEndian
      address.sin_addr.s_addr = inet_addr("127.0.0.1")
      result = Self.connect(socket, &address)
    }
    guard result == 0 else { throw PodfluxProcess.Failure("no connection: \(String(cString: strerror(errno)))") }
  }

  deinit { close(socket) }

  private static func connect<Address>(_ socket: Int32, _ address: inout Address) -> Int32 {
    withUnsafePointer(to: &address) { address in
      address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        Foundation.connect(socket, $0, socklen_t(MemoryLayout<Address>.size))
      }
    }
  }

  func send(_ text: String) {
    let bytes = Array(text.utf8)
    _ = Foundation.send(socket, bytes, bytes.count, Int32(MSG_NOSIGNAL))
  }

  /// What comes until the server closes, which must be within 30 s.
  func readToEnd() throws -> String {
    var received: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 64 << 10)
    while true {
      var watched = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
      guard poll(&watched, 1, 30_000) > 0 else { throw PodfluxProcess.Failure("the server does not close") }
      let count = recv(socket, &piece, piece.count, 0)
      guard count > 0 else { return String(decoding: received, as: UTF8.self) }
      received += piece.prefix(count)
    }
  }
}
