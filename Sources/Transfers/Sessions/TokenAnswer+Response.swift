import EngineRuntime
import Foundation
import PodfluxCore

/// What a token server has answered, read with suspicion: nothing of it is believed that was not checked, and no
/// message repeats any of it but a known word.
extension TokenAnswer {
  /// The longest answer that is read, in bytes.
  static let maximumBytes = 64 << 10

  /// The members of an answer that count (RFC 6749 sections 5.1 and 5.2).
  private struct Members: Decodable {
    var access: String?
    var type: String?
    var seconds: Int64?
    var refresh: String?
    var error: String?

    private enum Key: String, CodingKey {
      case access = "access_token"
      case type = "token_type"
      case seconds = "expires_in"
      case refresh = "refresh_token"
      case error
    }

    /// Decodes the members; one of a wrong type counts as missing.
    init(from decoder: any Decoder) throws {
      let members = try decoder.container(keyedBy: Key.self)
      func text(_ key: Key) -> String? { (try? members.decodeIfPresent(String.self, forKey: key)) ?? nil }
      (access, type, refresh, error) = (text(.access), text(.type), text(.refresh), text(.error))
      // Some servers write the number in quotes.
      let number = (try? members.decodeIfPresent(Double.self, forKey: .seconds)) ?? text(.seconds).flatMap(Double.init)
      seconds = number.flatMap { $0 >= 0 && $0 <= 1e15 ? Int64($0) : nil }
    }
  }

  /// The errors after which another request for the same token is of no use (RFC 6749 section 5.2).
  private static let finalErrors: Set<String> = [
    "invalid_request", "invalid_client", "invalid_grant", "unauthorized_client", "unsupported_grant_type",
    "invalid_scope", "access_denied",
  ]

  /// Reads an answer.
  ///
  /// - Parameter body: The body, or its beginning.
  init(status: Int, body: [UInt8]) {
    let members = body.count <= Self.maximumBytes ? try? JSONDecoder().decode(Members.self, from: Data(body)) : nil
    switch status {
    case 200: self = Self.issued(members)
    case 300..<400:
      self = .failed(DownloadError(.unsafeRedirect, "the token server leads elsewhere, where no secret may go"))
    case 400, 401, 403:
      let word = members?.error.flatMap { Self.finalErrors.contains($0) ? $0 : nil }
      self = .failed(
        DownloadError(.unauthorized, "the token server answered \(status): \(word ?? "it refuses")", status: status))
    case 404, 405, 410:
      self = .failed(
        DownloadError(
          .unauthorized, "the token server answered \(status): no tokens are renewed at this address", status: status))
    default: self = .failed(DownloadError(.httpStatus, "the token server answered \(status)", status: status))
    }
  }

  private static func issued(_ members: Members?) -> Self {
    // A portal or a broken server may answer so: another request may do better.
    guard let members, let access = members.access else {
      return .failed(DownloadError(.notMedia, "the token server answered without a token"))
    }
    guard members.type.map({ $0.lowercased() == "bearer" }) ?? true else {
      return .failed(DownloadError(.unauthorized, "the token server issues tokens of another type than Bearer"))
    }
    guard isToken(access), members.refresh.map(isToken) ?? true else {
      return .failed(DownloadError(.unauthorized, "the token server issued a token that no request can carry"))
    }
    return .issued(IssuedToken(access: access, seconds: members.seconds, refresh: members.refresh))
  }

  /// RFC 6749 appendix A.12, without the blank, which RFC 6750 section 2.1 does not have.
  private static func isToken(_ text: String) -> Bool {
    let bytes = text.utf8
    return !bytes.isEmpty && bytes.count <= Session.Limits.secretBytes && bytes.allSatisfy { $0 > 0x20 && $0 < 0x7F }
  }
}

extension TokenRequest {
  /// The request's form (RFC 6749 section 6).
  var form: String {
    var fields = [("grant_type", "refresh_token"), ("refresh_token", refreshToken)]
    if let client { fields.append(("client_id", client)) }
    return fields.map { "\($0)=\(Self.escaped($1))" }.joined(separator: "&")
  }

  /// A value of a form (WHATWG URL, application/x-www-form-urlencoded), with `%20` for blanks, which every reader
  /// knows.
  private static func escaped(_ text: String) -> String {
    PercentEncoding.encoded(text.utf8) { byte in
      byte == UInt8(ascii: "*") || byte != UInt8(ascii: "~") && PercentEncoding.isUnreserved(byte)
    }
  }
}
