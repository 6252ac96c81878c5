import Foundation
import PodfluxCore
import TestSupport
import Testing
import WireProtocol

/// `Fixtures/actions.jsonl` has a line of each kind of action, as version 1 of the protocol wrote it when its forms
/// were still written twice. Journals hold such lines: they must stay readable, and be written so.
@Suite("A line that an earlier version wrote")
struct KeptLinesTests {
  @Test("is read, and written again byte for byte")
  func bytes() throws {
    let file = URL(filePath: LineJudge.schema).deletingLastPathComponent().appending(path: "actions.jsonl")
    let lines = try Data(contentsOf: file).split(separator: UInt8(ascii: "\n")).map(Array.init)
    var types: Set<String> = []
    for line in lines {
      guard case .action(let action, let stamp) = try ActionLineDecoder().decode(line) else {
        Issue.record("it is no action: \(String(decoding: line, as: UTF8.self))")
        continue
      }
      var encoder = LineEncoder()
      encoder.action(action, sequence: stamp.sequence, revision: stamp.revision, time: stamp.time)
      #expect(String(decoding: encoder.bytes.dropLast(), as: UTF8.self) == String(decoding: line, as: UTF8.self))
      types.insert(String(decoding: line.suffix(40), as: UTF8.self).components(separatedBy: "\"type\":").last ?? "")
    }
    // Those of then; a later one that has a line here stays as it was too.
    #expect(types.count >= 42)
  }
}
