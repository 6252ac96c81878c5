import Crypto
import Foundation
import ScriptedOrigin

/// Integrity metadata for the content (Subresource Integrity section 3.1).
extension Body {
  var integrity: String { "sha256-" + digest(SHA256()) }
  var integrity384: String { "sha384-" + digest(SHA384()) }
  var integrity512: String { "sha512-" + digest(SHA512()) }

  private func digest<Hash: HashFunction>(_ empty: Hash) -> String {
    var hasher = empty
    forEachChunk { hasher.update(bufferPointer: $0) }
    return Data(hasher.finalize()).base64EncodedString()
  }
}
