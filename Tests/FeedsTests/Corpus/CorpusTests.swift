import Feeds
import Foundation
import Testing

@Suite("The corpus of feeds")
struct CorpusTests {
  /// With `PODFLUX_RECORD_FEEDS` the expectations are written anew, to be reviewed as a difference.
  private static let isRecording = ProcessInfo.processInfo.environment["PODFLUX_RECORD_FEEDS"] != nil

  @Test("Each fixture is read as its JSON says", arguments: FeedCorpus.all)
  func readings(fixture: FeedCorpus.Fixture) throws {
    let text = JSONRendering.text(of: try Reading(fixture.bytes))
    if Self.isRecording {
      let file = FeedCorpus.folder.appendingPathComponent(fixture.name + ".json")
      try Data(text.utf8).write(to: file)
    } else {
      #expect(fixture.expected == text)
    }
  }

  @Test("The result does not depend on how the bytes are divided", arguments: FeedCorpus.all)
  func pieces(fixture: FeedCorpus.Fixture) throws {
    let whole = try Reading(fixture.bytes)
    for size in [1, 2, 3, 7, 64, 4096] {
      #expect(try Reading(fixture.bytes, pieces: size) == whole, "in pieces of \(size) bytes")
    }
  }

  @Test("A document cut off anywhere is read up to there", arguments: FeedCorpus.all)
  func truncation(fixture: FeedCorpus.Fixture) throws {
    let whole = try Reading(fixture.bytes)
    for length in stride(from: 0, to: fixture.bytes.count, by: 5) {
      let part = try Reading(Array(fixture.bytes.prefix(length)))
      // Descriptions of the beginning do not change by what follows.
      #expect(part.episodes == Array(whole.episodes.prefix(part.episodes.count)), "cut to \(length) bytes")
    }
  }

  @Test("The corpus has many feeds, and nothing but feeds and their expectations")
  func completeness() throws {
    #expect(FeedCorpus.all.count >= 120)
    let files = try FileManager.default.contentsOfDirectory(atPath: FeedCorpus.folder.path)
    #expect(Set(files) == Set(FeedCorpus.all.flatMap { [$0.name + ".xml", $0.name + ".json"] }))
  }
}
