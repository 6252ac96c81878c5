import Dispatch
import PodfluxCore
import Testing
import TestScheduling

@testable import Transfers

@Suite("An attempt", .systemTest)
struct TransferServiceTests {
  private static let body = Array("ID3".utf8) + [UInt8](repeating: 0, count: 400_000)

  private func origin() throws -> RawOrigin {
    try RawOrigin { connection in
      while connection.readHead() != nil {
        connection.send("HTTP/1.1 200 OK\r\nContent-Type: audio/mpeg\r\nContent-Length: \(Self.body.count)\r\n\r\n")
        connection.send(Self.body)
      }
    }
  }

  // MARK: Room

  @Test("requests nothing that does not fit beside the reserve, and says how much is missing")
  func noRoomAtFirst() async throws {
    let requests = Counter()
    let origin = try RawOrigin { connection in
      _ = requests.next()
      _ = connection.readHead()
    }
    let service = try ServiceUnderTest(files: MemoryFiles(available: 1 << 30))
    service.limit(TransferLimits(reserveFreeBytes: 1 << 30))
    _ = try service.start(origin.url())
    guard case .failed(let error, nil, _) = try await service.end() else {
      Issue.record("\(service.reports)")
      return
    }
    #expect(error.code == .noSpace)
    #expect(error.shortBytes == 1 << 20)
    #expect(error.message.contains("\(1 << 30) left free as the reserve"))
    #expect(requests.next() == 0)
  }

  @Test("that runs keeps to the newest reserve, and keeps what it has written")
  func noRoomLater() async throws {
    let order = DispatchSemaphore(value: 0)
    let origin = try RawOrigin { connection in
      guard connection.readHead() != nil else { return }
      connection.send("HTTP/1.1 200 OK\r\nContent-Type: audio/mpeg\r\nContent-Length: \(Self.body.count)\r\n\r\n")
      connection.send(Array(Self.body[..<100_000]))
      order.wait()
      connection.send(Array(Self.body[100_000...]))
    }
    let service = try ServiceUnderTest(files: MemoryFiles(available: 1 << 30))
    _ = try service.start(origin.url())
    try await service.next { _ in service.files.contents.count == 100_000 }
    service.limit(TransferLimits(reserveFreeBytes: 1 << 30))
    order.signal()
    guard case .failed(let error, let kept?, _) = try await service.end() else {
      Issue.record("\(service.reports)")
      return
    }
    #expect(error.code == .noSpace)
    #expect(error.shortBytes ?? 0 > 0)
    #expect(kept.durable == 100_000)
  }

  // MARK: Routes and what came over them

  @Test("that is led away from this machine, and may not go there, is refused its path and has not failed")
  func pathRefused() async throws {
    let origin = try RawOrigin.answering { _ in response("302 Found", ["Location: http://192.0.2.1/a.mp3"]) }
    let service = try ServiceUnderTest()
    _ = try service.start(origin.url(), route: .loopback)
    #expect(try await service.end() == .pathRefused(kept: nil))
  }

  @Test("whose device is not there fails to connect, and the reason names it")
  func missingDevice() async throws {
    let service = try ServiceUnderTest()
    _ = try service.start("http://192.0.2.1/a.mp3", route: .only(device: "none9"))
    guard case .failed(let error, nil, _) = try await service.end() else {
      Issue.record("\(service.reports)")
      return
    }
    #expect(error.code == .connectFailed)
    #expect(error.message.contains("none9"))
  }

  @Test("tells once of every byte that came over a link, and of none from this machine")
  func fetched() async throws {
    let network = try await TwoLinkNetwork.make { connection, _ in
      guard connection.readHead() != nil else { return }
      connection.send("HTTP/1.1 200 OK\r\nContent-Type: audio/mpeg\r\nContent-Length: \(Self.body.count)\r\n\r\n")
      connection.send(Self.body)
    }
    guard let network else { return }
    let service = try ServiceUnderTest(in: network.machine)
    _ = try service.start(network.url)
    guard case .finished = try await service.end() else {
      Issue.record("\(service.reports)")
      return
    }
    #expect(service.reports.reduce(0) { $0 + $1.fetched } == Self.body.count)
    #expect(service.reports.allSatisfy { !$0.news.isReading || $0.fetched == 0 })

    let local = try ServiceUnderTest()
    let origin = try origin()
    _ = try local.start(origin.url())
    guard case .finished = try await local.end() else {
      Issue.record("\(local.reports)")
      return
    }
    #expect(local.reports.allSatisfy { $0.fetched == 0 })
  }

  @Test("that is stopped tells of the bytes that it does not keep, too")
  func fetchedInVain() async throws {
    let network = try await TwoLinkNetwork.make { connection, _ in
      guard connection.readHead() != nil else { return }
      connection.send("HTTP/1.1 200 OK\r\nContent-Type: audio/mpeg\r\nContent-Length: \(Self.body.count)\r\n\r\n")
      connection.send(Array(Self.body[..<100_000]))
      connection.waitForClose()
    }
    guard let network else { return }
    let service = try ServiceUnderTest(in: network.machine)
    let attempt = try service.start(network.url)
    try await service.next { _ in service.files.contents.count == 100_000 }
    service.stop(attempt)
    guard case .stopped(let kept?) = try await service.end() else {
      Issue.record("\(service.reports)")
      return
    }
    #expect(kept.durable == 100_000)
    #expect(service.reports.reduce(0) { $0 + $1.fetched } == 100_000)
  }

  // MARK: Bandwidth

  @Test("that waits for the others' bytes and is stopped ends at once, with what it has")
  func stoppedWhileLimited() async throws {
    let origin = try origin()
    let service = try ServiceUnderTest()
    service.limit(TransferLimits(bytesPerSecond: 4096))
    let attempt = try service.start(origin.url())
    try await service.next { _ in !service.files.contents.isEmpty }
    let start = ContinuousClock.now
    service.stop(attempt)
    guard case .stopped(let kept?) = try await service.end() else {
      Issue.record("\(service.reports)")
      return
    }
    // The rest of the body is 90 s away.
    #expect(ContinuousClock.now - start < .seconds(5))
    print("an attempt that waits for bandwidth stopped in \(ContinuousClock.now - start)")
    #expect(kept.durable > 0 && kept.durable < 100_000)
    #expect(Int64(service.files.contents.count) == kept.durable)
  }
}
