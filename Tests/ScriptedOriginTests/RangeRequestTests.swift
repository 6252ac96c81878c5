import Testing

@testable import ScriptedOrigin

@Suite("A Range header")
struct RangeRequestTests {
  @Test(
    "selects parts of 100 bytes",
    arguments: [
      ("bytes=0-0", [0..<1]), ("bytes=10-19", [10..<20]), ("bytes=90-", [90..<100]), ("bytes=-30", [70..<100]),
      ("bytes=50-1000", [50..<100]), ("bytes=-1000", [0..<100]), ("BYTES=99-", [99..<100]),
      ("bytes=0-1, 5-6", [0..<2, 5..<7]), ("bytes=0-99999999999999999999", [0..<100]), ("bytes=200-, 1-2", [1..<3]),
    ])
  func parts(header: String, expected: [Range<Int>]) {
    #expect(RangeRequest(header, length: 100) == .parts(expected))
  }

  @Test("beyond the content cannot be satisfied", arguments: ["bytes=100-", "bytes=100-200", "bytes=-0"])
  func unsatisfiable(header: String) {
    #expect(RangeRequest(header, length: 100) == .unsatisfiable)
  }

  @Test(
    "that is malformed is ignored",
    arguments: ["", "bytes", "bytes=", "bytes=-", "bytes=5-2", "bytes=a-b", "lines=0-1", "bytes=1-2-3"])
  func ignored(header: String) {
    #expect(RangeRequest(header, length: 100) == .whole)
  }

  @Test("finds nothing in empty content")
  func empty() {
    #expect(RangeRequest("bytes=0-", length: 0) == .unsatisfiable)
    #expect(RangeRequest("bytes=-5", length: 0) == .unsatisfiable)
  }
}
