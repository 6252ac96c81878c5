import Flux
import PodfluxCore
import Testing

@Suite("A file's time of modification")
struct FileTimesTests {
  private static let now = Timestamp(milliseconds: 1_795_230_000_000)

  @Test("is when the episode was published, where that can be believed")
  func published() throws {
    for milliseconds in [0, 1, Self.now.milliseconds, Self.now.milliseconds + 86_400_000] as [Int64] {
      let date = try #require(PublicationDate(Timestamp(milliseconds: milliseconds), offsetSeconds: -3600))
      #expect(FileTimes.published.modification(published: date, now: Self.now) == date.moment)
    }
  }

  @Test("is that of the download before 1970, beyond tomorrow, without a date, and where the setting says so")
  func downloaded() {
    for milliseconds in [-1, .min, Self.now.milliseconds + 86_400_001, .max] as [Int64] {
      let date = PublicationDate(Timestamp(milliseconds: milliseconds))
      #expect(FileTimes.published.modification(published: date, now: Self.now) == nil)
    }
    #expect(FileTimes.published.modification(published: nil, now: Self.now) == nil)
    #expect(FileTimes.downloaded.modification(published: PublicationDate(Self.now), now: Self.now) == nil)
  }
}
