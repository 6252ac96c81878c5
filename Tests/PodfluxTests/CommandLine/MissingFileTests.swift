import Foundation
import ScriptedOrigin
import Testing
import TestScheduling
import TestSupport

/// Each of these was found by a tester who had damaged or deleted files by hand.
@Suite("Commands and files that are not what they were", .systemTest)
struct MissingFileTests {
  @Test("verify tells what is intact from what is edited, damaged or gone, and ends with 1 for the latter")
  func verdicts() throws {
    let scene = try Scene()
    let urls = try files(["a", "b", "c", "d"], in: scene)
    try scene.results("settings", "checksum=true")
    try scene.results("get", urls[0], urls[1], urls[2], urls[3])
    let daemon = try scene.startSettledDaemon()
    try scene.rot("a.mp3") { truncate($0, 1000) }
    try FileManager.default.removeItem(atPath: scene.library + "/b.mp3")
    // Only its time is another one.
    let touched = [FileAttributeKey.modificationDate: Date(timeIntervalSince1970: 1_000_000_000)]
    try FileManager.default.setAttributes(touched, ofItemAtPath: scene.library + "/c.mp3")
    let verify = try scene.podflux("verify", "--all", "--socket", scene.socketPath)
    #expect(verify.status == 1 && verify.output.isEmpty)
    #expect(verify.errors.hasSuffix("1 verified, 1 edited, 2 damaged\n"), "\(verify)")
    #expect(verify.errors.contains("the file \"b.mp3\" is gone"), "\(verify)")
    let again = try scene.podflux("verify", "--all", "--socket", scene.socketPath, "--json")
    #expect(again.output == #"{"affected":2,"damaged":0,"edited":0,"unreadable":0}"# + "\n", "\(again)")
    #expect(again.status == 0 && daemon.isAlive)
  }

  @Test("verify without a daemon ends with 1 for a file that is gone, and does not forget it before")
  func verdictOfOwnEngine() throws {
    let scene = try Scene()
    let urls = try files(["a", "b"], in: scene)
    try scene.results("get", urls[0], urls[1])
    try FileManager.default.removeItem(atPath: scene.library + "/b.mp3")
    let verify = try scene.podflux("verify", "--all")
    #expect(verify.status == 1 && verify.errors.contains("the file \"b.mp3\" is gone"), "\(verify)")
    #expect(verify.errors.contains("1 verified, 1 damaged\n"), "\(verify)")
  }

  @Test("get fetches a file again that a person has deleted, beside an engine that has not seen it")
  func deleted() throws {
    let scene = try Scene()
    let url = try files(["a"], in: scene)[0]
    let daemon = try scene.startSettledDaemon()
    let path = "\(scene.library)/a.mp3\n"
    #expect(try scene.podflux("get", url, "--socket", scene.socketPath).output == path)
    try FileManager.default.removeItem(atPath: scene.library + "/a.mp3")
    let again = try scene.podflux("get", url, "--socket", scene.socketPath)
    #expect(again.status == 0 && again.output == path, "\(again)")
    #expect(scene.publishedFiles() == ["a.mp3"])
    #expect(daemon.isAlive)
  }

  @Test("Files of a folder that a person has renamed beside an engine are followed, and not fetched again")
  func renamedFolder() throws {
    let scene = try Scene()
    let urls = try files(["a", "b", "c"], in: scene)
    let daemon = try scene.startSettledDaemon()
    let socket = ["PODFLUX_SOCKET": scene.socketPath]
    for url in urls { #expect(try scene.podflux("get", url, "--podcast", "Show", environment: socket).status == 0) }
    try FileManager.default.moveItem(atPath: scene.library + "/Show", toPath: scene.library + "/Other")
    try FileManager.default.removeItem(atPath: scene.library + "/Other/b.mp3")
    let verify = try scene.podflux("verify", "--all", environment: socket)
    #expect(verify.status == 1 && verify.errors.hasSuffix("2 verified, 1 damaged\n"), "\(verify)")
    try FileManager.default.moveItem(atPath: scene.library + "/Other", toPath: scene.library + "/Third")
    let again = try scene.podflux("get", urls[0], environment: socket)
    #expect(again.output == scene.library + "/Third/a.mp3\n", "\(again)")
    #expect(scene.publishedFiles() == ["Third/a.mp3", "Third/c.mp3"] && daemon.isAlive)
  }

  /// Serves files of these names. Returns their addresses.
  private func files(_ names: [String], in scene: Scene) throws -> [String] {
    for (place, name) in names.enumerated() { scene.serve("/\(name).mp3", length: 40_000 + place) }
    return names.map { scene.origin.url("/\($0).mp3") }
  }
}
