import CCurl
import Glibc

/// Whom TLS trusts: a bundle of certificates in one file. There is no way to trust everybody.
struct TrustStore: Sendable {
  /// Nil leaves libcurl to its built-in ways.
  let bundlePath: String?

  /// The file given, or else the bundle that libcurl was built for, if it is there.
  init(certificateAuthorityFile: String?) {
    bundlePath = certificateAuthorityFile ?? Self.builtInBundlePath
  }

  private static var builtInBundlePath: String? {
    guard let path = ccurl_version().pointee.cainfo, access(path, R_OK) == 0 else { return nil }
    return String(cString: path)
  }
}
