import CCurl
import Foundation
import Glibc

/// Whom TLS trusts: the system's authorities, and those that were added. There is no way to trust everybody.
struct TrustStore: Sendable {
  /// A PEM file of authorities; nil leaves libcurl to its built-in ways.
  let bundlePath: String?
  /// Whether the bundle is all there is; otherwise libcurl's built-in folder counts as well.
  let isComplete: Bool

  /// The bundle that libcurl was built for, if it is there; with further authorities a copy of it at the path given, and
  /// these behind it.
  ///
  /// One file, since libcurl keeps what it has read of a single file for a day, and reads everything else anew for each
  /// connection. A copy that an earlier engine has left is replaced, or removed.
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

  /// What stands behind the name of the bundle each other time that it is written.
  private static let renewedSuffix = ".renewed"

  /// The same with the system's authorities as they are now; nil if they are what they were.
  ///
  /// libcurl keeps what it has read of a file for a day, by the file's path: the new bundle gets another one, and the former
  /// stays as long as an exchange may be about to read it. The system's own bundle it reads again by itself when that day is
  /// over.
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

  /// The bundle that libcurl was built for; nil where it knows none.
  static var builtInBundlePath: String? {
    ccurl_version().pointee.cainfo.map { String(cString: $0) }
  }

  /// Puts a private file there at once. It is not synced: the next start writes it anew.
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
