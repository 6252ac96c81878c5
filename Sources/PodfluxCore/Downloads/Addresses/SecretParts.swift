/// The parts of a URL that let its holder in: user name and password, and parameters that are known to be tokens. A
/// token in the path cannot be told from a name.
package enum SecretParts {
  /// The names of parameters that carry passwords, tokens, signatures or a person, in lower case; beside them all that
  /// end in a token or name a secret (`isToken`).
  package static let names: Set<String> = [
    "access_token", "accesstoken", "api-key", "api_key", "apikey", "auth", "auth_key", "auth_token", "authkey",
    "authtoken", "bearer", "code", "credential", "credentials", "email", "hdnea", "hdntl", "hdnts", "hmac", "jwt",
    "key", "key-pair-id", "login", "member", "member_id", "pass", "passwd", "password", "policy", "private", "pw",
    "pwd", "secret", "session", "session_id", "sessionid", "sid", "sig", "sign", "signature", "subscriber",
    "subscriber_id", "ticket", "tok", "token", "user", "user_id", "userid", "username", "x-amz-credential",
    "x-amz-security-token", "x-amz-signature",
  ]

  /// What may be shown of any text that is meant as a URL: its beginning, without user name and password, query and
  /// fragment.
  ///
  /// - Parameters:
  ///   - url: Any text.
  ///   - limit: How many characters are shown at most.
  package static func shown(_ url: String, upTo limit: Int) -> String {
    let scalars = url.unicodeScalars.filter { $0.value >= 0x20 && $0.value != 0x7F }
    var rest = scalars.prefix { $0 != "?" && $0 != "#" }
    let start = rest.firstRange(of: "://".unicodeScalars)?.upperBound ?? rest.startIndex
    let authority = rest[start...].prefix { $0 != "/" && $0 != "\\" }
    if let at = authority.lastIndex(of: "@") { rest.removeSubrange(start...at) }
    return String(String.UnicodeScalarView(rest.prefix(limit)))
  }

  /// A text as it may be shown: if it is a URL, as `WebAddress.redacted`. Cost: linear.
  package static func removed(from text: String) -> String { (try? WebAddress(text))?.redacted ?? text }

  /// A URL without the parameters of its query that are known to be tokens; the others keep their order. A query of
  /// which nothing is left goes with its mark, and so does a fragment with a token. Cost: linear.
  static func withoutTokens(_ url: String) -> String {
    QueryText.removing(from: withoutTokenInFragment(url), where: isToken)
  }

  private static func withoutTokenInFragment(_ url: String) -> String {
    guard let mark = url.utf8.firstIndex(of: UInt8(ascii: "#")) else { return url }
    let parameters = url.utf8[url.utf8.index(after: mark)...].split(separator: UInt8(ascii: "&"))
    return parameters.contains(where: isToken) ? String(url[..<mark]) : url
  }

  /// Whether a parameter is known to be a token.
  static func isToken(_ parameter: Substring.UTF8View) -> Bool {
    guard let name = QueryText.name(of: parameter)?.lowercased() else { return false }
    return names.contains(name) || name.hasSuffix("_token") || name.hasSuffix("-token") || name.contains("secret")
  }
}

extension WebAddress {
  /// The URL for display: without user name and password, and without parameters that are known to be tokens
  /// (`SecretParts`). Cost: linear; a URL that has neither is not copied.
  public var redacted: String { SecretParts.withoutTokens(withoutUser) }

  /// Whether it has a user name.
  public var hasUser: Bool { placeOfUser != nil }

  /// The URL with the user name and password of another URL, if both have one origin and this URL has no user name.
  package func withUser(of other: WebAddress) -> WebAddress {
    guard !hasUser, hasOrigin(of: other), let place = other.placeOfUser, let begin = beginOfAuthority else {
      return self
    }
    let (scheme, rest) = (description[..<begin], description[begin...])
    return (try? WebAddress(String(scheme + other.description[place] + rest))) ?? self
  }

  /// The URL without user name and password.
  private var withoutUser: String {
    guard let place = placeOfUser else { return description }
    return String(description[..<place.lowerBound]) + String(description[place.upperBound...])
  }

  /// Where user name and password stand, with the `@` behind them.
  private var placeOfUser: Range<String.Index>? {
    let bytes = description.utf8
    guard bytes.contains(UInt8(ascii: "@")), let begin = beginOfAuthority else { return nil }
    let authority = bytes[begin...].prefix { !"/?#".utf8.contains($0) }
    guard let at = authority.lastIndex(of: UInt8(ascii: "@")) else { return nil }
    return begin..<bytes.index(after: at)
  }

  /// Where the authority begins. By bytes, as in `init`: a slash with a combining accent is one Character.
  private var beginOfAuthority: String.Index? {
    let bytes = description.utf8
    return bytes.firstIndex(of: UInt8(ascii: ":")).map { bytes.index($0, offsetBy: 3) }
  }
}
