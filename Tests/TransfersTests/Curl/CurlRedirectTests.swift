import EngineRuntime
import PodfluxCore
import Synchronization
import Testing
import TestScheduling

@testable import Transfers

@Suite("The curl driver follows redirects:", .systemTest)
struct CurlRedirectTests {
  @Test("relative ones with their body read past, client headers kept, and a head only of the last")
  func relative() async throws {
    let origin = try RawOrigin.answering { head in
      guard head.contains("X-Key: 1\r\n") else { return response("403 Forbidden") }
      if head.hasPrefix("GET /a/one ") { return response("302 Found", ["Location: two?x=1"], body: "moved") }
      if head.hasPrefix("GET /a/two?x=1 ") { return response("301 Moved", ["Location: /three#part"]) }
      return response("200 OK", body: "here")
    }
    let driver = try CurlDriver()
    defer { driver.shutDown() }
    var request = HTTPRequest(origin.url("/a/one"))
    request.headers = [(name: "X-Key", value: "1")]
    let recorder = Recorder()
    _ = driver.start(request, delegate: recorder)

    #expect(try await recorder.outcome().get().bytesReceived == 4)
    let heads = recorder.now.heads
    #expect(heads.map(\.status) == [200])
    #expect(heads.first?.redirects == 2)
    #expect(heads.first?.effectiveURL == origin.url("/three"))
    #expect(recorder.now.body == Array("here".utf8))
  }

  @Test("to another port without the client's headers and user info, but with the range")
  func otherOrigin() async throws {
    let seen = Mutex("")
    let target = try RawOrigin.answering { head in
      seen.withLock { $0 = head }
      return response("200 OK")
    }
    let location = target.url("/there")
    let origin = try RawOrigin.answering { _ in response("307 Temporary Redirect", ["Location: \(location)"]) }
    let driver = try CurlDriver()
    defer { driver.shutDown() }
    var request = HTTPRequest("http://me:pw@127.0.0.1:\(origin.port)/")
    request.headers = [(name: "X-Key", value: "1"), (name: "Authorization", value: "Bearer x")]
    request.rangeStart = 7
    let recorder = Recorder()
    _ = driver.start(request, delegate: recorder)

    _ = try await recorder.outcome().get()
    let head = seen.withLock { $0 }
    #expect(head.hasPrefix("GET /there "))
    #expect(head.contains("Range: bytes=7-\r\n"))
    #expect(!head.contains("X-Key") && !head.contains("Authorization"))
  }

  @Test("of every kind, with the client's headers at home only", arguments: [301, 302, 303, 307, 308])
  func everyStatus(status: Int) async throws {
    let seen = Mutex<[String]>([])
    let target = try RawOrigin.answering { head in
      seen.withLock { $0.append(head) }
      return response("200 OK")
    }
    let away = target.url("/away")
    let origin = try RawOrigin.answering { head in
      seen.withLock { $0.append(head) }
      return response("\(status) Moved", ["Location: \(head.hasPrefix("GET /one ") ? "/two" : away)"])
    }
    let driver = try CurlDriver()
    defer { driver.shutDown() }
    var request = HTTPRequest("http://me:pw@127.0.0.1:\(origin.port)/one")
    request.headers = [(name: "X-Key", value: "1")]
    let recorder = Recorder()
    _ = driver.start(request, delegate: recorder)

    _ = try await recorder.outcome().get()
    let heads = seen.withLock { $0 }
    #expect(heads.map { $0.prefix { $0 != "H" } } == ["GET /one ", "GET /two ", "GET /away "])
    #expect(heads.map { $0.contains("X-Key: 1\r\n") } == [true, true, false])
    #expect(heads.map { $0.contains("Authorization: Basic") } == [true, true, false])
  }

