import Testing

@testable import ScriptedOrigin

@Suite("What an origin guards")
struct AuthorizationTests {
  private func request(_ authorization: String?, _ target: String = "/a", form: String = "") -> RequestRecord {
    RequestRecord(
      sequence: 0, connection: 0, method: form.isEmpty ? "GET" : "POST", target: target,
      headers: authorization.map { ["Authorization": $0] } ?? [:], form: Array(form.utf8), receivedAt: .now)
  }

  private func status(_ behaviour: Behaviour) -> Int {
    switch behaviour.answer {
    case .response(let response): response.status
    case .resource: 200
    }
  }

  private func challenge(_ behaviour: Behaviour) -> String? {
    guard case .response(let response) = behaviour.answer else { return nil }
    return response.headers["WWW-Authenticate"]
  }

  @Test("Basic wants the name and the password (RFC 7617)")
  func basic() {
    let guardian = PasswordGuard(.basic, realm: "WallyWorld", user: "Aladdin", password: "open sesame")
    #expect(status(guardian.guarding(.status(200), from: request("Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ=="))) == 200)
    for wrong in [nil, "Basic QWxhZGRpbjpvcGVu", "Bearer x"] {
      let answer = guardian.guarding(.status(200), from: request(wrong))
      #expect(status(answer) == 401 && challenge(answer) == "Basic realm=\"WallyWorld\"")
    }
  }

  @Test("Digest wants their digest (RFC 7616), and a stale nonce another one")
  func digest() {
    let guardian = PasswordGuard(.digest, realm: "r", user: "u", password: "p", requestsPerNonce: 1)
    #expect(challenge(guardian.guarding(.status(200), from: request(nil)))?.contains("nonce=\"nonce-0\"") == true)
    // MD5("MD5(u:r:p):nonce-0:00000001:c:auth:MD5(GET:/a?x=1,2)"), by md5sum(1).
    func answer(_ response: String) -> Behaviour {
      guardian.guarding(
        .status(200),
        from: request(
          """
          Digest username="u", realm="r", nonce="nonce-0", uri="/a?x=1,2", cnonce="c", nc=00000001, qop=auth, \
          response="\(response)"
          """, "/a?x=1,2"))
    }
    #expect(status(answer("00000000000000000000000000000000")) == 401)
    let right = "e67c9488ffd25a65ef7fa4bae6dbed15"
    #expect(status(answer(right)) == 200)
    #expect(challenge(answer(right))?.contains("nonce=\"nonce-1\", stale=true") == true)
  }

  @Test("A token lets so many requests through, and is renewed with what goes with it")
  func tokens() {
    let server = TokenServer(refreshToken: "r+1", requestsPerToken: 2, rotates: true, seconds: 60)
    #expect(status(server.guarding(.status(200), from: request(nil))) == 401)
    #expect(status(server.answer(request(nil, form: "grant_type=refresh_token&refresh_token=wrong"))) == 400)
    #expect(status(server.answer(request(nil, form: "grant_type=refresh_token&refresh_token=r%2B1"))) == 200)
    let statuses = (0..<4).map { _ in status(server.guarding(.status(200), from: request("Bearer token-access-1"))) }
    #expect(statuses == [200, 200, 401, 401])
    #expect(status(server.answer(request(nil, form: "grant_type=refresh_token&refresh_token=r%2B1"))) == 400)
    server.become(.failing)
    #expect(status(server.answer(request(nil, form: "grant_type=refresh_token&refresh_token=token-refresh-1"))) == 503)
    let counts = server.counts
    #expect(counts.issued == 1 && counts.refreshes == 4 && counts.expired == 1)
    #expect(counts.accepted == 2 && counts.refused == 3)
  }
}
