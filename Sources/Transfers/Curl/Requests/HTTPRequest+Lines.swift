import EngineRuntime
import PodfluxCore

extension HTTPRequest {
  /// - Parameter session: The credentials of its session. An `Authorization` that the client gives comes before them.
  func firstHop(with session: SessionCredentials? = nil) throws(ExchangeFailure) -> HTTPHop {
    let isAuthorized = headers.contains { $0.name.lowercased() == "authorization" }
    return try HTTPHop(
      to: url, with: isAuthorized ? nil : session, allowingInsecureRedirects: allowsInsecureRedirects)
  }

  /// The header lines for libcurl; the client's own ones only if the hop may carry them.
  ///
  /// - Parameter token: The token that authorizes the request (RFC 6750 section 2.1); nil for none.
  func headerLines(includingClientHeaders: Bool, token: String? = nil) throws(ExchangeFailure) -> [String] {
    var fields = ownFields
    if let ifRange { fields.append((name: "If-Range", value: ifRange)) }
    for header in headers where Header.isReserved(header.name) {
      throw ExchangeFailure(.malformedRequest, message: "the header \(header.name) is the engine's own")
    }
    if let token { fields.append((name: "Authorization", value: "Bearer \(token)")) }
    if includingClientHeaders { fields += headers }
    return try fields.map(Self.line)
  }

  /// libcurl sends lines unchanged: a line break in one would inject another field.
  private static func line(name: String, value: String) throws(ExchangeFailure) -> String {
    guard name.isHTTPToken, value.isFieldText else {
      throw ExchangeFailure(.malformedRequest, message: "a header has characters that HTTP does not allow")
    }
    // "Name:" alone would remove the field; with a semicolon libcurl sends it empty.
    return value.isEmpty ? "\(name);" : "\(name): \(value)"
  }
}
