/// The head of an exchange's final response: the origin's description of a body before its first byte.
///
/// Of redirects and interim (1xx) responses it contains only `redirects` and `effectiveURL`.
package struct ResponseHead: Sendable, Hashable {
  /// The status code, 200 to 999.
  package let status: Int

  package let httpVersion: HTTPVersion

  /// The address that answered, without user info and fragment. Its query may contain tokens: do not log it.
  package let effectiveURL: String

  /// How many redirects were followed.
  package let redirects: Int

  /// Where permanent redirects alone (301, 308) have led, without user info and fragment; nil if none did. Its query
  /// may contain tokens: do not log it.
  package let permanentURL: String?

  /// Whether the request that it answers has a session and was sent without its credentials: they are for other hosts,
  /// or the request has credentials of its own.
  package let lacksSession: Bool

  /// Where the server that answered is.
  package var peer = AddressClass.unknown

  /// All fields in the order received, names as sent.
  package let fields: [HTTPField]

  package init(
    status: Int, httpVersion: HTTPVersion = .http1_1, effectiveURL: String, redirects: Int = 0,
    permanentURL: String? = nil, lacksSession: Bool = false, fields: [HTTPField]
  ) {
    self.status = status
    self.httpVersion = httpVersion
    self.effectiveURL = effectiveURL
    self.redirects = redirects
    self.permanentURL = permanentURL
    self.lacksSession = lacksSession
    self.fields = fields
  }

  /// The first value of the field of that name, ignoring case. Cost: linear in the number of fields.
  package subscript(name: String) -> String? {
    fields.first { $0.isNamed(name) }?.value
  }
}

extension ResponseHead {
  /// Whether the whole content follows. 203 says that a proxy has changed the answer of the origin (RFC 9110 section
  /// 15.3.4), as those do that compress or scan.
  package var hasWholeContent: Bool { status == 200 || status == 203 }

  /// The length of the body in bytes: nil if none is declared, if it is not a number, if several differ, or if
  /// `Transfer-Encoding` overrides it (RFC 9112 section 6.3).
  package var contentLength: Int64? {
    guard !hasTransferEncoding, case .bytes(let length) = declaredLength else { return nil }
    return length
  }

  /// Whether `Content-Length` is not a number or has several values: such a response has no valid framing (RFC 9112
  /// section 6.3).
  package var hasUnusableContentLength: Bool {
    declaredLength == .unusable
  }

  /// Whether `Content-Length` is a number beyond 2⁵³.
  package var hasBoundlessContentLength: Bool {
    fields.contains { field in
      let digits = field.value.utf8
      return field.isNamed("Content-Length") && !digits.isEmpty && decimalNumber(digits) == nil
        && digits.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }
  }

  /// Whether the body has a transfer coding (`chunked`), which marks its end.
  package var hasTransferEncoding: Bool { self["Transfer-Encoding"] != nil }

  /// The entity tag, if well-formed.
  package var entityTag: EntityTag? { self["ETag"].flatMap(EntityTag.init) }

  /// `Last-Modified` as sent, for comparison byte for byte.
  package var lastModified: String? { self["Last-Modified"] }

  /// `Content-Range` as sent; `ContentRange` parses it.
  package var contentRange: String? { self["Content-Range"] }

  /// `Content-Type` as sent.
  package var contentType: String? { self["Content-Type"] }

  /// `Content-Disposition` as sent.
  package var contentDisposition: String? { self["Content-Disposition"] }

  /// `Content-Encoding` as sent, although the engine requests identity.
  package var contentEncoding: String? { self["Content-Encoding"] }

  /// `Retry-After` as sent: seconds or a date.
  package var retryAfter: String? { self["Retry-After"] }

  private enum DeclaredLength: Equatable {
    case none, unusable
    case bytes(Int64)
  }

  /// A list with one value repeated (`5, 5`) counts as that value, as RFC 9112 section 6.3 allows.
  private var declaredLength: DeclaredLength {
    var declared = DeclaredLength.none
    for field in fields where field.isNamed("Content-Length") {
      for value in field.value.utf8.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false) {
        guard let length = decimalNumber(trimmingBlanks(value)) else { return .unusable }
        guard declared == .none || declared == .bytes(length) else { return .unusable }
        declared = .bytes(length)
      }
    }
    return declared
  }
}

/// The HTTP version of a response.
package enum HTTPVersion: Sendable, Hashable {
  /// HTTP/1.0, or an older version.
  case http1_0
  case http1_1
  case http2
  case http3

  /// Whether the protocol marks the end of every body, so that a truncated one is noticed.
  package var delimitsEveryBody: Bool { self == .http2 || self == .http3 }
}

/// A field of a head: a name and its value, without surrounding blanks.
package struct HTTPField: Sendable, Hashable {
  /// The name as sent; compare with `isNamed(_:)`.
  package let name: String
  /// The value, decoded as UTF-8, or as Latin-1 if it is not valid UTF-8.
  package let value: String

  package init(name: String, value: String) {
    self.name = name
    self.value = value
  }

  /// Whether this field has that name; names ignore case (RFC 9110 section 5.1).
  package func isNamed(_ other: String) -> Bool {
    name.utf8.count == other.utf8.count && zip(name.utf8, other.utf8).allSatisfy { lowercased($0) == lowercased($1) }
  }

  private func lowercased(_ byte: UInt8) -> UInt8 {
    (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
  }
}
