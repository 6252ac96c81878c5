import CCurl
import Foundation
import ScriptedOrigin
import TestSupport
import Testing

@testable import Transfers

@Suite("A file of certificate authorities")
struct CertificateAuthoritiesTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder("podflux-authorities")
  }

  private var fixture: String {
    get throws { try String(contentsOfFile: TLSMaterial.fixture.authorityPath, encoding: .utf8) }
  }

  private func authorities(_ text: String) throws -> CertificateAuthorities {
    let path = folder.path + "/given.pem"
    try Data(text.utf8).write(to: URL(fileURLWithPath: path))
    return try CertificateAuthorities(contentsOfFile: path)
  }

  @Test("is read certificate by certificate, with any text between them")
  func several() throws {
    let one = try authorities(fixture).text
    #expect(one.hasPrefix("-----BEGIN CERTIFICATE-----\n") && one.hasSuffix("-----END CERTIFICATE-----\n"))
    let key = try String(contentsOfFile: TLSMaterial.fixture.privateKeyPath, encoding: .utf8)
    let untidy = try "A note\r\n" + fixture.replacing("\n", with: "\r\n") + key + "another\n" + fixture
    #expect(try authorities(untidy).text == one + one)
  }

  @Test(
    "without a certificate is refused",
    arguments: ["", "hello", "-----BEGIN CERTIFICATE REQUEST-----\nAAAA\n-----END CERTIFICATE REQUEST-----\n"])
  func empty(text: String) throws {
    let fault = #expect(throws: CertificateAuthorities.Fault.self) { try authorities(text) }
    #expect(fault?.description.contains("holds no PEM certificate") == true)
  }

  @Test(
    "with a damaged certificate is refused",
    arguments: [
      // Cut short, no base64, and DER of something else.
      "-----BEGIN CERTIFICATE-----\nMIIB\n", "-----BEGIN CERTIFICATE-----\n!\n-----END CERTIFICATE-----\n",
      "-----BEGIN CERTIFICATE-----\nMAA=\n-----END CERTIFICATE-----\n",
      "-----BEGIN CERTIFICATE-----\n-----END CERTIFICATE-----\n",
    ])
  func damaged(text: String) throws {
    let fault = #expect(throws: CertificateAuthorities.Fault.self) { try authorities(fixture + text) }
    #expect(fault?.description.contains("certificate 2") == true)
  }

  @Test("that cut in two is no certificate any more, wherever the cut is")
  func cut() throws {
    let lines = try fixture.split(separator: "\n")
    for count in 1..<lines.count - 1 {
      let text = (lines.prefix(count) + lines.suffix(1)).joined(separator: "\n")
      #expect(throws: CertificateAuthorities.Fault.self) { try authorities(text) }
    }
  }

  @Test("that cannot be read, or is too long, is refused by its name")
  func unreadable() throws {
    for path in [folder.path + "/missing.pem", folder.path, "/dev/zero"] {
      let fault = #expect(throws: CertificateAuthorities.Fault.self) {
        try CertificateAuthorities(contentsOfFile: path)
      }
      #expect(fault?.description.contains(path) == true)
    }
  }

  @Test("is added to the system's in a private file, which goes when no authority is added any more")
  func bundle() throws {
    let path = folder.path + "/bundle.pem"
    try Data("left by a crash".utf8).write(to: URL(fileURLWithPath: path + ".new"))
    let added = try authorities(fixture)
    let store = try TrustStore(.init(addedAuthorities: added, bundlePath: path))
    #expect(store.bundlePath == path)
    let system = try #require(ccurl_version().pointee.cainfo.map { String(cString: $0) })
    let expected = try Data(contentsOf: URL(fileURLWithPath: system)) + Data(("\n" + added.text).utf8)
    #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == expected)
    let permissions = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    #expect(permissions == 0o600)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() == ["bundle.pem", "given.pem"])

    #expect(try TrustStore(.init(bundlePath: path)).bundlePath == system)
    #expect(!FileManager.default.fileExists(atPath: path))
  }

  @Test("has no bundle where the folder does not take one")
  func refusedBundle() throws {
    let path = folder.path + "/missing/bundle.pem"
    let added = try authorities(fixture)
    let error = CurlDriver.SetupError.bundleRefused(path: path + ".new", errno: ENOENT)
    #expect(throws: error) { try TrustStore(.init(addedAuthorities: added, bundlePath: path)) }
    #expect("\(error)" == "\"\(path).new\" cannot be written: No such file or directory")
  }
}
