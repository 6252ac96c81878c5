import Dispatch
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
    let former = Array("ID3".utf8) + [UInt8](repeating: 1, count: 2 * checkpoint)
    let new = Array("ID3".utf8) + [UInt8](repeating: 2, count: checkpoint + checkpoint / 2)
    // The server sends the rest when the checkpoint has been seen, or not in time.
    let isSeen = DispatchSemaphore(value: 0)
    let connections = Counter()
    let origin = try RawOrigin { connection in
      let isFirst = connections.next() == 0
      let body = isFirst ? former : new
      guard connection.readHead() != nil else { return }
      connection.send("HTTP/1.1 200 OK\r\nContent-Type: audio/mpeg\r\nContent-Length: \(body.count)\r\n\r\n")
      guard !isFirst else { return connection.send(Array(body.dropLast())) }
      connection.send(Array(body[..<(checkpoint + checkpoint / 4)]))
      _ = isSeen.wait(timeout: .now() + 20)
      connection.send(Array(body[(checkpoint + checkpoint / 4)...]))
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
    let checkpointed = try await service.next { news in
      if case .checkpoint(let record) = news { record.durable > 0 } else { false }
    }
    isSeen.signal()
    guard case .checkpoint(let record) = checkpointed else {
      Issue.record("\(service.reports)")
      return
    }
    #expect(record.durable < kept.durable)
    guard case .finished = try await service.end() else {
      Issue.record("\(service.reports)")
      return
    }
  }
}
