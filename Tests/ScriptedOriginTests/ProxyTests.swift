import Foundation
import ScriptedOrigin
import Testing
import TestScheduling

@Suite("A proxy", .systemTest)
struct ProxyTests {
  @Test("forwards requests in absolute form, without its own fields")
  func absoluteForm() throws {
    try withOrigin { origin in
      let proxy = try ScriptedProxy.start(credentials: "me:pw")
      origin.serve("/a?x=1", .status(200, body: .text("hello")))
      let client = try RawClient(port: proxy.port)
      let authorization = "Basic " + Data("me:pw".utf8).base64EncodedString()
      client.send(
        "GET \(origin.url("/a?x=1")) HTTP/1.1\r\nHost: a.example\r\nProxy-Authorization: \(authorization)\r\n\r\n")
      #expect(try client.readHead().status == 200)
      #expect(try client.readToEnd() == Array("hello".utf8))
      #expect(proxy.requests.map(\.target) == [origin.url("/a?x=1")])
      let seen = try #require(origin.requests.first)
      #expect(seen.target == "/a?x=1")
      #expect(seen.headers["Host"] == "a.example" && seen.headers["Proxy-Authorization"] == nil)
    }
  }

  @Test("tunnels, in both directions, until one side ends")
  func tunnel() throws {
    try withOrigin { origin in
      let proxy = try ScriptedProxy.start()
      let body = Body.stamped(length: 1_000_000, seed: 2)
      origin.serve("/", Resource(body))
      let client = try RawClient(port: proxy.port)
      client.send("CONNECT a.example:\(origin.port) HTTP/1.1\r\n\r\n")
      #expect(try client.readHead().status == 200)
      for _ in 0..<2 {
        client.sendRequest("/")
        #expect(try client.readHead().status == 200)
        #expect(try client.readBody(body.length) == body.allBytes)
      }
      origin.dropConnections()
      #expect(try client.readToEnd().isEmpty)
      #expect(proxy.requests.map(\.method) == ["CONNECT"])
    }
  }

  @Test("requires its password")
  func password() throws {
    let proxy = try ScriptedProxy.start(credentials: "me:pw")
    let client = try RawClient(port: proxy.port)
    client.send("CONNECT a.example:1 HTTP/1.1\r\nProxy-Authorization: Basic bWU6cHg=\r\n\r\n")
    #expect(try client.readHead().status == 407)
    #expect(proxy.requests.count == 1)
  }

  @Test("reports an unreachable origin", .systemTestAlone)
  func unreachable() throws {
    let origin = try ScriptedOrigin.start()
    try origin.stop()
    let proxy = try ScriptedProxy.start()
    let client = try RawClient(port: proxy.port)
    client.send("GET \(origin.url("/")) HTTP/1.1\r\n\r\n")
    #expect(try client.readHead().status == 502)
  }
}
