import Flux
import PodfluxCore
import Testing

@testable import WireProtocol

@Suite("Lines about sessions")
struct SessionLineTests {
  private func request(_ line: String) throws -> Request {
    try LineDecoder().decode(Array(line.utf8), number: 1).content.get()
  }

  private func opening(_ members: String) throws -> SessionIntent.Opening? {
    guard
      case .intent(.sessions(.open(let opening))) = try request(
        #"{"type":"sessions/open","payload":{\#(members)}}"#)
    else { return nil }
    return opening
  }

  @Test("A session is read with its hosts in lower case, and with the place of its secret")
  func reading() throws {
    let text = try opening(#""id":"s","hosts":["A.example:8080"],"kind":"basic","user":"me","secret":"x y""#)
    #expect(text?.id == SessionID("s"))
    #expect(text?.login == Login(.init(hosts: ["a.example:8080"], kind: .basic, user: "me"), source: .text("x y")))
    #expect(try opening(#""hosts":["a"],"kind":"bearer","secretFile":"/f""#)?.login.source == .file("/f"))
    #expect(try opening(#""hosts":["a"],"kind":"digest","netrc":true"#)?.login.source == .netrc)
    #expect(try opening(#""hosts":["a"],"kind":"none""#)?.login.source == nil)
    #expect(
      try opening(#""hosts":["a"],"kind":"parameter","parameter":"auth","secretFile":"/f""#)?.login.wish
        == .init(hosts: ["a"], kind: .parameter, parameter: "auth"))
  }

  @Test("A feed and a download take a session, none, or a new one")
  func choices() throws {
    func choice(_ members: String) throws -> SessionChoice? {
      guard
        case .intent(.downloads(.update(_, let update))) = try request(
          #"{"type":"downloads/update","payload":{"id":"d",\#(members)}}"#)
      else { return nil }
      return update.session
    }
    #expect(try choice(#""session":"s""#) == SessionID("s").map { .known($0) })
    #expect(try choice(#""session":null"#) == SessionChoice.none)
    #expect(
      try choice(#""auth":{"kind":"bearer","secret":"t"}"#)
        == .new(Login(.init(hosts: [], kind: .bearer), source: .text("t"))))
    #expect(try choice(#""title":"t""#) == nil)
  }

  @Test("Only a line for an engine has the secret")
  func blanks() throws {
    let login = Login(.init(hosts: ["a.example"], kind: .basic, user: "me"), source: .text("hunter2"))
    let intent = Intent.sessions(.open(.init(id: nil, login: login)))
    var encoder = LineEncoder()
    encoder.action(.intent(intent), sequence: 1, revision: 1, time: Timestamp(milliseconds: 0))
    #expect(!String(decoding: encoder.bytes, as: UTF8.self).contains("hunter2"))
    var requests = RequestEncoder()
    requests.append(.intent(intent), id: 1)
    #expect(String(decoding: requests.bytes, as: UTF8.self).contains("hunter2"))
    #expect(!"\(intent)".contains("hunter2"))
  }

  @Test("A refusal repeats nothing of the secret")
  func refusals() {
    let long = String(repeating: "s3cret", count: 4000)
    for members in [
      #""hosts":["a"],"kind":"basic","secret":"\#(long)""#, #""hosts":["a"],"kind":"basic","secret":"s3cret\n""#,
    ] {
      do {
        _ = try opening(members)
        Issue.record("it is taken")
      } catch let refusal as Refusal {
        #expect(refusal.path == "payload.secret" && !refusal.message.contains("s3cret"))
      } catch {
        Issue.record(error)
      }
    }
  }

  @Test("A snapshot shows a session without secret, reference, name and address of tokens")
  func snapshot() throws {
    let wish = Session.Wish(
      hosts: ["a.example"], kind: .refreshing, user: "client", tokenURL: try WebAddress("https://login.example/t"),
      secret: SecretReference(String(repeating: "a", count: 32)))
    let session = Session(
      key: 1, id: try #require(SessionID("s")), wish: wish,
      state: .loginFailed(DownloadError(.unauthorized, "no", status: 400)), since: Timestamp(milliseconds: 0),
      expires: Timestamp(milliseconds: 1000))
    var encoder = LineEncoder()
    encoder.answer(.snapshot(Snapshot(revision: 3, sessions: [session])), id: nil, revision: 3)
    #expect(
      String(decoding: encoder.bytes, as: UTF8.self)
        == #"{"meta":{"revision":3},"payload":{"sessions":{"items":[{"error":{"code":"unauthorized","message":"no","status":400},"expires":"1970-01-01T00:00:01.000Z","hosts":["a.example"],"id":"s","kind":"refreshing","since":"1970-01-01T00:00:00.000Z","state":"loginFailed"}],"next":null}},"type":"ok"}"#
        + "\n")
    guard case .query(.snapshot(let query)) = try request(#"{"type":"sessions/list"}"#) else {
      Issue.record("it is no question")
      return
    }
    #expect(query.stores == [.sessions])
  }
}
