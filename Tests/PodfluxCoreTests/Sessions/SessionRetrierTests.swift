import Testing

@testable import PodfluxCore

/// The whole table of what the retrier decides, as values.
@Suite("What follows on a 401 or a 403")
struct SessionRetrierTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let story: String
    var status = 401
    var challenge: Challenge?
    var kind = Session.Kind.refreshing
    var state = SessionState.Kind.open
    var used: Int64 = 5
    var token: Int64 = 5
    var isAccepted = false
    var refused = 0
    var outrun = 0
    var awaited: Int64?
    let decision: SessionRetrier.Decision

    var testDescription: String { story }
  }

  static let cases: [Case] = [
    // A token that expires.
    Case("a first 401 with the token in use", decision: .renew),
    Case("the same, with an accepted token", isAccepted: true, decision: .renew),
    Case("the same, challenged", challenge: .bearer, decision: .renew),
    Case("the token is said to be invalid", challenge: .invalidToken, decision: .renew),
    Case("another scheme is asked for", challenge: .basic, decision: .renew),
    Case("an unknown scheme is asked for", challenge: .other, decision: .renew),
    Case("a renewed token has expired too", state: .extended, decision: .renew),
    Case("the first token of a session", used: 1, token: 1, decision: .renew),
    Case("a second refusal, and nothing was asked for", refused: 1, decision: .renew),
    // A refresh began or ended since.
    Case("a refresh has ended since", used: 4, decision: .sendAgain),
    Case("several refreshes have ended since", used: 1, decision: .sendAgain),
    Case("one has ended since, in an extended session", state: .extended, used: 4, decision: .sendAgain),
    Case("one has ended since, and the former token was accepted", used: 4, isAccepted: true, decision: .sendAgain),
    Case("one has ended since, for a second refusal", used: 4, refused: 1, decision: .sendAgain),
    Case("one has ended since the request waited for one", used: 4, refused: 1, awaited: 4, decision: .sendAgain),
    Case("a refresh is under way", state: .opening, decision: .park),
    Case("a refresh is under way, for a second refusal", state: .opening, refused: 1, decision: .park),
    Case("a refresh is under way, and the token is an old one", state: .opening, used: 4, decision: .park),
    Case("the engine has started anew", state: .created, decision: .park),
    Case("a client has closed the session", state: .closed, decision: .park),
    Case("the login has failed meanwhile", state: .loginFailed, decision: .park),
    // A token that was fresh for the request.
    Case("a fresh token, never accepted", refused: 1, awaited: 5, decision: .failLogin),
    Case("a fresh token, called invalid", challenge: .invalidToken, refused: 1, awaited: 5, decision: .failLogin),
    Case("a fresher one than was asked for", refused: 1, awaited: 4, decision: .failLogin),
    Case(
      "a fresh token that others were let in with", refused: 1, isAccepted: true, awaited: 5,
      decision: .refuse(.notForThis)),
    Case(
      "a fresh token that others were let in with, and that is called invalid now", challenge: .invalidToken,
      refused: 1, isAccepted: true, awaited: 5, decision: .renew),
    Case(
      "a fixed token that others were let in with, and that is called invalid now", challenge: .invalidToken,
      kind: .bearer, refused: 1, isAccepted: true, awaited: 5, decision: .refuse(.notForThis)),
    Case("an older token than was asked for", refused: 1, awaited: 6, decision: .renew),
    // Three tries at most.
    Case("a third refusal", refused: 2, decision: .refuse(.tooManyTries)),
    // A token that was replaced when the answer came says nothing of the request.
    Case("a third refusal after a refresh", used: 4, refused: 2, decision: .sendAgain),
    Case("a third refusal while a refresh is under way", state: .opening, refused: 2, decision: .park),
    Case("a fourth refusal, each after a refresh", used: 4, outrun: 3, decision: .sendAgain),
    Case("many refusals, each while a refresh was under way", outrun: 63, decision: .renew),
    Case("too many refusals, each after a refresh", used: 4, outrun: 63, decision: .refuse(.tooManyTries)),
    Case("the same, while a refresh is under way", state: .opening, outrun: 63, decision: .refuse(.tooManyTries)),
    Case("a fourth refusal", refused: 3, isAccepted: true, decision: .refuse(.tooManyTries)),
    Case("a third refusal, with a fresh token that nothing accepts", refused: 2, awaited: 5, decision: .failLogin),
    Case(
      "a third refusal, with a fresh token that others were let in with", refused: 2, isAccepted: true, awaited: 5,
      decision: .refuse(.tooManyTries)),
    Case(
      "a third refusal of a scope", challenge: .insufficientScope, refused: 2, awaited: 5,
      decision: .refuse(.tooManyTries)),
    // Refusals that no token mends.
    Case("a 403", status: 403, decision: .refuse(.notForThis)),
    Case("a 403 with an accepted token", status: 403, isAccepted: true, decision: .refuse(.notForThis)),
    Case("a 403 for want of a scope", status: 403, challenge: .insufficientScope, decision: .refuse(.notForThis)),
    Case("a 401 for want of a scope", challenge: .insufficientScope, decision: .refuse(.notForThis)),
    Case(
      "want of a scope, and a refresh has ended since", challenge: .insufficientScope, used: 4,
      decision: .refuse(.notForThis)),
    Case("a 403 with an old token", status: 403, used: 4, decision: .sendAgain),
    Case("a 403 that calls the token invalid", status: 403, challenge: .invalidToken, decision: .renew),
    Case("a 403 while a refresh is under way", status: 403, state: .opening, decision: .park),
    Case("a 403 with a fresh token", status: 403, refused: 1, awaited: 5, decision: .refuse(.notForThis)),
    Case(
      "a 403 with a fresh token that is called invalid", status: 403, challenge: .invalidToken, refused: 1,
      awaited: 5, decision: .failLogin),
    // Kinds without a refresh.
    Case("a password that nothing accepts", challenge: .basic, kind: .basic, decision: .failLogin),
    Case(
      "a password that others were let in with", challenge: .basic, kind: .basic, isAccepted: true,
      decision: .refuse(.notForThis)),
    Case("a password that was changed meanwhile", kind: .basic, used: 4, decision: .sendAgain),
    Case("a digest that nothing accepts", challenge: .digest, kind: .digest, decision: .failLogin),
    Case("a digest that others were let in with", kind: .digest, isAccepted: true, decision: .refuse(.notForThis)),
    Case("a fixed token that nothing accepts", challenge: .invalidToken, kind: .bearer, decision: .failLogin),
    Case("a fixed token that others were let in with", kind: .bearer, isAccepted: true, decision: .refuse(.notForThis)),
    Case("a secret in the address that nothing accepts", kind: .parameter, decision: .failLogin),
    Case("the same, answered with 403", status: 403, kind: .parameter, decision: .failLogin),
    Case(
      "a secret in the address that others were let in with", status: 403, kind: .parameter, isAccepted: true,
      decision: .refuse(.notForThis)),
    Case("a secret in the address that was changed meanwhile", kind: .parameter, used: 4, decision: .sendAgain),
    Case("a secret in the address, while the session is closed", kind: .parameter, state: .closed, decision: .park),
    Case("a 403 for a password", status: 403, kind: .basic, decision: .refuse(.notForThis)),
    Case("a password, while the session is opened anew", kind: .basic, state: .opening, decision: .park),
    Case("a password, while the session is closed", kind: .basic, state: .closed, decision: .park),
    Case("no credentials at all", kind: .none, decision: .refuse(.notForThis)),
  ]

  @Test("Each case has its decision", arguments: cases)
  func decides(_ example: Case) {
    let retrier = SessionRetrier(
      status: example.status, challenge: example.challenge, kind: example.kind, state: example.state,
      used: example.used, token: example.token, isAccepted: example.isAccepted,
      earlier: RequestTries(refused: example.refused, outrun: example.outrun, awaited: example.awaited))
    #expect(retrier.decision == example.decision)
  }

  @Test("The table has forty cases and more, and all decisions")
  func isWhole() {
    #expect(Self.cases.count >= 40)
    #expect(Set(Self.cases.map(\.story)).count == Self.cases.count)
    #expect(Set(Self.cases.map(\.decision)).count == 6)
  }

  @Test("No request is refused more than three times with the token in use, whatever servers say")
  func ends() {
    for challenge in [nil] + Challenge.allCases.map(Challenge?.some) {
      for kind in Session.Kind.allCases {
        for isAccepted in [false, true] {
          var tries = RequestTries()
          var (sent, token) = (0, Int64(1))
          sending: while true {
            sent += 1
            let retrier = SessionRetrier(
              status: 401, challenge: challenge, kind: kind, state: .open, used: token, token: token,
              isAccepted: isAccepted, earlier: tries)
            tries = retrier.tries
            switch retrier.decision {
            case .renew:
              token += 1
              tries.awaited = token
            case .park, .sendAgain: Issue.record("nothing has happened since")
            case .refuse, .failLogin: break sending
            }
            guard sent <= SessionRetrier.tries else { break sending }
          }
          #expect(sent <= SessionRetrier.tries, "\(kind), \(String(describing: challenge))")
        }
      }
    }
  }
}

extension SessionRetrierTests.Case {
  init(
    _ story: String, status: Int = 401, challenge: Challenge? = nil, kind: Session.Kind = .refreshing,
    state: SessionState.Kind = .open, used: Int64 = 5, token: Int64 = 5, refused: Int = 0, outrun: Int = 0,
    isAccepted: Bool = false,
    awaited: Int64? = nil, decision: SessionRetrier.Decision
  ) {
    (self.story, self.status, self.challenge, self.kind, self.state) = (story, status, challenge, kind, state)
    (self.used, self.token, self.refused, self.isAccepted) = (used, token, refused, isAccepted)
    (self.outrun, self.awaited, self.decision) = (outrun, awaited, decision)
  }
}
