import Foundation

/// An address that a server listens on: a host's address, and a port.
package struct ListeningAddress: Hashable, Sendable, CustomStringConvertible {
  /// In network byte order.
  private enum Host: Hashable {
    case version4(in_addr_t)
    case version6([UInt8])
  }

  private let host: Host
  let port: UInt16

  private init(_ host: Host, port: UInt16) {
    self.host = host
    self.port = port
  }

  /// Parses `127.0.0.1:9464`, `[::1]:9464`, `localhost:9464` or `:9464`; without a host it is loopback's. Nil for other
  /// text; names are not looked up.
  package init?(_ text: String) {
    guard let colon = text.lastIndex(of: ":") else { return nil }
    let (name, digits) = (text[..<colon], text[text.index(after: colon)...])
    guard (1...5).contains(digits.utf8.count), digits.utf8.allSatisfy({ (48...57).contains($0) }),
      let port = UInt16(digits), let host = Self.host(name)
    else { return nil }
    self.init(host, port: port)
  }

  private static func host(_ name: Substring) -> Host? {
    if name.hasPrefix("["), name.hasSuffix("]") {
      var address = in6_addr()
      guard inet_pton(AF_INET6, String(name.dropFirst().dropLast()), &address) == 1 else { return nil }
      return .version6(withUnsafeBytes(of: &address) { Array($0) })
    }
    var address = in_addr()
    let text = name.isEmpty || name == "localhost" ? "127.0.0.1" : String(name)
    return inet_pton(AF_INET, text, &address) == 1 ? .version4(address.s_addr) : nil
  }

  package var description: String {
    var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
    switch host {
    case .version4(var address):
      inet_ntop(AF_INET, &address, &text, socklen_t(text.count))
      return "\(Self.string(text)):\(port)"
    case .version6(let address):
      _ = address.withUnsafeBytes { inet_ntop(AF_INET6, $0.baseAddress, &text, socklen_t(text.count)) }
      return "[\(Self.string(text))]:\(port)"
    }
  }

  private static func string(_ text: [CChar]) -> String {
    String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  // MARK: Sockets

  /// A socket of this address's family; the errno, negative, if there is none.
  func makeSocket() -> Int32 {
    let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
    let descriptor =
      switch host {
      case .version4: socket(AF_INET, kind, 0)
      case .version6: socket(AF_INET6, kind, 0)
      }
    return descriptor < 0 ? -errno : descriptor
  }

  /// Binds a socket; the errno, 0 if that has succeeded.
  func bind(_ descriptor: Int32) -> Int32 {
    switch host {
    case .version4(let host):
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_port = port.bigEndian
      address.sin_addr.s_addr = host
      return Self.bind(descriptor, to: &address)
    case .version6(let host):
      var address = sockaddr_in6()
      address.sin6_family = sa_family_t(AF_INET6)
      address.sin6_port = port.bigEndian
      withUnsafeMutableBytes(of: &address.sin6_addr) { $0.copyBytes(from: host) }
      return Self.bind(descriptor, to: &address)
    }
  }

  private static func bind<Address>(_ descriptor: Int32, to address: inout Address) -> Int32 {
    withUnsafePointer(to: &address) { address in
      address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        Foundation.bind(descriptor, $0, socklen_t(MemoryLayout<Address>.size)) == 0 ? 0 : errno
      }
    }
  }

  /// The same address with the port that the system has chosen, if this one's is 0.
  func bound(to descriptor: Int32) -> ListeningAddress {
    var address = sockaddr_in6()
    var length = socklen_t(MemoryLayout<sockaddr_in6>.size)
    let result = withUnsafeMutablePointer(to: &address) { address in
      address.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
    }
    // The port stands at the same place in both families' addresses.
    return result == 0 ? ListeningAddress(host, port: UInt16(bigEndian: address.sin6_port)) : self
  }
}
