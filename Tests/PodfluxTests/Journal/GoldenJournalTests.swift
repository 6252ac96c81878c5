import Foundation
import ScriptedOrigin
import Testing
import TestScheduling
import TestSupport

/// Journals of real runs, with their libraries' final state. To turn a bug report into a test, add its journal and the
/// correct snapshot.
@Suite("Golden journals", .systemTest)
struct GoldenJournalTests {
  private static let folder = Fixtures.path("journals")
  private static let suffix = ".journal"
  private static let names = ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [])
    .filter { $0.hasSuffix(suffix) }.map { String($0.dropLast(suffix.count)) }.sorted()
  private static let query =
    #"{"cleanup":{"limit":1000},"downloads":{"limit":1000,"unfiltered":true},"stores":["cleanup","downloads"]}"#

  @Test("Each replays to the state beside it", arguments: names)
  func folds(name: String) throws {
    let result = try PodfluxCommand.run(["replay", "--journal", Self.folder + "/" + name + Self.suffix, Self.query])
    #expect(result.status == 0, "\(result.errors)")
    let scene = try TemporaryFolder("podflux-golden")
    let path = scene.path + "/snapshot"
    try Data(result.output.utf8).write(to: URL(fileURLWithPath: path))
    let snapshot = Self.folder + "/\(name).snapshot.json"
    let difference = try PodfluxCommand.run(["diff", snapshot, path])
    #expect(difference.status == 0, "\(difference.output)\(difference.errors)")
    #expect(try String(contentsOfFile: snapshot, encoding: .utf8) == result.output)
  }

  @Test("There are some")
  func thereAreSome() {
    #expect(Self.names.count >= 3)
  }
}
