extension DownloadError {
  /// A server has answered with a status that brings nothing of what was asked for, a file or a feed. Where it wants
  /// credentials, the message names the realm.
  package static func answered(_ head: ResponseHead, to thing: String) -> DownloadError {
    let status = head.status
    let said = "the server answered \(status)"
    return switch status {
    case 401:
      DownloadError(
        .unauthorized, "\(said): it wants credentials\(head.shownRealm.map { " for \"\($0)\"" } ?? "")", status: status,
        challenge: head.challenge)
    case 403: DownloadError(.forbidden, "\(said): it refuses access", status: status, challenge: head.challenge)
    case 404: DownloadError(.notFound, "\(said): there is no such \(thing)", status: status)
    case 410: DownloadError(.gone, "\(said): the \(thing) is gone for good", status: status)
    case 206:
      DownloadError(.rangeMismatch, "\(said): a part, although the whole \(thing) was asked for", status: status)
    default: DownloadError(.httpStatus, said, status: status)
    }
  }
}

extension ResponseHead {
  /// How the server challenges the request, as far as that decides what follows; nil if it does not. What it says of a
  /// token counts first, then the first scheme that a session can meet; without the session's credentials it does not
  /// matter.
  package var challenge: Challenge? {
    guard !lacksSession else { return .unsent }
    let challenges = challenges.map(Challenge.init)
    return challenges.first { $0 == .invalidToken || $0 == .insufficientScope } ?? challenges.first { $0 != .other }
      ?? challenges.first
  }
}

extension Challenge {
  /// The error of a response with this challenge.
  package init(_ challenge: AuthenticationChallenge) {
    switch (challenge.scheme, challenge.error) {
    case (.basic, _): self = .basic
    case (.digest, _): self = .digest
    case (.bearer, "invalid_token"): self = .invalidToken
    case (.bearer, "insufficient_scope"): self = .insufficientScope
    case (.bearer, _): self = .bearer
    case (.other, _): self = .other
    }
  }
}
