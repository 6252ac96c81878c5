import EngineRuntime
import Flux
import PodfluxCore
import Testing

@testable import Transfers

@Suite("What a token server answers")
struct TokenAnswerTests {
  private func answer(_ status: Int, _ body: String) -> TokenAnswer {
    TokenAnswer(status: status, body: Array(body.utf8))
  }

  @Test(
    "is a token where it is one",
    arguments: [
      (#"{"access_token":"a","token_type":"Bearer"}"#, IssuedToken(access: "a")),
      (#"{"access_token":"a","token_type":"bearer","expires_in":3600}"#, IssuedToken(access: "a", seconds: 3600)),
      (#"{"expires_in":"60","access_token":"a","scope":"x"}"#, IssuedToken(access: "a", seconds: 60)),
      (#"{"access_token":"a","expires_in":59.9}"#, IssuedToken(access: "a", seconds: 59)),
      (#"{"access_token":"a","expires_in":-1}"#, IssuedToken(access: "a")),
      (#"{"access_token":"a","expires_in":1e300}"#, IssuedToken(access: "a")),
      (#"{"access_token":"a","expires_in":null,"refresh_token":null}"#, IssuedToken(access: "a")),
      (#"{"access_token":"a","expires_in":{},"refresh_token":7}"#, IssuedToken(access: "a")),
      (#"{"access_token":"a","refresh_token":"r"}"#, IssuedToken(access: "a", refresh: "r")),
    ])
  func tokens(body: String, token: IssuedToken) {
    #expect(answer(200, body) == .issued(token))
  }

  @Test(
    "is an error otherwise, which may pass or not",
    arguments: [
      (200, "", DownloadError.Code.notMedia, true), (200, "<html>s3cret</html>", .notMedia, true),
      (200, "[]", .notMedia, true), (200, #"{"access_token":7}"#, .notMedia, true),
      (200, #"{"access_token":""}"#, .unauthorized, false), (200, #"{"access_token":"a b"}"#, .unauthorized, false),
      (200, #"{"access_token":"a\r\nX: y"}"#, .unauthorized, false),
      (200, #"{"access_token":"é"}"#, .unauthorized, false),
      (200, #"{"access_token":"a","refresh_token":"\u0000"}"#, .unauthorized, false),
      (200, #"{"access_token":"a","token_type":"mac"}"#, .unauthorized, false),
      (400, #"{"error":"invalid_grant","error_description":"s3cret"}"#, .unauthorized, false),
      (401, #"{"error":"invalid_client"}"#, .unauthorized, false), (400, "", .unauthorized, false),
      (403, "", .unauthorized, false), (404, "", .unauthorized, false), (302, "", .unsafeRedirect, false),
      (500, "", .httpStatus, true), (503, #"{"error":"invalid_grant"}"#, .httpStatus, true),
      (429, "", .httpStatus, true),
    ])
  func errors(status: Int, body: String, code: DownloadError.Code, isTransient: Bool) {
    guard case .failed(let error) = answer(status, body) else {
      Issue.record("a token came of \(body)")
      return
    }
    #expect(error.code == code && error.isTransient == isTransient, "\(error)")
    #expect(!error.message.contains("s3cret"))
    #expect(error.message.contains("invalid_grant") == (status == 400 && !body.isEmpty))
  }

  @Test("A long answer and a long token are refused, and any bytes do no harm")
  func limits() {
    let long = String(repeating: "x", count: Session.Limits.secretBytes + 1)
    #expect(answer(200, #"{"access_token":"\#(long)"}"#).error?.code == .unauthorized)
    let padding = String(repeating: " ", count: TokenAnswer.maximumBytes)
    #expect(answer(200, #"{"access_token":"a"}"# + padding).error?.code == .notMedia)
    #expect(answer(200, String(repeating: "[", count: 60_000)).error?.code == .notMedia)
    #expect(answer(200, String(repeating: #"{"a":"#, count: 10_000)).error?.code == .notMedia)
    var random = SeededGenerator(seed: 1)
    let whole = Array(#"{"access_token":"a","expires_in":3600,"refresh_token":"b"}"#.utf8)
    for _ in 0..<2000 {
      var bytes = whole
      for _ in 0..<3 { bytes[Int.random(in: bytes.indices, using: &random)] = .random(in: 0...255, using: &random) }
      _ = TokenAnswer(status: 200, body: bytes)
    }
  }

  @Test("The request's form has every sign escaped")
  func form() throws {
    let request = TokenRequest(
      to: try WebAddress("https://a.example/token"), client: "c&d", refreshToken: "a+b/=é \u{1}", settings: Settings(),
      route: .any)
    #expect(
      request.form == "grant_type=refresh_token&refresh_token=a%2Bb%2F%3D%C3%A9%20%01&client_id=c%26d")
    #expect(!"\(request)".contains("a+b"))
  }
}

extension TokenAnswer {
  fileprivate var error: DownloadError? { if case .failed(let error) = self { error } else { nil } }
}
