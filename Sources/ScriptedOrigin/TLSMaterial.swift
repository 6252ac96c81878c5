import NIOSSL

/// An origin's certificate and key, and the authority that its clients must trust.
public struct TLSMaterial: Sendable {
  /// The PEM file of the server's certificate.
  public let certificatePath: String
  /// The PEM file of the server's private key.
  public let privateKeyPath: String
  /// The PEM file of the authority that signed the certificate, which clients must trust.
  public let authorityPath: String

  /// The files are read when an origin starts.
  public init(certificatePath: String, privateKeyPath: String, authorityPath: String) {
    self.certificatePath = certificatePath
    self.privateKeyPath = privateKeyPath
    self.authorityPath = authorityPath
  }

  /// The test material in `Fixtures/tls`, for localhost, 127.0.0.1 and ::1.
  public static var fixture: TLSMaterial {
    TLSMaterial(
      certificatePath: Fixtures.path("tls/server.pem"),
      privateKeyPath: Fixtures.path("tls/server-key.pem"),
      authorityPath: Fixtures.path("tls/ca.pem"))
  }

  func makeContext(applicationProtocols: [String] = ["http/1.1"]) throws -> NIOSSLContext {
    var configuration = TLSConfiguration.makeServerConfiguration(
      certificateChain: try NIOSSLCertificate.fromPEMFile(certificatePath).map { .certificate($0) },
      privateKey: .privateKey(try NIOSSLPrivateKey(file: privateKeyPath, format: .pem)))
    configuration.applicationProtocols = applicationProtocols
    return try NIOSSLContext(configuration: configuration)
  }
}
