import PodfluxCore

/// A request for a new token (RFC 6749 section 6). It is sent once, and follows no redirect.
package struct TokenRequest: Hashable, Sendable {
  package var address: WebAddress
  /// `client_id`, if the client has one.
  package var client: String?
  /// `refresh_token`.
  package var refreshToken: String
  /// The settings at its start.
  package var settings: Settings
  /// The route that its connection must take.
  package var route: Route

  package init(
    to address: WebAddress, client: String?, refreshToken: String, settings: Settings, route: Route
  ) {
    self.address = address
    self.client = client
    self.refreshToken = refreshToken
    self.settings = settings
    self.route = route
  }
}

extension TokenRequest: CustomStringConvertible, CustomReflectable {
  /// No part of the secret: a text of it may reach a log.
  package var description: String { "a request for a token" }
  package var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// The result of a request for a token.
package enum TokenAnswer: Hashable, Sendable {
  /// The server has issued one (RFC 6749 section 5.1).
  case issued(IssuedToken)
  /// There is none. The error is transient if another request may get one: the server could not be reached, or has an
  /// error of its own. `invalid_grant` and `invalid_client` (RFC 6749 section 5.2) are `unauthorized`.
  case failed(DownloadError)
}

/// A token as a server has issued it, checked.
package struct IssuedToken: Hashable, Sendable {
  package var access: String
  /// For how long it is good; nil if the server does not say.
  package var seconds: Int64?
  /// The token with which the next one is requested; nil if the former one stays valid.
  package var refresh: String?

  package init(access: String, seconds: Int64? = nil, refresh: String? = nil) {
    self.access = access
    self.seconds = seconds
    self.refresh = refresh
  }
}

extension IssuedToken: CustomStringConvertible, CustomReflectable {
  /// No part of the token: a text of it may reach a log.
  package var description: String { "a token" }
  package var customMirror: Mirror { Mirror(self, children: [:]) }
}
