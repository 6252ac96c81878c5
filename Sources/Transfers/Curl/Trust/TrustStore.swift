import CCurl
import Foundation
import Glibc

/// The authorities that TLS trusts: the system's and added ones. Verification cannot be switched off.
struct TrustStore: Sendable {
  /// A PEM file of authorities; nil for libcurl's default.
  let bundlePath: String?
  /// Whether the bundle is complete; otherwise libcurl's default folder counts as well.
  let isComplete: Bool

  /// The bundle that libcurl was built for, if it exists; with added authorities, a copy of it at the given path,
  /// followed by these.
  ///
  /// It is one file, since libcurl caches a single file for a day, and reads other sources again for each connection.
  /// It replaces or removes the copy of an earlier engine.
  init(_ configuration: CurlDriver.Configuration) throws(CurlDriver.SetupError) {
    let system = Self.readable(configuration.systemBundlePath)
    isComplete = system != nil
    if let path = configuration.bundlePath {
      unlink(path)
      unlink(path + Self.renewedSuffix)
    }
    guard let added = configuration.addedAuthorities else {
      bundlePath = system
      return
    }
    guard let path = configuration.bundlePath else {
      preconditionFailure("authorities are added, but there is no place for the bundle")
    }
    try Self.write(try Self.bundle(of: system, and: added), to: path)
    bundlePath = path
  }

  private init(bundlePath: String?, isComplete: Bool) {
    self.bundlePath = bundlePath
    self.isComplete = isComplete
  }

  /// The suffix of the bundle's name at every second renewal.
  private static let renewedSuffix = ".renewed"

  /// The trust store with the system's current authorities; nil if they are unchanged.
  ///
  /// libcurl caches a file for a day, by its path: the new bundle gets another path, and the old one stays as long as
  /// an exchange may be about to read it. libcurl reads the system's own bundle again after that day.
  func renewed(_ configuration: CurlDriver.Configuration) throws(CurlDriver.SetupError) -> TrustStore? {
    let system = Self.readable(configuration.systemBundlePath)
    guard let added = configuration.addedAuthorities, let path = configuration.bundlePath else {
      return system == bundlePath ? nil : TrustStore(bundlePath: system, isComplete: system != nil)
    }
    let bundle = try Self.bundle(of: system, and: added)
    let present = bundlePath.flatMap { FileManager.default.contents(atPath: $0) }
    guard present.map({ [UInt8]($0) != bundle }) ?? true else { return nil }
    let next = bundlePath == path ? path + Self.renewedSuffix : path
    try Self.write(bundle, to: next)
    return TrustStore(bundlePath: next, isComplete: system != nil)
  }

  private static func bundle(
    of system: String?, and added: CertificateAuthorities
  ) throws(CurlDriver.SetupError) -> [UInt8] {
    guard let system else { return Array(added.text.utf8) }
    guard let contents = FileManager.default.contents(atPath: system) else {
      throw .bundleRefused(path: system, errno: errno)
    }
    return contents + [UInt8(ascii: "\n")] + added.text.utf8
  }

  private static func readable(_ path: String?) -> String? {
    path.flatMap { access($0, R_OK) == 0 ? $0 : nil }
  }

  /// The bundle that libcurl was built for; nil if it has none.
  static var builtInBundlePath: String? {
    ccurl_version().pointee.cainfo.map { String(cString: $0) }
  }

  /// Writes a private file atomically. It does not sync: the next start writes it again.
  private static func write(_ bytes: [UInt8], to path: String) throws(CurlDriver.SetupError) {
    let temporary = path + ".new"
    unlink(temporary)
    let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw .bundleRefused(path: temporary, errno: errno) }
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      guard count > 0 else { break }
      rest = rest.dropFirst(count)
    }
    let isClosed = close(descriptor) == 0
    guard isClosed, rest.isEmpty, rename(temporary, path) == 0 else {
      let failure = errno
      unlink(temporary)
      throw .bundleRefused(path: path, errno: failure)
    }
  }
}
