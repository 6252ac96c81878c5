import PodfluxCore
import TestSupport
import Testing
import WireProtocol

@Suite("Lines that must be refused")
struct BadLinesTests {
  @Test("are refused with their code and path, in one bounded sentence", arguments: BadLines.all)
  func refusals(bad: BadLine) throws {
    let line = LineDecoder().decode(bad.bytes, number: 7)
    #expect(line.number == 7)
    switch line.content {
    case .success: #expect(bad.isRefusedByEngine, "it was taken for \(line.content)")
    case .failure(let refusal):
      #expect(!bad.isRefusedByEngine)
      #expect(refusal.code.rawValue == bad.code, "\(refusal)")
      #expect(refusal.path == bad.path, "\(refusal)")
      #expect((10...600).contains(refusal.message.utf8.count), "\(refusal)")
      #expect((refusal.path ?? "").utf8.count <= 400)
    }
  }

  @Test("have names of their own, so that a failure says which it was")
  func names() {
    #expect(Set(BadLines.all.map(\.name)).count == BadLines.all.count)
    #expect(BadLines.all.count >= 70)
  }
}
