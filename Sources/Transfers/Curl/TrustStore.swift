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
    let system = Self.builtInBundlePath
    isComplete = system != nil
    guard let added = configuration.addedAuthorities else {
      bundlePath = system
      if let stale = configuration.bundlePath { unlink(stale) }
      return
    }
    guard let path = configuration.bundlePath else {
      preconditionFailure("authorities are added, but there is no place for the bundle")
    }
    var bundle: [UInt8] = []
    if let system {
      guard let contents = FileManager.default.contents(atPath: system) else {
        throw .bundleRefused(path: system, errno: errno)
      }
      bundle += contents + [UInt8(ascii: "\n")]
    }
    bundle += added.text.utf8
    try Self.write(bundle, to: path)
    bundlePath = path
  }

  private static var builtInBundlePath: String? {
    guard let path = ccurl_version().pointee.cainfo, access(path, R_OK) == 0 else { return nil }
    return String(cString: path)
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
