import Foundation
import ScriptedOrigin

/// Integrity metadata for the content (Subresource Integrity section 3.1).
extension Body {
  var integrity: String { "sha256-" + Data(digest(.sha256)).base64EncodedString() }
  var integrity384: String { "sha384-" + Data(digest(.sha384)).base64EncodedString() }
  var integrity512: String { "sha512-" + Data(digest(.sha512)).base64EncodedString() }
}
