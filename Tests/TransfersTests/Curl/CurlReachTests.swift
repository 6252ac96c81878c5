import EngineRuntime
import Foundation
import PodfluxCore
import ScriptedOrigin
import Testing
import TestScheduling
import TestSupport

@testable import Transfers

@Suite("The curl driver keeps exchanges within their reach", .systemTest)
struct CurlReachTests {
  private func request(_ url: String, _ reach: Reach) -> HTTPRequest {
    var request = HTTPRequest(url)
    request.reach = reach
    return request
  }

  private func failure(_ driver: CurlDriver, _ request: HTTPRequest) async throws -> ExchangeFailure? {
    if case .failure(let failure) = try await driver.fetch(request) { failure } else { nil }
  }

  @Test("so that none that is for public addresses gets to this machine, not even as a connection")
  func newConnections() async throws {
    let connections = Counter()
    let origin = try RawOrigin { connection in
      _ = connections.next()
      while connection.readHead() != nil { connection.send(response("200 OK", body: "hello")) }
    }
    let driver = try CurlDriver()
    defer { driver.shutDown() }
    for host in [
      "127.0.0.1", "localhost", "127.1", "0x7f000001", "2130706433", "0.0.0.0", "[::1]", "[::ffff:127.0.0.1]",
    ] {
      let failure = try await failure(driver, request(origin.url(host: host), .publicOnly))
      #expect(failure?.isOfReach == true, "\(host): \(String(describing: failure))")
      #expect(
        failure?.message.hasSuffix("which is no public address; podflux settings addresses=any allows it") == true)
    }
    #expect(connections.next() == 0, "a connection was made")
  }

  @Test("also over a connection that an earlier exchange has made")
  func reusedConnection() async throws {
    let requests = Counter()
    let origin = try RawOrigin.answering { _ in response("200 OK", body: "\(requests.next())") }
    let driver = try CurlDriver()
    defer { driver.shutDown() }
    for reach in [Reach.anywhere, .asNamed] {
      _ = try await driver.fetch(request(origin.url(), reach)).get()
      #expect(try await failure(driver, request(origin.url(), .publicOnly))?.reason == .notPublic)
    }
    #expect(requests.next() == 2, "a request was sent")
  }

  @Test("and says of what comes where it was")
  func peer() async throws {
    let origin = try RawOrigin.answering { _ in response("200 OK", body: "hello") }
    let driver = try CurlDriver()
    defer { driver.shutDown() }
    for reach in [Reach.anywhere, .asNamed] {
      let recorder = Recorder()
      _ = try await driver.fetch(request(origin.url(), reach), recorder).get()
      #expect(recorder.now.heads.map(\.peer) == [.private])
    }
  }

  @Test("and lets what a person has named on this machine redirect within it")
  func inside() async throws {
    let origin = try RawOrigin.answering { head in
      head.contains("/a HTTP/1.1") ? response("302 Found", ["Location: /b"]) : response("200 OK", body: "hello")
    }
    let driver = try CurlDriver()
    defer { driver.shutDown() }
    _ = try await driver.fetch(request(origin.url("/a"), .asNamed)).get()
  }

  @Test("What a proxy finds counts as public; a redirect from there leads to no other machine of the own network")
  func proxy() async throws {
    let requests = Counter()
    let origin = try RawOrigin.answering { head in
      _ = requests.next()
      let port = head.split(separator: "\r\n").first { $0.hasPrefix("Host:") }?.split(separator: ":").last ?? ""
      return head.contains("/a HTTP/1.1")
        ? response("302 Found", ["Location: http://127.0.0.1:\(port)/b"]) : response("200 OK", body: "hello")
    }
    let proxy = try ScriptedProxy.start()
    var configuration = CurlDriver.Configuration()
    configuration.proxies = ProxyEnvironment(["http_proxy": "http://127.0.0.1:\(proxy.port)", "no_proxy": "127.0.0.1"])
    let driver = try CurlDriver(configuration: configuration)
    defer { driver.shutDown() }
    let url = origin.url(host: "outside.invalid")
    let recorder = Recorder()
    _ = try await driver.fetch(request(url + "c", .publicOnly), recorder).get()
    #expect(recorder.now.heads.map(\.peer) == [.public])
    for reach in [Reach.publicOnly, .asNamed] {
      let failure = try await failure(driver, request(url + "a", reach))
      #expect(failure?.reason == .ledNotPublic)
      #expect(
        failure?.message
          == "a redirect leads to 127.0.0.1, which is no public address; podflux settings addresses=any allows it")
    }
    #expect(requests.next() == 3)
    _ = try await driver.fetch(request(url + "a", .anywhere)).get()
    #expect(!proxy.requests.isEmpty)
  }

  /// A machine with a public address of its own, in a network of the test's own.
  @Test("A public machine is reached, and its redirect to a private one is not followed")
  func publicMachine() async throws {
    let address = "198.41.0.4"
    let network: PrivateNetwork
    do {
      network = try await withCheckedThrowingContinuation { continuation in
        Thread.detachNewThread {
          continuation.resume(
            with: Result {
              let network = try PrivateNetwork()
              try network.ip("addr add \(address)/32 dev lo")
              return network
            })
        }
      }
    } catch let refusal as NamespaceRefused {
      print("skipped: no network of the test's own can be made: \(refusal)")
      return
    }
    let requests = Counter()
    let origin = try network.run {
      try RawOrigin(everywhere: true) { connection in
        while let head = connection.readHead() {
          _ = requests.next()
          let port = head.split(separator: "\r\n").first { $0.hasPrefix("Host:") }?.split(separator: ":").last ?? ""
          let isRedirect = head.contains("/a HTTP/1.1")
          connection.send(
            isRedirect
              ? response("302 Found", ["Location: http://127.0.0.1:\(port)/b"]) : response("200 OK", body: "hello"))
        }
      }
    }
    let driver = try network.run { try CurlDriver() }
    defer { driver.shutDown() }
    let recorder = Recorder()
    _ = try await driver.fetch(request(origin.url(host: address), .publicOnly), recorder).get()
    #expect(recorder.now.heads.map(\.peer) == [.public])
    for reach in [Reach.publicOnly, .asNamed] {
      let failure = try await failure(driver, request(origin.url("/a", host: address), reach))
      #expect(failure?.reason == .ledNotPublic)
    }
    #expect(requests.next() == 3)
    _ = try await driver.fetch(request(origin.url("/a", host: address), .anywhere)).get()
  }
}
