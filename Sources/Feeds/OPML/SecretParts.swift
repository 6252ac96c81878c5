import PodfluxCore

/// The parts of a URL that let its holder in: user name and password, and parameters that are known to be tokens. A token
/// in the path cannot be told from a name.
enum SecretParts {
  /// The address without them. The other parameters keep their order.
  static func removed(from address: WebAddress) -> WebAddress {
    let text = address.redacted
    guard let mark = text.utf8.firstIndex(of: UInt8(ascii: "?")) else { return (try? WebAddress(text)) ?? address }
    let query = Substring(text[mark...].dropFirst().utf8.prefix { $0 != UInt8(ascii: "#") })
    let kept = query.split(separator: "&", omittingEmptySubsequences: false).filter { parameter in
      !names.contains(parameter.prefix { $0 != "=" }.lowercased())
    }
    let rest = kept.isEmpty ? "" : "?" + kept.joined(separator: "&")
    return (try? WebAddress(text[..<mark] + rest + text[query.endIndex...])) ?? address
  }

  /// What may be shown of any text that is meant as a URL: its beginning, without user name and password, query and
  /// fragment.
  static func shown(_ url: String) -> String {
    let scalars = url.unicodeScalars.filter { $0.value >= 0x20 && $0.value != 0x7F }
    var rest = scalars.prefix { $0 != "?" && $0 != "#" }
    let start = rest.firstRange(of: "://".unicodeScalars)?.upperBound ?? rest.startIndex
    let authority = rest[start...].prefix { $0 != "/" && $0 != "\\" }
    if let at = authority.lastIndex(of: "@") { rest.removeSubrange(start...at) }
    return String(String.UnicodeScalarView(rest.prefix(OPMLLimits.maximumRejectedCharacters)))
  }

  /// The names of parameters that carry passwords, tokens, signatures or a person, in lower case.
  static let names: Set<String> = [
    "access_token", "accesstoken", "api-key", "api_key", "apikey", "auth", "auth_key", "auth_token", "authkey",
    "authtoken", "code", "credential", "email", "hmac", "jwt", "key", "key-pair-id", "login", "member", "member_id",
    "pass", "passwd", "password", "policy", "private", "pwd", "secret", "session", "session_id", "sessionid", "sid",
    "sig",
    "sign", "signature", "subscriber", "subscriber_id", "ticket", "token", "user", "user_id", "userid", "username",
    "x-amz-credential", "x-amz-security-token", "x-amz-signature",
  ]
}
