import CTLS

/// An origin's certificate and key, and the authority that its clients must trust.
package struct TLSMaterial: Sendable {
  /// The PEM file of the server's certificate.
  package let certificatePath: String
  /// The PEM file of the server's private key.
  package let privateKeyPath: String
  /// The PEM file of the authority that signed the certificate, which clients must trust.
  package let authorityPath: String

  /// The files are read when an origin starts.
  package init(certificatePath: String, privateKeyPath: String, authorityPath: String) {
    self.certificatePath = certificatePath
    self.privateKeyPath = privateKeyPath
    self.authorityPath = authorityPath
  }

  /// The test material in `Fixtures/tls`, for localhost, 127.0.0.1 and ::1.
  package static var fixture: TLSMaterial {
    TLSMaterial(
      certificatePath: Fixtures.path("tls/server.pem"),
      privateKeyPath: Fixtures.path("tls/server-key.pem"),
      authorityPath: Fixtures.path("tls/ca.pem"))
  }
}

/// What all connections of an origin share: its certificate, its key, and the protocols that it offers (ALPN, RFC
/// 7301).
///
/// OpenSSL counts the references to a context with atomic operations; nothing changes it after its initializer.
final class TLSContext: @unchecked Sendable {
  private let context: OpaquePointer
  private let protocols: UnsafeMutablePointer<CTLSProtocols>

  init(_ material: TLSMaterial, applicationProtocols: [String] = ["http/1.1"]) throws(OriginError) {
    let list = applicationProtocols.flatMap { [UInt8($0.utf8.count)] + Array($0.utf8) }
    let bytes = UnsafeMutablePointer<UInt8>.allocate(capacity: list.count)
    bytes.initialize(from: list, count: list.count)
    protocols = .allocate(capacity: 1)
    protocols.initialize(to: CTLSProtocols(bytes: bytes, length: UInt32(list.count)))
    guard let context = ctls_make_context(material.certificatePath, material.privateKeyPath, protocols) else {
      Self.free(protocols)
      throw OriginError.unusableTLSMaterial(material)
    }
    self.context = context
  }

  deinit {
    SSL_CTX_free(context)
    Self.free(protocols)
  }

  private static func free(_ protocols: UnsafeMutablePointer<CTLSProtocols>) {
    protocols.pointee.bytes.deallocate()
    protocols.deallocate()
  }

  /// The server's end of a new connection; its owner frees it.
  func makeConnection() -> OpaquePointer {
    guard let connection = ctls_make_connection(context) else { preconditionFailure("there is no memory for TLS") }
    return connection
  }
}
