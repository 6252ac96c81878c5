import Testing
import WireProtocol

@Suite("The difference of two snapshots")
struct SnapshotDifferenceTests {
  @Test("is told for each store, each item, each key")
  func differences() throws {
    let before = #"{"downloads":{"counts":{"queued":1},"items":[{"id":"a","state":"queued"},{"id":"b"}],"next":null}}"#
    let after =
      #"{"downloads":{"counts":{"queued":0},"items":[{"id":"a","state":"paused"},{"id":"c"}],"next":null},"x":1}"#
    #expect(
      try lines(before, after) == [
        "downloads", "  counts.queued: 1 → 0", "  - items b", #"  items a.state: "queued" → "paused""#,
        #"  + items c: {"id":"c"}"#, "x", "  + : 1",
      ])
  }

  @Test("is nothing between equal ones, even if the rest of their lines differs")
  func equal() throws {
    let payload = #"{"engine":{"a":[1,2,{"b":"ä\n"}]}}"#
    #expect(try lines(payload, payload) == [])
    let reply = #"{"type":"ok","payload":\#(payload),"meta":{"id":"x","revision":3}}"#
    let printed = #"{"type":"ok","payload":\#(payload),"meta":{"revision":3}}"#
    #expect(try SnapshotDifference(Array(reply.utf8), Array(printed.utf8)).lines == [])
  }

  @Test("does not hide what is in another order, of another kind, or at another revision")
  func others() throws {
    #expect(
      try lines(#"{"s":{"l":[{"id":"a"},{"id":"b"}]}}"#, #"{"s":{"l":[{"id":"b"},{"id":"a"}]}}"#)
        == ["s", "  l: in another order"])
    #expect(
      try lines(#"{"s":{"l":[1,2],"k":true}}"#, #"{"s":{"l":[1,3,4],"k":1}}"#)
        == ["s", "  k: true → 1", "  l[1]: 2 → 3", "  + l[2]: 4"])
    #expect(
      try lines(#"{"s":{"l":[{"id":"a"},{"id":"a"}]}}"#, #"{"s":{"l":[{"id":"a"}]}}"#)
        == ["s", #"  - l[1]: {"id":"a"}"#])
    let lines = try SnapshotDifference(
      Array(#"{"type":"ok","payload":{},"meta":{"revision":3}}"#.utf8),
      Array(#"{"type":"ok","payload":{},"meta":{"revision":4}}"#.utf8)
    ).lines
    #expect(lines == ["revision: 3 → 4"])
  }

  private func lines(_ before: String, _ after: String) throws -> [String] {
    func line(_ payload: String) -> [UInt8] { Array(#"{"type":"ok","payload":\#(payload)}"#.utf8) }
    return try SnapshotDifference(line(before), line(after)).lines
  }
}
