import Flux
import PodfluxCore
import Testing

@Suite("A server's challenges")
struct AuthenticationChallengeTests {
  typealias Challenge = AuthenticationChallenge

  @Test(
    "are read with their realms",
    arguments: [
      ("Basic realm=\"Night Trains\"", [Challenge(.basic, realm: "Night Trains")]),
      ("basic REALM=plain", [Challenge(.basic, realm: "plain")]),
      ("Basic realm=\"a \\\"b\\\" c\", charset=\"UTF-8\"", [Challenge(.basic, realm: "a \"b\" c")]),
      (
        "Digest realm=\"r\", qop=\"auth, auth-int\", nonce=\"n=,\", stale=true, Basic realm=\"s\"",
        [Challenge(.digest, realm: "r"), Challenge(.basic, realm: "s")]
      ),
      (
        "Bearer realm=\"r\",error=\"invalid_token\", error_description=\"It has expired\"",
        [Challenge(.bearer, realm: "r", error: "invalid_token")]
      ),
      ("Negotiate", [Challenge(.other("negotiate"))]),
      ("Negotiate a87421000492aa874209af8bc028==", [Challenge(.other("negotiate"))]),
      (
        "Negotiate, NTLM TlRMTVNTUAACAAAA, Basic realm=x",
        [Challenge(.other("negotiate")), Challenge(.other("ntlm")), Challenge(.basic, realm: "x")]
      ),
      ("Basic realm = \"x\" , Bearer", [Challenge(.basic, realm: "x"), Challenge(.bearer)]),
      (", ,Basic realm=x,,", [Challenge(.basic, realm: "x")]),
      ("", []), (",", []), ("=", []), ("\"Basic\"", []),
      ("Basic realm=\"never ends", [Challenge(.basic)]),
      ("Basic realm=\"x\" junk, Digest realm=y", [Challenge(.basic, realm: "x")]),
      ("Basic realm=a, realm=b", [Challenge(.basic, realm: "a")]),
      ("Basic/1 realm=x", []),
    ])
  func challenges(value: String, expected: [Challenge]) {
    #expect(Challenge.challenges(in: value) == expected)
  }

  @Test("of several fields are read in their order")
  func fields() {
    let head = ResponseHead(
      status: 401, effectiveURL: "https://a.example/",
      fields: [
        HTTPField(name: "WWW-Authenticate", value: "Negotiate"), HTTPField(name: "Date", value: "Basic realm=no"),
        HTTPField(name: "www-authenticate", value: "Basic realm=\"  Night \u{7}\u{202E} \"\"Trains\""),
      ])
    #expect(head.challenges.map(\.scheme) == [.other("negotiate"), .basic])
    #expect(head.shownRealm == "Night")
  }

  @Test(
    "A realm that may repeat the request's secret is not shown",
    arguments: ["/feed?auth=abc", "a=b", "you sent 0123456789abcdefghij", "eyJhbGciOiJIUzI1NiJ9.x.y", "Night 2026"])
  func repeated(realm: String) {
    let head = ResponseHead(
      status: 401, effectiveURL: "", fields: [HTTPField(name: "WWW-Authenticate", value: "Basic realm=\"\(realm)\"")])
    #expect(head.shownRealm == (realm.hasPrefix("Night") ? realm : nil))
  }

  @Test(
    "What a server says of a token decides first",
    arguments: [
      ([], nil), (["Negotiate"], .other), (["Negotiate", "Digest realm=x"], .digest), (["Basic realm=x"], .basic),
      (["Bearer"], .bearer), (["Basic realm=x, Bearer error=\"invalid_token\""], .invalidToken),
      (["Bearer error=insufficient_scope"], .insufficientScope), (["Bearer error=invalid_request"], .bearer),
    ] as [([String], PodfluxCore.Challenge?)])
  func decisive(values: [String], expected: PodfluxCore.Challenge?) {
    let head = ResponseHead(
      status: 401, effectiveURL: "", fields: values.map { HTTPField(name: "WWW-Authenticate", value: $0) })
    #expect(head.challenge == expected)
    #expect(DownloadError.answered(head, to: "file").challenge == expected)
  }

  @Test("The error names the realm")
  func realm() {
    let field = HTTPField(name: "WWW-Authenticate", value: "Basic realm=\"Night Trains\"")
    let wanted = DownloadError.answered(ResponseHead(status: 401, effectiveURL: "", fields: [field]), to: "file")
    #expect(wanted.message == "the server answered 401: it wants credentials for \"Night Trains\"")
    #expect(wanted.code == .unauthorized && wanted.status == 401)
    let plain = DownloadError.answered(ResponseHead(status: 401, effectiveURL: "", fields: []), to: "file")
    #expect(plain.message == "the server answered 401: it wants credentials" && plain.challenge == nil)
  }

  @Test("A hostile value costs no more than its length, and is cut")
  func hostile() {
    let many = String(repeating: "Basic realm=x, ", count: 4000)
    #expect(Challenge.challenges(in: many).count == Challenge.maximumCount)
    let long = ResponseHead(
      status: 401, effectiveURL: "",
      fields: [HTTPField(name: "WWW-Authenticate", value: "Basic realm=\"\(String(repeating: "é.", count: 5000))\"")])
    #expect(long.shownRealm?.unicodeScalars.count == Challenge.maximumShownCharacters)
    #expect(long.challenges.count == 1)
    var random = SeededGenerator(seed: 1)
    let signs = Array("Basic realm=\"x\\\",;= \tDigest~/+=".utf8)
    for _ in 0..<5000 {
      let bytes = (0..<Int.random(in: 0..<40, using: &random)).map { _ in
        Int.random(in: 0..<8, using: &random) == 0
          ? UInt8.random(in: 0...255, using: &random) : signs[Int.random(in: 0..<signs.count, using: &random)]
      }
      #expect(Challenge.challenges(in: String(decoding: bytes, as: UTF8.self)).count <= Challenge.maximumCount)
    }
  }
}
