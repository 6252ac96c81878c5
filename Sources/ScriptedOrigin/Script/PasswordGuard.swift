import Synchronization

/// Lets requests with the right name and password through, and challenges the others with a 401.
package final class PasswordGuard: Sendable {
  /// How a client shows that it knows the password.
  package enum Scheme: String, Sendable, CaseIterable {
    /// RFC 7617.
    case basic
    /// RFC 7616, with MD5 and `qop=auth`, as Apache has it.
    case digest
  }

  private let scheme: Scheme
  private let realm: String
  private let user: String
  private let password: String
  private let requestsPerNonce: Int
  private let nonce = Mutex((number: 0, uses: 0))

  /// - Parameter requestsPerNonce: After so many requests a digest's nonce is stale: the client has to answer another
  ///   one.
  package init(
    _ scheme: Scheme, realm: String = "private", user: String, password: String, requestsPerNonce: Int = .max
  ) {
    self.scheme = scheme
    self.realm = realm
    self.user = user
    self.password = password
    self.requestsPerNonce = requestsPerNonce
  }

  /// The behaviour if the request is authorized; otherwise a challenge.
  package func guarding(_ behaviour: Behaviour, from request: RequestRecord) -> Behaviour {
    let given = request.headers["Authorization"] ?? ""
    switch scheme {
    case .basic:
      return given == "Basic " + Base64.text(of: "\(user):\(password)") ? behaviour : challenge()
    case .digest:
      guard let digest = DigestAuthorization(given), isRight(digest, request) else { return challenge() }
      return isFresh(digest.nonce) ? behaviour : challenge(isStale: true)
    }
  }

  private func challenge(isStale: Bool = false) -> Behaviour {
    let value =
      switch scheme {
      case .basic: "Basic realm=\"\(realm)\""
      case .digest:
        "Digest realm=\"\(realm)\", qop=\"auth\", algorithm=MD5, nonce=\"\(currentNonce)\"\(isStale ? ", stale=true" : "")"
      }
    return .status(
      401, headers: ["WWW-Authenticate": value, "Content-Type": "text/html"], body: .text("<h1>Unauthorized</h1>"))
  }

  private var currentNonce: String { nonce.withLock { "nonce-\($0.number)" } }

  /// Counts a use of the nonce; after the last one another nonce is the present one.
  private func isFresh(_ given: String) -> Bool {
    nonce.withLock { nonce in
      guard given == "nonce-\(nonce.number)" else { return false }
      nonce.uses += 1
      if nonce.uses >= requestsPerNonce { nonce = (nonce.number + 1, 0) }
      return true
    }
  }

  /// RFC 7616 section 3.4.1.
  private func isRight(_ digest: DigestAuthorization, _ request: RequestRecord) -> Bool {
    guard digest.user == user, digest.realm == realm, digest.uri == request.target else { return false }
    let first = Self.md5("\(user):\(realm):\(password)")
    let second = Self.md5("\(request.method):\(digest.uri)")
    return digest.response == Self.md5("\(first):\(digest.nonce):\(digest.count):\(digest.clientNonce):auth:\(second)")
  }

  private static func md5(_ text: String) -> String {
    MessageDigest.digestText(of: text.utf8, .md5)
  }
}

/// The parameters of a digest.
private struct DigestAuthorization {
  private let parameters: [String: String]

  init?(_ value: String) {
    guard value.hasPrefix("Digest ") else { return nil }
    var parameters: [String: String] = [:]
    var rest = value.dropFirst(7)
    while let equals = rest.firstIndex(of: "=") {
      let name = String(rest[..<equals].filter { $0 != " " && $0 != "," })
      rest = rest[rest.index(after: equals)...]
      let isQuoted = rest.first == "\""
      if isQuoted { rest = rest.dropFirst() }
      let text = rest.prefix { $0 != (isQuoted ? "\"" : ",") }
      parameters[name] = String(text)
      rest = rest[text.endIndex...].dropFirst()
    }
    self.parameters = parameters
  }

  var user: String { parameters["username"] ?? "" }
  var realm: String { parameters["realm"] ?? "" }
  var uri: String { parameters["uri"] ?? "" }
  var nonce: String { parameters["nonce"] ?? "" }
  var count: String { parameters["nc"] ?? "" }
  var clientNonce: String { parameters["cnonce"] ?? "" }
  var response: String { parameters["response"] ?? "" }
}

/// Base64 (RFC 4648 section 4) without Foundation.
private enum Base64 {
  static func text(of text: String) -> String {
    let signs = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
    let bytes = Array(text.utf8)
    var result = ""
    for start in stride(from: 0, to: bytes.count, by: 3) {
      let group = bytes[start..<min(start + 3, bytes.count)]
      let number = group.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - group.count))
      for place in 0..<4 {
        result.append(place <= group.count ? signs[number >> (18 - 6 * place) & 63] : "=")
      }
    }
    return result
  }
}
