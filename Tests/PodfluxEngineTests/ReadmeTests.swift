import Foundation
import PodfluxCore
import PodfluxEngine
import Testing

@Suite("The Swift code in README")
struct ReadmeTests {
  @Test("works", .timeLimit(.minutes(1)))
  func example() async throws {
    let scene = try EngineScene()
    let folder = scene.library
    let url = scene.serve("/1.mp3", length: 100_000).description
    // README.md contains the code from here to the end of the function.
    let podflux = try await Podflux.open(library: folder)
    let episode = try WebAddress(url)
    _ = try await podflux.dispatch(.downloads(.enqueue(.init(id: DownloadID("first"), address: episode))))
    for await downloads in podflux.downloads() {
      print(downloads.counts, downloads.bytesPerSecond)
      if downloads.counts[.completed] == 1 { break }
    }
    await podflux.stop()
  }

  @Test("is the code of the test above")
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
