import PodfluxCore
import PodfluxEngine
import Testing

@testable import podflux

@Suite("A client's unanswered requests")
struct RequestGateTests {
  private let action = EngineRequest.Content.intent(.filters(.clear))
  private let query = EngineRequest.Content.query(.snapshot(.init()))

  private func admits(_ gate: inout RequestGate, _ content: EngineRequest.Content, _ byteCount: Int) -> Bool {
    gate.admit(content, byteCount: byteCount)
  }

  @Test("Only so many are posted, and one more for each that is answered")
  func count() {
    var gate = RequestGate()
    var admitted = 0
    while admits(&gate, action, 10) { admitted += 1 }
    #expect(admitted == RequestGate.maximumRequests)
    #expect(!gate.isOpen)
    gate.release(action, byteCount: 10)
    #expect(gate.isOpen)
    #expect(admits(&gate, action, 10))
    #expect(!gate.isOpen)
    for _ in 0..<admitted { gate.release(action, byteCount: 10) }
    #expect(gate.isAnswered && gate == RequestGate())
  }

  @Test("Fewer of them are queries, whose answers may be long; actions pass")
  func queries() {
    var gate = RequestGate()
    for _ in 0..<RequestGate.maximumQueries { #expect(admits(&gate, query, 10)) }
    #expect(!admits(&gate, query, 10))
    #expect(admits(&gate, action, 10))
    gate.release(query, byteCount: 10)
    #expect(admits(&gate, query, 10))
  }

  @Test("Their lines are limited together, but one alone may be longer")
  func bytes() {
    var gate = RequestGate()
    #expect(admits(&gate, action, RequestGate.maximumBytes + 1))
    #expect(!gate.isOpen)
    #expect(!admits(&gate, action, 1))
    gate.release(action, byteCount: RequestGate.maximumBytes + 1)
    #expect(admits(&gate, action, RequestGate.maximumBytes - 1))
    #expect(!admits(&gate, action, 2))
    #expect(admits(&gate, action, 1))
  }

  @Test("Nothing is posted behind a request that others would overtake")
  func held() throws {
    var gate = RequestGate()
    let preview = EngineRequest.Content.query(.preview(.init(address: try WebAddress("http://127.0.0.1/feed"))))
    #expect(admits(&gate, action, 1))
    #expect(admits(&gate, preview, 1))
    #expect(!gate.isOpen)
    #expect(!admits(&gate, action, 1))
    gate.release(action, byteCount: 1)
    #expect(!gate.isOpen)
    gate.release(preview, byteCount: 1)
    #expect(gate.isOpen && gate.isAnswered)
  }
}
