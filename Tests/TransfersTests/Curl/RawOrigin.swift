import Foundation
import Glibc
import Synchronization

/// A server of a few lines that sends exactly the bytes it is told to, on a port of its own of the loopback interface.
final class RawOrigin: Sendable {
  let port: UInt16
  private let listener: Int32

  /// Serves every connection on a thread of its own. It listens on 127.0.0.1, or on every address.
  init(everywhere: Bool = false, _ serve: @escaping @Sendable (RawConnection) -> Void) throws {
    let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = everywhere ? 0 : UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isListening = withUnsafeMutableBytes(of: &address) { bytes in
      guard let pointer = bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self) else { return false }
      return bind(listener, pointer, length) == 0 && listen(listener, 512) == 0
        && getsockname(listener, pointer, &length) == 0
    }
    guard isListening else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
    self.listener = listener
    port = UInt16(bigEndian: address.sin_port)
    Thread.detachNewThread {
      while true {
        let accepted = accept(listener, nil, nil)
        guard accepted >= 0 else { break }
        Thread.detachNewThread {
          serve(RawConnection(descriptor: accepted))
          close(accepted)
        }
      }
      close(listener)
    }
  }

  deinit { shutdown(listener, Int32(SHUT_RDWR)) }

  func url(_ path: String = "/", host: String = "127.0.0.1") -> String { "http://\(host):\(port)\(path)" }

  /// Answers every request of a connection by its path; nil closes it.
  static func answering(_ answer: @escaping @Sendable (String) -> String?) throws -> RawOrigin {
    try RawOrigin { connection in
      while let head = connection.readHead(), let reply = answer(head) { connection.send(reply) }
    }
  }
}

struct RawConnection {
  let descriptor: Int32

  /// Who is at the other end, as 1.2.3.4.
  var peer: String {
    var address = sockaddr_in()
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isKnown = withUnsafeMutableBytes(of: &address) { bytes in
      guard let pointer = bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self) else { return false }
      return getpeername(descriptor, pointer, &length) == 0
    }
    guard isKnown else { return "nobody" }
    return withUnsafeBytes(of: address.sin_addr) { $0.map(String.init).joined(separator: ".") }
  }

  /// The request line and the fields; nil when the client has gone.
  func readHead() -> String? {
    var head: [UInt8] = []
    var byte: UInt8 = 0
    while !head.suffix(4).elementsEqual("\r\n\r\n".utf8) {
      guard recv(descriptor, &byte, 1, 0) == 1 else { return nil }
      head.append(byte)
    }
    return String(decoding: head, as: UTF8.self)
  }

  /// Reads what comes first.
  func readSome() {
    var bytes = [UInt8](repeating: 0, count: 4096)
    _ = recv(descriptor, &bytes, bytes.count, 0)
  }

  func send(_ text: String) { send(Array(text.utf8)) }

  /// Sends everything, or what goes until the client closes.
  func send(_ bytes: [UInt8]) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let sent = rest.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
      guard sent > 0 else { return }
      rest = rest.dropFirst(sent)
    }
  }

  /// Keeps the connection open, in silence, for as long as the client does.
  func waitForClose() {
    var byte: UInt8 = 0
    while recv(descriptor, &byte, 1, 0) > 0 {}
  }
}

/// A response with a length, and fields given as whole lines.
func response(_ status: String, _ lines: [String] = [], body: String = "") -> String {
  let fields = (lines + ["Content-Length: \(body.utf8.count)"]).joined(separator: "\r\n")
  return "HTTP/1.1 \(status)\r\n\(fields)\r\n\r\n\(body)"
}
