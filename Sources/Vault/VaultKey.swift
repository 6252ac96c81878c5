import Foundation

/// What seals a vault.
package struct VaultKey: Sendable {
  /// The name of the credential that `systemd` hands over (systemd.exec(5), `LoadCredential=`).
  package static let credentialName = "podflux-key"
  /// How long a key is, in bytes: fewer could be guessed, and no key is longer.
  package static let lengths = 16...4096

  let key: SealingKey

  /// Why there is no key: one sentence.
  package struct Fault: Error, Hashable, CustomStringConvertible {
    package let description: String
  }

  /// The key in a file: its bytes, without line ends at their end.
  package init(contentsOfFile path: String) throws(Fault) {
    let bytes: ArraySlice<UInt8>
    do {
      bytes = try SecretLine.bytes(ofFile: path, atMost: Self.lengths.upperBound, waits: true)
    } catch {
      throw Fault(description: "the key in \"\(path)\" cannot be read: \(error)")
    }
    try self.init(Array(bytes), from: path)
  }

  init(_ bytes: [UInt8], from path: String) throws(Fault) {
    let bytes = SecretLine.trimmed(bytes)
    guard Self.lengths.contains(bytes.count) else {
      throw Fault(
        description: """
          the key in "\(path)" must have \(Self.lengths.lowerBound) to \(Self.lengths.upperBound) bytes; make one with \
          "head -c 32 /dev/urandom"
          """)
    }
    do {
      key = try SealingKey(from: Array(bytes), for: "podflux vault 1")
    } catch {
      throw Fault(description: "libcrypto cannot derive a key from the one in \"\(path)\"")
    }
  }

  /// Where `systemd` has put the key for this process; nil where it has not.
  package static func credentialPath(in environment: [String: String]) -> String? {
    guard let folder = environment["CREDENTIALS_DIRECTORY"], !folder.isEmpty else { return nil }
    let path = folder + "/" + credentialName
    return FileManager.default.fileExists(atPath: path) ? path : nil
  }
}
