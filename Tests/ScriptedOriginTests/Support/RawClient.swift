import Glibc

/// A client that reads the exact bytes on the wire.
final class RawClient {
  enum Failure: Error {
    case cannotConnect(Int32)
    case timedOut
    case endedInsideHead(String)
    case endedInsideBody(received: Int)
  }

  /// How a connection ended.
  enum Ending {
    case closed
    case reset
  }

  /// A connection that hangs fails the test; a busy machine does not.
  private static let timeout = timeval(tv_sec: 60, tv_usec: 0)

  private let socket: Int32
  private var unread: [UInt8] = []
  private(set) var ending: Ending?

  init(port: Int) throws {
    socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var timeout = Self.timeout
    setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = in_port_t(port).bigEndian
    address.sin_addr.s_addr = inet_addr("127.0.0.1")
    let result = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard result == 0 else { throw Failure.cannotConnect(errno) }
  }

  deinit {
    close(socket)
  }

  func send(_ text: String) {
    let bytes = Array(text.utf8)
    _ = Glibc.send(socket, bytes, bytes.count, Int32(MSG_NOSIGNAL))
  }

  func sendRequest(_ path: String, method: String = "GET", headers: [String: String] = [:]) {
    let fields = headers.map { "\($0.key): \($0.value)\r\n" }.joined()
    send("\(method) \(path) HTTP/1.1\r\nHost: test\r\n\(fields)\r\n")
  }

  /// The status and the header fields, with lower-case names.
  func readHead() throws -> (status: Int, headers: [String: String]) {
    while true {
      if let end = unread.endOfHead {
        let lines = String(decoding: unread[..<end], as: UTF8.self).split(separator: "\r\n")
        unread.removeFirst(end)
        return (Int(lines[0].split(separator: " ")[1]) ?? 0, Self.fields(lines.dropFirst()))
      }
      guard try receive() else { throw Failure.endedInsideHead(String(decoding: unread, as: UTF8.self)) }
    }
  }

  func readBody(_ byteCount: Int) throws -> [UInt8] {
    while unread.count < byteCount {
      guard try receive() else { throw Failure.endedInsideBody(received: unread.count) }
    }
    defer { unread.removeFirst(byteCount) }
    return Array(unread[..<byteCount])
  }

  /// Everything up to the end of the connection.
  func readToEnd() throws -> [UInt8] {
    while try receive() {}
    defer { unread = [] }
    return unread
  }

  private func receive() throws -> Bool {
    guard ending == nil else { return false }
    var chunk = [UInt8](repeating: 0, count: 256 * 1024)
    let count = recv(socket, &chunk, chunk.count, 0)
    let error = errno
    switch count {
    case 0: ending = .closed
    case 1...: unread.append(contentsOf: chunk[..<count])
    case _ where error == ECONNRESET: ending = .reset
    default: throw Failure.timedOut
    }
    return ending == nil
  }

  private static func fields(_ lines: ArraySlice<Substring>) -> [String: String] {
    var fields: [String: String] = [:]
    for line in lines {
      let parts = line.split(separator: ":", maxSplits: 1)
      fields[parts[0].lowercased()] = String(parts[1].drop { $0 == " " })
    }
    return fields
  }
}

extension [UInt8] {
  fileprivate var endOfHead: Int? {
    let mark = Array("\r\n\r\n".utf8)
    return indices.dropLast(3).first { self[$0..<$0 + 4].elementsEqual(mark) }.map { $0 + 4 }
  }
}
