import PodfluxCore
import TagReading
import TestSupport
import Testing

@testable import Tagging

@Suite("The tags of files that are there")
struct TagReadingTests {
  @Test("are read in each format, and the file stays as it is", arguments: TagSample.allCases)
  func reads(sample: TagSample) throws {
    let file = try TaggedFile(try sample.bytes())
    #expect(try file.tag(TaggerTests.tags) == .tagged)
    let before = file.bytes
    let tags = try #require(file.readTags())
    #expect(tags.title == TaggerTests.tags.title && tags.album == "Funkhaus Süd" && tags.track == 12)
    #expect(tags.date == "2026-01-01")
    #expect(AdoptableFile.Tags(tags).date == CivilDate(year: 2026, month: 1, day: 1))
    #expect(file.bytes == before)
    #expect((tags.hasPicture ?? false) == (sample == .taggedMP3) && tags.hasChapters == nil)
    let cover = try TagSample.bytes(of: "cover.png")
    #expect(try file.tag(TaggerTests.tags, cover: cover, chapters: TaggerTests.chapters) == .tagged)
    let all = try #require(file.readTags())
    #expect(all.hasPicture == true && all.hasChapters == (sample == .m4a ? nil : true))
  }

  @Test(
    "have a day only where they name a whole one that there is",
    arguments: [
      ("2026-03-06", true), ("2026-03-06T07:00:00Z", true), ("2026-03-06 07:00", true), ("2026", false),
      ("2026-03", false),
      ("2026-02-30", false), ("2026-00-10", false), ("20260306", false), ("-026-03-06", false), ("2026-+3-06", false),
      ("", false), ("0000-01-01", false),
    ])
  func days(text: String, isDay: Bool) {
    #expect((AdoptableFile.Tags(FileTags(date: text)).date != nil) == isDay)
  }

  @Test(
    "are none of other files, of none, and of damaged ones, also where these kill the worker",
    arguments: TagSample.allCases)
  func damaged(sample: TagSample) throws {
    for bytes in [Array("<html></html>".utf8), []] { #expect(try TaggedFile(bytes).readTags() == nil) }
    let bytes = try sample.bytes()
    var random = SeededRandom(seed: 33)
    for _ in 0..<4 {
      var damaged = bytes
      for _ in 0..<20 {
        damaged[Int(random.next() % UInt64(min(400, damaged.count)))] = UInt8(truncatingIfNeeded: random.next())
      }
      let file = try TaggedFile(damaged)
      if let tags = file.readTags() { #expect((tags.title ?? "").utf8.count <= TaggingLimits.textBytes) }
      #expect(file.bytes == damaged)
    }
  }

  @Test("are none where the worker dies, answers something else or nothing, is missing, or is told to end")
  func workers() throws {
    let file = try TaggedFile(try TagSample.taggedMP3.bytes())
    func shell(_ script: String) -> Tagger.Program { .init(path: "/bin/sh", arguments: ["-c", script]) }
    for script in ["kill -SEGV $$", "exit 0", "echo nonsense >&4", "echo '{\"title\":7}' >&4", "echo '{}' >&4; exit 3"]
    {
      #expect(file.readTags(program: shell(script)) == nil)
    }
    #expect(file.readTags(program: shell("echo '{\"title\":\"A\"}' >&4"))?.title == "A")
    let long = file.readTags(program: shell("printf '{\"title\":\"%05000d\"}' 0 >&4"))
    #expect(long?.title?.utf8.count == TaggingLimits.textBytes)
    #expect(file.readTags(program: .init(path: "/nonexistent", arguments: [])) == nil)
    #expect(file.readTags(program: shell("sleep 100"), while: { false }) == nil)
    // It may not write into the file.
    _ = file.readTags(program: shell("echo x >&3"))
    #expect(file.bytes == (try TagSample.taggedMP3.bytes()))
  }
}
