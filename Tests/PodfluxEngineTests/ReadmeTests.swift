import Foundation
import PodfluxCore
import PodfluxEngine
import Testing

@Suite("README's lines of Swift")
struct ReadmeTests {
  @Test("do what they say", .timeLimit(.minutes(1)))
  func example() async throws {
    let scene = try EngineScene()
    let folder = scene.library
    let url = scene.serve("/1.mp3", length: 100_000).description
    // From here to the end of the function it stands in README.md.
    let podflux = try await Podflux.open(library: folder)
    let episode = try WebAddress(url)
    _ = try await podflux.dispatch(.downloads(.enqueue(.init(id: DownloadID("first"), address: episode))))
    for await downloads in podflux.downloads() {
      print(downloads.counts, downloads.bytesPerSecond)
      if downloads.counts[.completed] == 1 { break }
    }
    await podflux.stop()
  }

  @Test("are those that the test above runs")
  func text() throws {
    let source = try String(contentsOfFile: #filePath, encoding: .utf8)
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let readme = try String(contentsOf: root.appendingPathComponent("README.md"), encoding: .utf8)
    let afterMarker = try #require(readme.components(separatedBy: "<!-- swift -->\n```swift\n").dropFirst().first)
    let lines = try #require(afterMarker.components(separatedBy: "\n```").first)
    let indented = lines.split(separator: "\n").map { "    " + $0 }.joined(separator: "\n")
    #expect(source.contains("stands in README.md.\n" + indented + "\n  }\n"))
  }
}
