import CCrypto

/// A key of 256 bits for AES-GCM (NIST SP 800-38D). libcrypto does the work.
struct SealingKey: Sendable {
  private let bytes: [UInt8]

  /// What is sealed cannot be had: libcrypto has failed, or the bytes were sealed with another key, or changed.
  struct Failure: Error {}

  /// Derives a key from key material of any length (HKDF-SHA256, RFC 5869).
  ///
  /// - Parameters:
  ///   - material: What is secret, and hard to guess.
  ///   - purpose: What the key is for; another purpose gives another key.
  init(from material: [UInt8], for purpose: String) throws(Failure) {
    var key = [UInt8](repeating: 0, count: Int(ccrypto_key_length))
    let purpose = Array(purpose.utf8)
    guard ccrypto_derive_key(material, material.count, purpose, purpose.count, &key) else { throw Failure() }
    bytes = key
  }

  /// Encrypts: a random nonce, the encrypted bytes, and the tag that authenticates them and the header.
  func seal(_ plain: [UInt8], header: [UInt8]) throws(Failure) -> [UInt8] {
    let length = plain.count + Self.overhead
    var isSealed = false
    let sealed = [UInt8](unsafeUninitializedCapacity: length) { buffer, count in
      isSealed = ccrypto_seal(bytes, header, header.count, plain, plain.count, buffer.baseAddress)
      count = isSealed ? length : 0
    }
    guard isSealed else { throw Failure() }
    return sealed
  }

  /// Decrypts what `seal(_:header:)` returned.
  func open(_ sealed: ArraySlice<UInt8>, header: [UInt8]) throws(Failure) -> [UInt8] {
    let length = sealed.count - Self.overhead
    guard length >= 0 else { throw Failure() }
    var isAuthentic = false
    let plain = sealed.withUnsafeBufferPointer { sealed in
      // libcrypto may write nothing to no memory.
      [UInt8](unsafeUninitializedCapacity: max(1, length)) { buffer, count in
        isAuthentic = ccrypto_open(
          bytes, header, header.count, sealed.baseAddress, sealed.count, buffer.baseAddress)
        count = isAuthentic ? length : 0
      }
    }
    guard isAuthentic else { throw Failure() }
    return plain
  }

  /// How many bytes the nonce and the tag have.
  private static let overhead = Int(ccrypto_nonce_length + ccrypto_tag_length)
}
