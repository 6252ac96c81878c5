import Testing
import TestScheduling
import TestSupport

@Suite("Bad input", .systemTest)
struct BadInputTests {
  @Test("Every bad line is refused with its code and path, and the engine continues after each")
  func refusals() throws {
    let scene = try Scene()
    let engine = try scene.start()
    for bad in BadLines.all {
      try engine.send(bytes: bad.bytes + [UInt8(ascii: "\n")])
      let line = try engine.nextLine()
      let refusal = try PodfluxProcess.parse(line)
      let payload = refusal["payload"] as? [String: Any]
      #expect(refusal["type"] as? String == "error", "\(bad): \(line)")
      #expect(refusal["error"] as? Bool == true, "\(bad)")
      #expect(payload?["code"] as? String == bad.code, "\(bad): \(line)")
      #expect(payload?["path"] as? String == bad.path, "\(bad): \(line)")
      #expect((payload?["message"] as? String)?.isEmpty == false, "\(bad)")
      #expect(try engine.items().isEmpty, "\(bad) changed something")
    }
  }

  @Test("Bad lines that are piped in at once are refused in order, each with its line number, and advance no revision")
  func pipelined() throws {
    let scene = try Scene()
    let engine = try scene.start()
    try engine.waitForStartCleanup()
    let (before, asked) = (try engine.revision(), engine.lines.count)
    try engine.send(bytes: BadLines.all.flatMap { $0.bytes + [UInt8(ascii: "\n")] })
    for (index, bad) in BadLines.all.enumerated() {
      let line = try engine.nextLine()
      let payload = try PodfluxProcess.parse(line)["payload"] as? [String: Any]
      #expect(payload?["code"] as? String == bad.code, "\(bad): \(line)")
      // Earlier lines were sent already; the first output line was no answer.
      #expect(payload?["line"] as? Int == index + asked, "\(bad): \(line)")
    }
    #expect(try engine.revision() == before)
  }
}
