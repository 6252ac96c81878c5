import Foundation
import Glibc
import Synchronization

/// A forward proxy on 127.0.0.1 (RFC 9110 sections 3.7 and 9.3.6): forwards requests in absolute form, and tunnels for
/// CONNECT. It may require a password, and logs its requests.
///
/// It uses one thread per connection: it is for a few requests, not for load.
package final class ScriptedProxy: Sendable {
  /// A received request.
  package struct Request: Sendable, Hashable {
    /// GET or CONNECT.
    package let method: String
    /// An absolute URL, or for CONNECT a host and port.
    package let target: String
    /// The fields, as received.
    package let fields: [String]
  }

  /// The port on which it listens.
  package let port: Int
  private let listener: TCPSocket
  private let authorization: String?
  private let log = Mutex<[Request]>([])

  /// Starts a proxy.
  ///
  /// - Parameter credentials: `user:password`, without which it answers 407; nil to require none.
  package static func start(credentials: String? = nil) throws -> ScriptedProxy {
    let proxy = try ScriptedProxy(credentials)
    Thread.detachNewThread { [listener = proxy.listener, weak proxy] in
      while let client = listener.accept() {
        Thread.detachNewThread { [weak proxy] in proxy?.serve(client) }
      }
    }
    return proxy
  }

  private init(_ credentials: String?) throws {
    listener = try TCPSocket(listeningOnBacklog: 64)
    port = listener.port
    authorization = credentials.map { "Proxy-Authorization: Basic " + Data($0.utf8).base64EncodedString() }
  }

  deinit {
    listener.shutDown()
  }

  /// The requests, oldest first, with the refused ones.
  package var requests: [Request] { log.withLock { $0 } }

  // MARK: One connection

  private func serve(_ client: TCPSocket) {
    guard let head = client.readHead() else { return }
    var lines = head.components(separatedBy: "\r\n").filter { !$0.isEmpty }
    guard !lines.isEmpty else { return }
    let words = lines.removeFirst().split(separator: " ").map(String.init)
    guard words.count == 3 else { return }
    log.withLock { $0.append(Request(method: words[0], target: words[1], fields: lines)) }
    guard authorization.map(lines.contains) ?? true else {
      client.send(
        "HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic\r\nContent-Length: 0\r\n\r\n")
      return
    }
    words[0] == "CONNECT" ? tunnel(client, to: words[1]) : passOn(client, words, lines)
  }

  private func tunnel(_ client: TCPSocket, to authority: String) {
    guard let origin = TCPSocket(connectedTo: authority) else { return refuse(client) }
    client.send("HTTP/1.1 200 Connection established\r\n\r\n")
    TCPSocket.join(client, origin)
  }

  /// Each connection forwards one request, so that the proxy need not parse the answer.
  private func passOn(_ client: TCPSocket, _ words: [String], _ lines: [String]) {
    guard let url = URLComponents(string: words[1]), url.scheme == "http", let host = url.host,
      let origin = TCPSocket(connectedTo: "\(host):\(url.port ?? 80)")
    else { return refuse(client) }
    let target = url.percentEncodedPath + (url.percentEncodedQuery.map { "?" + $0 } ?? "")
    let fields = lines.filter { !$0.hasPrefix("Proxy-") && !$0.hasPrefix("Connection:") } + ["Connection: close"]
    origin.send("\(words[0]) \(target) HTTP/1.1\r\n" + fields.joined(separator: "\r\n") + "\r\n\r\n")
    TCPSocket.join(client, origin)
  }

  private func refuse(_ client: TCPSocket) {
    client.send("HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\n\r\n")
  }
}

/// A blocking socket of the loopback interface; deinit closes it.
private final class TCPSocket: Sendable {
  private static let maximumHeadBytes = 64 * 1024

  private let descriptor: Int32

  private init(_ descriptor: Int32) {
    self.descriptor = descriptor
  }

  deinit {
    close(descriptor)
  }

  init(listeningOnBacklog backlog: Int32) throws {
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    guard Loopback.withAddress(port: 0, { bind(descriptor, $0, $1) }) == 0, listen(descriptor, backlog) == 0 else {
      throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)
    }
  }

  /// Connects to 127.0.0.1 for any name: the tests have no other machine.
  init?(connectedTo authority: String) {
    guard let port = authority.split(separator: ":").last.flatMap({ UInt16($0) }) else { return nil }
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    guard Loopback.withAddress(port: port, { connect(descriptor, $0, $1) }) == 0 else { return nil }
  }

  var port: Int {
    var address = sockaddr_in()
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    _ = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
    }
    return Int(UInt16(bigEndian: address.sin_port))
  }

  /// The next connection; nil after the listener was shut down.
  func accept() -> TCPSocket? {
    let accepted = Glibc.accept(descriptor, nil, nil)
    return accepted >= 0 ? TCPSocket(accepted) : nil
  }

  func shutDown() {
    shutdown(descriptor, Int32(SHUT_RDWR))
  }

  func readHead() -> String? {
    var head: [UInt8] = []
    var byte: UInt8 = 0
    while !head.suffix(4).elementsEqual("\r\n\r\n".utf8) {
      guard head.count < Self.maximumHeadBytes, recv(descriptor, &byte, 1, 0) == 1 else { return nil }
      head.append(byte)
    }
    return String(decoding: head, as: UTF8.self)
  }

  func send(_ text: String) {
    _ = send(Array(text.utf8)[...])
  }

  /// Whether all bytes were sent.
  private func send(_ bytes: ArraySlice<UInt8>) -> Bool {
    var rest = bytes
    while !rest.isEmpty {
      let sent = rest.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
      guard sent > 0 else { return false }
      rest = rest.dropFirst(sent)
    }
    return true
  }

  /// Forwards bytes in both directions until one side has ended.
  static func join(_ one: TCPSocket, _ other: TCPSocket) {
    var watched = [one, other].map { pollfd(fd: $0.descriptor, events: Int16(POLLIN), revents: 0) }
    var piece = [UInt8](repeating: 0, count: 64 * 1024)
    while poll(&watched, 2, -1) > 0 {
      for (index, sockets) in [(one, other), (other, one)].enumerated() where watched[index].revents != 0 {
        let count = recv(sockets.0.descriptor, &piece, piece.count, 0)
        guard count > 0, sockets.1.send(piece[..<count]) else { return }
      }
    }
  }
}