  @Test("away and back again, without what the client gave along for home")
  func backAgain() async throws {
    let seen = Mutex<[String]>([])
    let home = Mutex("")
    let target = try RawOrigin.answering { _ in response("302 Found", ["Location: \(home.withLock { $0 })"]) }
    let away = target.url()
    let origin = try RawOrigin.answering { head in
      seen.withLock { $0.append(head) }
      return head.hasPrefix("GET /back ") ? response("200 OK") : response("302 Found", ["Location: \(away)"])
    }
    home.withLock { $0 = origin.url("/back") }
    let driver = try CurlDriver()
    defer { driver.shutDown() }
    var request = HTTPRequest("http://me:pw@127.0.0.1:\(origin.port)/")
    request.headers = [(name: "Cookie", value: "a=1")]
    let recorder = Recorder()
    _ = driver.start(request, delegate: recorder)

    _ = try await recorder.outcome().get()
    let heads = seen.withLock { $0 }
    #expect(heads.map { $0.contains("Cookie") } == [true, false])
    #expect(heads.map { $0.contains("Authorization") } == [true, false])
  }

  @Test("to another name of the same machine as to a stranger")
  func otherName() async throws {
    let seen = Mutex("")
    let port = Mutex(UInt16(0))
    let origin = try RawOrigin.answering { head in
      guard head.hasPrefix("GET /there ") else {
        return response("302 Found", ["Location: http://localhost:\(port.withLock { $0 })/there"])
      }
      seen.withLock { $0 = head }
      return response("200 OK")
    }
    port.withLock { $0 = origin.port }
    let driver = try CurlDriver()
    defer { driver.shutDown() }
    var request = HTTPRequest(origin.url())
    request.headers = [(name: "X-Key", value: "1")]
    let recorder = Recorder()
    _ = driver.start(request, delegate: recorder)

    _ = try await recorder.outcome().get()
    #expect(seen.withLock { $0.hasPrefix("GET /there ") && !$0.contains("X-Key") })
  }

  @Test("with user info of their own, which goes there and no further")
  func userInfo() async throws {
    let seen = Mutex<[String]>([])
    let last = try RawOrigin.answering { head in
      seen.withLock { $0.append(head) }
      return response("200 OK")
    }
    let lastURL = last.url("/last")
    let second = try RawOrigin.answering { head in
      seen.withLock { $0.append(head) }
      return response("302 Found", ["Location: \(lastURL)"])
    }
    let location = "http://u:p%40@127.0.0.1:\(second.port)/second"
    let first = try RawOrigin.answering { _ in response("302 Found", ["Location: \(location)"]) }
    let driver = try CurlDriver()
    defer { driver.shutDown() }
    let recorder = Recorder()
    _ = driver.start(HTTPRequest(first.url()), delegate: recorder)

    _ = try await recorder.outcome().get()
    let heads = seen.withLock { $0 }
    #expect(heads.map { $0.contains("Authorization: Basic dTpwQA==\r\n") } == [true, false])
    #expect(heads.map { $0.contains("Authorization") } == [true, false])
    #expect(recorder.now.heads.first?.effectiveURL == lastURL)
  }

  @Test(
    "to places that are relative",
    arguments: [
      ("two?x=1", "/a/two?x=1"), ("/two", "/two"), ("?x=2", "/a/one?x=2"), ("../two", "/two"),
      ("../../../b/./c", "/b/c"),
      ("two#part", "/a/two"), ("//127.0.0.1:80/two", "/two"), ("two words", "/a/two%20words"),
    ])
  func relativePlace(location: String, path: String) throws {
    let next = try HTTPHop(to: "http://127.0.0.1/a/one?x=1").following(location: location)
    #expect(next.url.text == "http://127.0.0.1" + path || next.url.text == "http://127.0.0.1:80" + path)
    #expect(next.carriesClientHeaders)
  }

  @Test("before the end of a body that does not come")
  func silentBody() async throws {
    let origin = try RawOrigin { connection in
      guard let head = connection.readHead() else { return }
      guard head.hasPrefix("GET /silent ") else { return connection.send(response("200 OK", body: "ok")) }
      connection.send("HTTP/1.1 302 Found\r\nLocation: /next\r\nContent-Length: 9\r\n\r\nab")
      connection.waitForClose()
    }
    let driver = try CurlDriver()
    defer { driver.shutDown() }
    let recorder = Recorder()
    _ = driver.start(HTTPRequest(origin.url("/silent"), firstByteTimeoutMilliseconds: 500), delegate: recorder)
    #expect(try await recorder.outcome().get().bytesReceived == 2)
  }

