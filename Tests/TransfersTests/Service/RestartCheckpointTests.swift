import PodfluxCore
import Testing
import TestScheduling

@testable import Transfers

@Suite("An attempt whose file is another one now", .systemTest)
struct RestartCheckpointTests {
  /// Seed 7 of the simulator: a server sent the whole file again. Checkpoints were counted from the old length, so that
  /// none was made before the new version had outgrown it.
  @Test("has bytes of the new version made durable before they are as many as it had of the former one")
  func newVersion() async throws {
    let checkpoint = Int(WritePolicy.checkpointBytes)
    let former = Array("ID3".utf8) + [UInt8](repeating: 1, count: 3 * checkpoint)
    let new = Array("ID3".utf8) + [UInt8](repeating: 2, count: 2 * checkpoint)
    let connections = Counter()
    let origin = try RawOrigin { connection in
      let isFirst = connections.next() == 0
      while connection.readHead() != nil {
        let body = isFirst ? former : new
        connection.send("HTTP/1.1 200 OK\r\nContent-Type: audio/mpeg\r\nContent-Length: \(body.count)\r\n\r\n")
        connection.send(Array(isFirst ? body.dropLast() : body[...]))
        if isFirst { return }
      }
    }
    let service = try ServiceUnderTest()
    _ = try service.start(origin.url())
    guard case .failed(_, let kept?, _) = try await service.end() else {
      Issue.record("\(service.reports)")
      return
    }
    #expect(kept.durable == Int64(former.count) - 1)
    _ = try service.start(origin.url()) { attempt in
      attempt.id.generation = 2
      attempt.resume = kept
    }
    guard case .finished = try await service.end() else {
      Issue.record("\(service.reports)")
      return
    }
    let news = service.reports.map(\.news)
    let restart = try #require(news.firstIndex { if case .restarting = $0 { true } else { false } })
    let durable = news[restart...].compactMap { if case .checkpoint(let record) = $0 { record.durable } else { nil } }
    #expect(durable.contains { (1...Int64(new.count)).contains($0) }, "\(durable)")
  }
}
