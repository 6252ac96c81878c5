import Synchronization

/// Issues tokens that expire after a number of requests, renews them (RFC 6749 section 6), and lets requests with the
/// present one through (RFC 6750).
package final class TokenServer: Sendable {
  /// How many tokens and requests the server has counted so far.
  package struct Counts: Sendable, Hashable {
    /// Tokens that were issued.
    package var issued = 0
    /// Requests for a token, refused ones included.
    package var refreshes = 0
    /// Tokens that have expired: the present one, when a request was refused with it first.
    package var expired = 0
    /// Requests that were let through.
    package var accepted = 0
    /// Requests that were refused.
    package var refused = 0
  }

  /// How requests for a token are answered.
  package enum Mood: Sendable, Hashable {
    /// With a token.
    case willing
    /// With `invalid_grant`.
    case refusing
    /// With a 503.
    case failing
  }

  private struct State {
    var counts = Counts()
    var mood = Mood.willing
    var delayMilliseconds = 0
    var refreshToken: String
    /// The present token; nil before the first, and once it has expired.
    var token: String?
    var uses = 0
  }

  private let requestsPerToken: Int
  private let rotates: Bool
  private let seconds: Int?
  private let realm: String
  private let secret: String
  private let state: Mutex<State>

  /// - Parameters:
  ///   - refreshToken: What the first token is got with.
  ///   - requestsPerToken: How many requests each token lets through.
  ///   - rotates: Whether each answer has another refresh token, and the former one is of no use any more.
  ///   - seconds: For how long a token is said to be good; nil to say nothing.
  ///   - secret: A part of every token, by which a search finds them.
  package init(
    refreshToken: String, requestsPerToken: Int = .max, rotates: Bool = false, seconds: Int? = nil,
    realm: String = "members", secret: String = "token"
  ) {
    self.requestsPerToken = requestsPerToken
    self.rotates = rotates
    self.seconds = seconds
    self.realm = realm
    self.secret = secret
    state = Mutex(State(refreshToken: refreshToken))
  }

  /// How many tokens and requests the server has counted so far.
  package var counts: Counts { state.withLock(\.counts) }

  /// From now on requests for a token are answered so, after so long.
  package func become(_ mood: Mood, delayMilliseconds: Int = 0) {
    state.withLock { ($0.mood, $0.delayMilliseconds) = (mood, delayMilliseconds) }
  }

  /// The answer to a request for a token.
  package func answer(_ request: RequestRecord) -> Behaviour {
    let form = Self.fields(of: request.form)
    return state.withLock { state in
      state.counts.refreshes += 1
      switch state.mood {
      case .failing: return .status(503, body: .text("later")).delayed(byMilliseconds: state.delayMilliseconds)
      case .refusing: return refusal
      case .willing: break
      }
      guard form["grant_type"] == "refresh_token", form["refresh_token"] == state.refreshToken else { return refusal }
      state.counts.issued += 1
      let token = "\(secret)-access-\(state.counts.issued)"
      (state.token, state.uses) = (token, 0)
      if rotates { state.refreshToken = "\(secret)-refresh-\(state.counts.issued)" }
      var members = ["\"access_token\":\"\(token)\"", "\"token_type\":\"Bearer\""]
      if let seconds { members.append("\"expires_in\":\(seconds)") }
      if rotates { members.append("\"refresh_token\":\"\(state.refreshToken)\"") }
      return .status(
        200, headers: ["Content-Type": "application/json", "Cache-Control": "no-store"],
        body: .text("{\(members.joined(separator: ","))}")
      ).delayed(byMilliseconds: state.delayMilliseconds)
    }
  }

  /// The behaviour if the request has the present token; otherwise a challenge.
  package func guarding(_ behaviour: Behaviour, from request: RequestRecord) -> Behaviour {
    let given = request.headers["Authorization"]
    let isAuthorized = state.withLock { state in
      guard let token = state.token, given == "Bearer \(token)" else {
        state.counts.refused += 1
        return false
      }
      guard state.uses < requestsPerToken else {
        state.token = nil
        state.counts.expired += 1
        state.counts.refused += 1
        return false
      }
      state.uses += 1
      state.counts.accepted += 1
      return true
    }
    guard !isAuthorized else { return behaviour }
    let error = given == nil ? "" : ", error=\"invalid_token\", error_description=\"The token expired\""
    return .status(
      401, headers: ["WWW-Authenticate": "Bearer realm=\"\(realm)\"\(error)", "Content-Type": "text/html"],
      body: .text("<h1>Unauthorized</h1>"))
  }

  private var refusal: Behaviour {
    .status(400, headers: ["Content-Type": "application/json"], body: .text("{\"error\":\"invalid_grant\"}"))
  }

  /// The fields of a form, decoded.
  private static func fields(of form: [UInt8]) -> [String: String] {
    var fields: [String: String] = [:]
    for pair in form.split(separator: UInt8(ascii: "&")) {
      let parts = pair.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
      fields[decoded(parts[0])] = parts.count > 1 ? decoded(parts[1]) : ""
    }
    return fields
  }

  private static func decoded(_ text: ArraySlice<UInt8>) -> String {
    var bytes: [UInt8] = []
    var rest = text
    while let byte = rest.popFirst() {
      switch byte {
      case UInt8(ascii: "+"): bytes.append(UInt8(ascii: " "))
      case UInt8(ascii: "%"):
        let digits = String(decoding: rest.prefix(2), as: UTF8.self)
        guard let decoded = UInt8(digits, radix: 16) else { return "" }
        bytes.append(decoded)
        rest = rest.dropFirst(2)
      default: bytes.append(byte)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
