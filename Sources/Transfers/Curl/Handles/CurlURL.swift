import CCurl

/// A URL parsed by libcurl's own parser, so that checks see the URL that is fetched.
struct CurlURL: Sendable, Hashable {
  /// The whole URL, normalized, without user info and fragment.
  let text: String
  let origin: Origin
  let credentials: Credentials?

  /// The origin (RFC 6454): client headers are sent only to the first one.
  struct Origin: Sendable, Hashable {
    let scheme: String
    let host: String
    let port: String
    var isSupported: Bool { scheme == "http" || scheme == "https" }
    var isSecure: Bool { scheme == "https" }
  }

  struct Credentials: Sendable, Hashable {
    let user: String
    let password: String
  }

  /// Parses a URL, resolved against `base` if there is one (RFC 3986 section 5); nil if it is malformed.
  ///
  /// It accepts any scheme, so that the caller can report a wrong one.
  init?(_ text: String, relativeTo base: CurlURL? = nil) {
    guard let handle = curl_url() else { return nil }
    defer { curl_url_cleanup(handle) }
    let flags = UInt32(CURLU_NON_SUPPORT_SCHEME | CURLU_URLENCODE | CURLU_ALLOW_SPACE)
    if let base, curl_url_set(handle, CURLUPART_URL, base.text, flags) != CURLUE_OK { return nil }
    // A C string ends at a zero byte: libcurl would check only a part of the text.
    guard !text.utf8.contains(0), curl_url_set(handle, CURLUPART_URL, text, flags) == CURLUE_OK else { return nil }

    let user = Self.part(CURLUPART_USER, of: handle, flags: CURLU_URLDECODE)
    let password = Self.part(CURLUPART_PASSWORD, of: handle, flags: CURLU_URLDECODE)
    credentials = user.map { Credentials(user: $0, password: password ?? "") }
    for secret in [CURLUPART_USER, CURLUPART_PASSWORD, CURLUPART_OPTIONS, CURLUPART_FRAGMENT] {
      guard curl_url_set(handle, secret, nil, 0) == CURLUE_OK else { return nil }
    }

    guard let whole = Self.part(CURLUPART_URL, of: handle), let scheme = Self.part(CURLUPART_SCHEME, of: handle) else {
      return nil
    }
    self.text = whole
    origin = Origin(
      scheme: scheme.lowercased(),
      host: Self.part(CURLUPART_HOST, of: handle)?.lowercased() ?? "",
      port: Self.part(CURLUPART_PORT, of: handle, flags: CURLU_DEFAULT_PORT) ?? "")
  }

  /// The URL with its text changed; nil if it would lead to another origin.
  func changed(by change: (String) -> String) -> CurlURL? {
    let changed = change(text)
    return changed == text ? self : CurlURL(changed).flatMap { $0.origin == origin ? $0 : nil }
  }

  /// The URL with a user name; nil if libcurl does not take that.
  func text(withUser user: String) -> String? {
    guard let handle = curl_url() else { return nil }
    defer { curl_url_cleanup(handle) }
    guard curl_url_set(handle, CURLUPART_URL, text, 0) == CURLUE_OK,
      curl_url_set(handle, CURLUPART_USER, user, UInt32(CURLU_URLENCODE)) == CURLUE_OK
    else { return nil }
    return Self.part(CURLUPART_URL, of: handle)
  }

  private static func part(_ part: CURLUPart, of handle: OpaquePointer, flags: Int32 = 0) -> String? {
    var value: UnsafeMutablePointer<CChar>?
    guard curl_url_get(handle, part, &value, UInt32(flags)) == CURLUE_OK, let value else { return nil }
    defer { curl_free(value) }
    return String(cString: value)
  }
}
