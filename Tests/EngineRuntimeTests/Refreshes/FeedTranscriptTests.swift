import Feeds
import PodfluxCore
import Testing

@testable import EngineRuntime

@Suite("The transcript of an episode")
struct FeedTranscriptTests {
  /// The last part of the kept transcript's address, where a feed names these: URL and media type, divided by a blank.
  private func kept(_ transcripts: [String]) throws -> String? {
    let elements = transcripts.map { transcript in
      let parts = transcript.split(separator: " ")
      let type = parts.count > 1 ? " type=\"\(parts[1])\"" : ""
      return "<podcast:transcript url=\"https://feeds.example/\(parts[0])\"\(type)/>"
    }
    var episodes: [FeedEpisode] = []
    var parser = FeedParser(address: nil)
    let text = "<rss><channel><item><guid>1</guid>\(elements.joined())</item></channel></rss>"
    parser.parse(Array(text.utf8)) { episodes.append($0) }
    _ = parser.finish { episodes.append($0) }
    let episode = try #require(episodes.first)
    return EpisodeContent(episode).transcript.map { String($0.description.dropFirst("https://feeds.example/".count)) }
  }

  @Test(
    "Of several that of the best form is kept",
    arguments: [
      ([], nil), (["a"], "a"), (["a text/html", "b application/srt", "c text/vtt"], "c"),
      (["a text/plain", "b application/json", "c application/x-subrip"], "c"),
      (["a text/html", "b text/plain;charset=utf-8", "c application/json;x=y"], "c"),
      (["a text/html", "b text/plain"], "b"), (["a", "b application/pdf", "c text/html"], "c"), (["a", "b"], "a"),
      (["a.html", "b.SRT?x=y", "c.txt"], "b.SRT?x=y"), (["a.vtt text/html", "b.txt"], "b.txt"),
      (["a text/srt", "b.vtt application/octet-stream"], "b.vtt"), (["a text/vtt", "b text/vtt"], "a"),
    ] as [([String], String?)])
  func choice(transcripts: [String], expected: String?) throws {
    #expect(try kept(transcripts) == expected)
  }

  @Test("One whose address is too long to be kept leaves the choice to the others")
  func longAddress() throws {
    let long = String(repeating: "a", count: EpisodeContent.Limits.addressBytes)
    #expect(try kept(["\(long) text/vtt", "b text/html"]) == "b")
  }
}