  @Test("ten of them, and no more")
  func tooMany() async throws {
    let origin = try RawOrigin.answering { head in
      let number = Int(head.dropFirst("GET /".count).prefix { $0.isNumber }) ?? 0
      return number == 10 ? response("200 OK") : response("302 Found", ["Location: /\(number + 1)"])
    }
    let driver = try CurlDriver()
    defer { driver.shutDown() }
    let (ten, endless) = (Recorder(), Recorder())
    _ = driver.start(HTTPRequest(origin.url("/0")), delegate: ten)
    _ = driver.start(HTTPRequest(origin.url("/11")), delegate: endless)

    _ = try await ten.outcome().get()
    #expect(ten.now.heads.first?.redirects == 10)
    #expect(try await endless.outcome().reason == .tooManyRedirects)
    #expect(endless.now.heads.isEmpty)
  }

  @Test("with a body without end, of which little is read")
  func endlessBody() async throws {
    let origin = try RawOrigin { connection in
      guard let head = connection.readHead() else { return }
      guard head.hasPrefix("GET /long ") else { return connection.send(response("200 OK", body: "ok")) }
      connection.send("HTTP/1.1 302 Found\r\nLocation: /next\r\n\r\n")
      connection.send([UInt8](repeating: 0, count: 8_000_000))
      connection.waitForClose()
    }
    let driver = try CurlDriver()
    defer { driver.shutDown() }
    let recorder = Recorder()
    _ = driver.start(HTTPRequest(origin.url("/long")), delegate: recorder)
    #expect(try await recorder.outcome().get().bytesReceived == 2)
  }

  @Test("to other schemes never", arguments: ["ftp://127.0.0.1/a", "file:///etc/passwd", "javascript://x/"])
  func otherScheme(location: String) async throws {
    let origin = try RawOrigin.answering { _ in response("302 Found", ["Location: \(location)"]) }
    let driver = try CurlDriver()
    defer { driver.shutDown() }
    let recorder = Recorder()
    _ = driver.start(HTTPRequest(origin.url()), delegate: recorder)
    #expect(try await recorder.outcome().reason == .unsafeRedirect)
    #expect(recorder.now.heads.isEmpty)
  }

  @Test("from https to http never, back to an earlier origin without the client's headers")
  func hops() throws {
    let start = try HTTPHop(to: "https://u:p@Example.com/a/b?q#f")
    #expect(start.url.text.hasSuffix("/a/b?q"))
    #expect(start.credentials == CurlURL.Credentials(user: "u", password: "p"))

    #expect(throws: ExchangeFailure.self) { try start.following(location: "http://example.com/a") }
    let daring = try HTTPHop(to: "https://u:p@example.com/", allowingInsecureRedirects: true)
    let insecure = try daring.following(location: "http://example.com/a")
    #expect(!insecure.carriesClientHeaders && insecure.credentials == nil)
    #expect(try insecure.following(location: "https://example.com/b").following(location: "http://x/").redirects == 3)
    #expect(throws: ExchangeFailure.self) { try daring.following(location: "ftp://example.com/a") }
    let same = try start.following(location: "//EXAMPLE.com:443/c d")
    #expect(same.carriesClientHeaders && same.credentials != nil)
    #expect(same.url.text.hasSuffix("/c%20d"))
    let other = try same.following(location: "https://cdn.example.com/c")
    #expect(!other.carriesClientHeaders && other.credentials == nil)
    let back = try other.following(location: "https://example.com/c")
    #expect(!back.carriesClientHeaders && back.credentials == nil)
    #expect(back.redirects == 3)

    let plain = try HTTPHop(to: "http://example.com/")
    #expect(try plain.following(location: "https://example.com/").carriesClientHeaders == false)
    #expect(try plain.following(location: "http://example.com:8080/").carriesClientHeaders == false)
  }

  @Test("a redirect without a place to go is a response like any other")
  func noLocation() async throws {
    let origin = try RawOrigin.answering { _ in response("302 Found", body: "?") }
    let driver = try CurlDriver()
    defer { driver.shutDown() }
    let recorder = Recorder()
    _ = driver.start(HTTPRequest(origin.url()), delegate: recorder)
    _ = try await recorder.outcome().get()
    #expect(recorder.now.heads.map(\.status) == [302])
  }
}

extension HTTPHop {
  fileprivate func following(location: String) throws(ExchangeFailure) -> HTTPHop {
    try following(Redirection(location: location, isPermanent: false))
  }
}
