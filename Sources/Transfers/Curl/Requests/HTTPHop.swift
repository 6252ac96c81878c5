import EngineRuntime
import PodfluxCore

/// One request of an exchange: its address, and which headers and credentials it carries.
///
/// The driver follows redirects instead of libcurl, which in 7.88 sends a client's headers to every host, and cannot
/// forbid https to http alone.
struct HTTPHop: Sendable, Hashable {
  /// What is fetched: with the session's parameter where its secret stands in the address.
  let url: CurlURL
  let credentials: CurlURL.Credentials?
  /// The session's credentials, where they go with the request: to the session's hosts, and after another origin was
  /// visited not any more.
  let session: SessionCredentials?
  /// Whether the session's credentials are in the request: an address with a parameter of its own in their place goes
  /// without them.
  let sendsSession: Bool
  /// After another origin was visited, client headers are not sent any more, even if a redirect leads back.
  let carriesClientHeaders: Bool
  let redirects: Int
  /// Whether permanent redirects alone have led here.
  let isPermanent: Bool
  private let allowsInsecureRedirects: Bool
  /// The parameter with the secret of the request's session, wherever the exchange is; nil for another kind of session.
  private let parameter: SecretParameter?

  /// The first hop, to the requested address.
  ///
  /// - Parameter session: The credentials of the request's session. User info in the address comes before them.
  init(
    to address: String, with session: SessionCredentials? = nil, allowingInsecureRedirects: Bool = false
  ) throws(ExchangeFailure) {
    guard let url = CurlURL(address) else {
      throw ExchangeFailure(.malformedRequest, message: "the address is not a URL")
    }
    guard url.origin.isSupported else {
      throw ExchangeFailure(.unsupportedProtocol, message: "\(url.origin.scheme) is not http or https")
    }
    try self.init(
      url: url, credentials: url.credentials,
      session: session.flatMap { url.credentials == nil && $0.isFor(url.origin) ? $0 : nil },
      carriesClientHeaders: true, redirects: 0, isPermanent: true,
      allowsInsecureRedirects: allowingInsecureRedirects, parameter: session?.addressSecret?.parameter)
  }

  /// The longest scheme that is named.
  private static let longestScheme = 32

  /// The scheme with which a text begins (RFC 3986 section 3.1); nil if it begins otherwise, or with http or https.
  private static func scheme(of text: String) -> String? {
    let scheme = text.utf8.prefix(longestScheme).prefix { $0 != UInt8(ascii: ":") }
    let word = String(Substring(scheme)).lowercased()
    guard text.utf8.dropFirst(scheme.count).first == UInt8(ascii: ":"), word.first?.isLetter == true,
      word.utf8.allSatisfy({ byte in
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
          || "+-.".utf8.contains(byte)
      }), word != "http", word != "https"
    else { return nil }
    return word
  }

  /// The hop to which a `Location` leads (RFC 9110 section 15.4).
  func following(_ redirection: Redirection) throws(ExchangeFailure) -> HTTPHop {
    guard redirects < CurlLimits.maxRedirects else {
      throw ExchangeFailure(.tooManyRedirects, message: "more than \(CurlLimits.maxRedirects) redirects")
    }
    guard let next = CurlURL(redirection.location, relativeTo: url) else {
      if let scheme = Self.scheme(of: redirection.location) {
        throw ExchangeFailure(.unsafeRedirect, message: "a redirect leads to \(scheme)")
      }
      throw ExchangeFailure(.malformedResponse, message: "a redirect leads to something that is not a URL")
    }
    guard next.origin.isSupported else {
      throw ExchangeFailure(.unsafeRedirect, message: "a redirect leads to \(next.origin.scheme)")
    }
    guard next.origin.isSecure || !url.origin.isSecure || allowsInsecureRedirects else {
      throw ExchangeFailure(
        .unsafeRedirect,
        message: "a redirect leads from https to http, which the setting allowInsecureRedirects forbids")
    }
    let staysAtOrigin = next.origin == url.origin
    return try HTTPHop(
      url: next,
      credentials: next.credentials ?? (staysAtOrigin ? credentials : nil),
      session: staysAtOrigin || next.origin.secures(url.origin)
        ? session.flatMap { next.credentials == nil && $0.isFor(next.origin) ? $0 : nil } : nil,
      carriesClientHeaders: carriesClientHeaders && staysAtOrigin,
      redirects: redirects + 1,
      isPermanent: isPermanent && redirection.isPermanent,
      allowsInsecureRedirects: allowsInsecureRedirects, parameter: parameter)
  }

  /// - Parameter url: Where the hop leads, as the request or a server says it.
  private init(
    url: CurlURL, credentials: CurlURL.Credentials?, session: SessionCredentials?, carriesClientHeaders: Bool,
    redirects: Int, isPermanent: Bool, allowsInsecureRedirects: Bool, parameter: SecretParameter?
  ) throws(ExchangeFailure) {
    // Also where a server repeats it in a redirect to another host, it does not get there.
    let changed = url.changed { session == nil ? parameter?.removed(from: $0) ?? $0 : parameter?.added(to: $0) ?? $0 }
    guard let changed else {
      throw ExchangeFailure(.malformedRequest, message: "the address has no place for the session's parameter")
    }
    self.url = changed
    self.parameter = parameter
    self.credentials = credentials
    self.session = session
    sendsSession = session != nil && parameter.map { $0.removed(from: changed.text) != changed.text } ?? true
    self.carriesClientHeaders = carriesClientHeaders
    self.redirects = redirects
    self.isPermanent = isPermanent
    self.allowsInsecureRedirects = allowsInsecureRedirects
  }
}

extension HTTPHop {
  /// The address as it may be shown: without the session's parameter.
  var shownURL: String { parameter?.removed(from: url.text) ?? url.text }

  /// Whether libcurl may send the request again, with a digest of what a 401 says.
  var answersChallenges: Bool { session?.kind == .digest }
}

extension SessionCredentials {
  /// Whether they are for a host. It is the one that libcurl connects to; other readers of the address may find another
  /// one in it.
  fileprivate func isFor(_ origin: CurlURL.Origin) -> Bool {
    guard kind != .none else { return false }
    return hosts.contains("\(origin.host):\(origin.port)") || origin.hasUsualPort && hosts.contains(origin.host)
  }
}

extension CurlURL.Origin {
  /// Whether it has the port of its scheme.
  fileprivate var hasUsualPort: Bool { port == (isSecure ? "443" : "80") }

  /// Whether it is at the same host as another, and secure where that is not, both at their scheme's port: many hosts
  /// lead from http to https so.
  fileprivate func secures(_ other: Self) -> Bool {
    host == other.host && isSecure && !other.isSecure && hasUsualPort && other.hasUsualPort
  }
}

/// Where a redirect leads, and whether for good (RFC 9110 section 15.4).
struct Redirection: Sendable, Hashable {
  let location: String
  let isPermanent: Bool
}

extension HTTPHop {
  /// The address to which permanent redirects alone have led; nil if none did.
  var permanentURL: String? { isPermanent && redirects > 0 ? shownURL : nil }
}

extension ResponseHead {
  /// The redirect; nil if the response is final.
  var redirection: Redirection? {
    guard [301, 302, 303, 307, 308].contains(status), let location = self["Location"] else { return nil }
    return Redirection(location: location, isPermanent: status == 301 || status == 308)
  }
}
