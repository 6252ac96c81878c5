import CCrypto

/// A digest by which tests and the demo recognise content. It uses another interface of libcrypto than the product
/// does.
package final class MessageDigest {
  /// The name that libcrypto has for an algorithm.
  package enum Algorithm: String, Sendable {
    case md5 = "MD5"
    case sha1 = "SHA1"
    case sha256 = "SHA256"
    case sha384 = "SHA384"
    case sha512 = "SHA512"
  }

  private let context = EVP_MD_CTX_new()

  /// A digest of nothing.
  package init(_ algorithm: Algorithm = .sha256) {
    Self.require(EVP_DigestInit_ex(context, EVP_get_digestbyname(algorithm.rawValue), nil))
  }

  deinit {
    EVP_MD_CTX_free(context)
  }

  /// Hashes further bytes.
  package func update(_ bytes: UnsafeRawBufferPointer) {
    Self.require(EVP_DigestUpdate(context, bytes.baseAddress, bytes.count))
  }

  /// The digest of all bytes. No more may follow.
  package func finalize() -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: Int(EVP_MAX_MD_SIZE)) { digest, count in
      var length: UInt32 = 0
      Self.require(EVP_DigestFinal_ex(context, digest.baseAddress, &length))
      count = Int(length)
    }
  }

  /// Fails only without memory, or where a policy of the machine forbids the algorithm.
  private static func require(_ result: Int32) {
    precondition(result == 1, "libcrypto computes no digest")
  }
}

extension MessageDigest {
  /// The digest of a whole message.
  package static func digest(of bytes: some Sequence<UInt8>, _ algorithm: Algorithm = .sha256) -> [UInt8] {
    let digest = MessageDigest(algorithm)
    Array(bytes).withUnsafeBytes { digest.update($0) }
    return digest.finalize()
  }

  /// The hexadecimal digits of the digest of a whole message.
  package static func digestText(of bytes: some Sequence<UInt8>, _ algorithm: Algorithm = .sha256) -> String {
    text(of: digest(of: bytes, algorithm))
  }

  /// A digest's hexadecimal digits, in lower case.
  package static func text(of digest: [UInt8]) -> String {
    let digits = Array("0123456789abcdef")
    return String(digest.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] })
  }
}

extension Body {
  /// The digest of the whole content.
  package func digest(_ algorithm: MessageDigest.Algorithm = .sha256) -> [UInt8] {
    let digest = MessageDigest(algorithm)
    forEachChunk { digest.update($0) }
    return digest.finalize()
  }
}
