import Dispatch
import EngineRuntime
import PodfluxCore
import ScriptedOrigin
import Testing
import TestScheduling
import TestSupport

@testable import Transfers

@Suite("The curl driver keeps to routes", .systemTest)
struct CurlRouteTests {
  /// Answers every request with the address that it came from, and the number of its connection.
  @Sendable private static func introduce(_ connection: RawConnection, _ number: Int) {
    while connection.readHead() != nil { connection.send(response("200 OK", body: "\(connection.peer) \(number)")) }
  }

  private func request(_ url: String, _ route: Route) -> HTTPRequest {
    var request = HTTPRequest(url)
    request.route = route
    return request
  }

  /// What the origin answers on a route.
  private func answer(_ driver: CurlDriver, _ url: String, _ route: Route) async throws -> String {
    let recorder = Recorder()
    _ = try await driver.fetch(request(url, route), recorder).get()
    return String(decoding: recorder.now.body, as: UTF8.self)
  }

  private let cellular = Route.only(device: TwoLinkNetwork.cellular)
  private let wifi = Route.only(device: TwoLinkNetwork.wifi)

  @Test("to one host, and uses no connection of another route")
  func twoRoutes() async throws {
    guard let network = try await TwoLinkNetwork.make(Self.introduce) else { return }
    let driver = try network.driver()
    defer { driver.shutDown() }
    var answers: [String] = []
    for route in [.any, cellular, wifi, .any, cellular, wifi] {
      answers.append(try await answer(driver, network.url, route))
    }
    #expect(
      answers == [
        "10.77.1.1 0", "10.77.2.1 1", "10.77.1.1 2", "10.77.1.1 0", "10.77.2.1 1", "10.77.1.1 2",
      ])
  }

  @Test("and opens no connection that cannot be bound")
  func missingDevice() async throws {
    guard let network = try await TwoLinkNetwork.make(Self.introduce) else { return }
    let driver = try network.driver()
    defer { driver.shutDown() }
    let result = try await driver.fetch(request(network.url, .only(device: "none9")))
    guard case .failure(let failure) = result else {
      Issue.record("it was fetched all the same")
      return
    }
    #expect(failure.reason == .connectFailed)
    #expect(failure.message == "the connection cannot be bound to none9: No such device")
    #expect(try await answer(driver, network.url, .any) == "10.77.1.1 0", "that was the first connection")
  }

  @Test("and does not go over to another link when its own is gone")
  func deadLink() async throws {
    guard let network = try await TwoLinkNetwork.make(Self.introduce) else { return }
    let driver = try network.driver()
    defer { driver.shutDown() }
    #expect(try await answer(driver, network.url, wifi) == "10.77.1.1 0")
    try network.machine.ip("link set \(TwoLinkNetwork.wifi) down")
    driver.leaveNetworkPath()
    #expect(try await driver.fetch(request(network.url, wifi)).reason == .connectFailed)
    #expect(try await answer(driver, network.url, .any) == "10.77.2.1 1", "any other one does")
  }

  @Test("which this machine's own addresses need not, and a redirect from there does")
  func redirect() async throws {
    guard let network = try await TwoLinkNetwork.make(Self.introduce) else { return }
    let url = network.url
    let local = try network.localOrigin { connection in
      while connection.readHead() != nil { connection.send(response("302 Found", ["Location: \(url)"])) }
    }
    let driver = try network.driver()
    defer { driver.shutDown() }
    #expect(try await answer(driver, local.url(), cellular) == "10.77.2.1 0")
    #expect(try await answer(driver, local.url(), .any) == "10.77.1.1 1")
    #expect(try await driver.fetch(request(local.url(), .loopback)).reason == .pathRefused)
    #expect(try await driver.fetch(request(url, .loopback)).reason == .pathRefused)
    #expect(try await answer(driver, url, .any) == "10.77.1.1 1", "the refused ones have come nowhere")
  }

  @Test("whose connections end when the path is left, idle or not, and are not used afterwards")
  func leaveNetworkPath() async throws {
    let network = try await TwoLinkNetwork.make { connection, number in
      guard connection.readHead() != nil else { return }
      connection.send(response("200 OK", body: "\(number)"))
      guard connection.readHead() != nil else { return }
      connection.send("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nab")
      connection.waitForClose()
    }
    guard let network else { return }
    let driver = try network.driver()
    defer { driver.shutDown() }
    #expect(try await answer(driver, network.url, .any) == "0")
    let running = Recorder()
    _ = driver.start(request(network.url, .any), delegate: running)
    await running.wait(for: .head)
    #expect(try await answer(driver, network.url, .any) == "1")

    driver.leaveNetworkPath()
    #expect(try await answer(driver, network.url, .any) == "2", "1 was idle, and is of the old path")
    #expect(try await running.outcome().reason == .connectionLost)
    #expect(running.now.body == Array("ab".utf8))
  }

  @Test("and lets what runs on this machine go on when the path is left")
  func leavePathOnLoopback() async throws {
    let order = DispatchSemaphore(value: 0)
    let origin = try RawOrigin { connection in
      guard connection.readHead() != nil else { return }
      connection.send("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nab")
      order.wait()
      connection.send("cd")
    }
    let driver = try CurlDriver()
    defer { driver.shutDown() }
    let recorder = Recorder()
    _ = driver.start(request(origin.url(), .loopback), delegate: recorder)
    await recorder.wait(for: .head)
    driver.leaveNetworkPath()
    order.signal()
    #expect(try await recorder.outcome().get().bytesReceived == 4)
  }

  @Test("also where a connection is shared by many: each route has one, and another one after the path was left")
  func multiplexed() async throws {
    let folder = try TemporaryFolder("podflux-routes")
    let origin = try HTTP2Origin.start(tls: .fixture, script: [.answer])
    let driver = try CurlDriver.trusting(in: folder)
    defer { driver.shutDown() }
    func fetchAll() async throws {
      let recorders = (0..<40).map { _ in Recorder() }
      for (index, recorder) in recorders.enumerated() {
        _ = driver.start(request(origin.url, index % 2 == 0 ? .any : .loopback), delegate: recorder)
      }
      for recorder in recorders { #expect(try await recorder.outcome().get().bytesReceived == 5) }
    }
    try await fetchAll()
    #expect(Set(origin.requests.map(\.connection)) == [0, 1])
    driver.leaveNetworkPath()
    try await fetchAll()
    #expect(Set(origin.requests.dropFirst(40).map(\.connection)) == [2, 3])
  }

  @Test("and counts what has come over a link, of use or not")
  func fetched() async throws {
    let body = String(repeating: "x", count: 100_000)
    let network = try await TwoLinkNetwork.make { connection, _ in
      while let head = connection.readHead() {
        let isRedirect = head.hasPrefix("GET / ")
        connection.send(
          isRedirect ? response("302 Found", ["Location: /file"], body: "12345") : response("200 OK", body: body))
      }
    }
    guard let network else { return }
    let local = try network.localOrigin { connection in
      while connection.readHead() != nil { connection.send(response("200 OK", body: body)) }
    }
    let driver = try network.driver()
    defer { driver.shutDown() }
    let recorder = Recorder()
    _ = try await driver.fetch(request(network.url, .any), recorder).get()
    #expect(recorder.now.fetched == 100_005)

    let stopped = Recorder { $0.body.count < 20_000 ? .more : .stop }
    #expect(try await driver.fetch(request(network.url, .any), stopped).reason == .refusedByDelegate)
    #expect(stopped.now.fetched > 20_000 && stopped.now.fetched <= 100_005)

    let paused = Recorder(resumesAtOnce: true) { $0.pauses < 3 ? .pause : .more }
    _ = try await driver.fetch(request(network.url, .any), paused).get()
    #expect(paused.now.fetched == 100_005, "what was handed over again has come once")

    let here = Recorder()
    _ = try await driver.fetch(request(local.url(), .any), here).get()
    #expect(here.now.body.count == 100_000)
    #expect(here.now.fetched == 0)
  }
}
