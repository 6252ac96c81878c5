import Flux
import PodfluxCore
import Testing

@testable import Tagging

@Suite("What the tagger is to write")
struct TagOrderTests {
  private static func order(_ change: (inout EpisodeTags) -> Void, offsetSeconds: Int64 = 0) -> TagOrder {
    var tags = EpisodeTags(title: "T", isEpisode: true)
    change(&tags)
    return TagOrder(tags, offsetSeconds: offsetSeconds)
  }

  @Test("A date is the day of the time zone, and none where the year has not four digits")
  func dates() {
    // 2026-01-01T23:30:00Z
    let moment = Timestamp(milliseconds: 1_767_310_200_000)
    let evening = PublicationDate(moment, offsetSeconds: 0)
    #expect(Self.order({ $0.published = evening }).date == "2026-01-01")
    #expect(Self.order({ $0.published = evening }, offsetSeconds: 3600).date == "2026-01-02")
    let late = PublicationDate(Timestamp(milliseconds: 1 << 53), offsetSeconds: 0)
    #expect(Self.order({ $0.published = late }).date == nil)
    #expect(Self.order({ _ in }).date == nil)
  }

  @Test(
    "A track is a whole number that all formats can hold",
    arguments: [
      ("12", 12), ("0042", 42), ("65535", 65_535), ("65536", nil), ("0", nil), ("-3", nil), ("204.5", nil), ("", nil),
      ("99999999999999999999", nil),
    ] as [(String, Int?)])
  func tracks(number: String, track: Int?) {
    #expect(Self.order { $0.number = number }.track == track)
  }

  @Test(
    "A disc is a season that all formats can hold",
    arguments: [(3, 3), (0, nil), (-1, nil), (.max, nil)] as [(Int64, Int?)])
  func discs(season: Int64, disc: Int?) {
    #expect(Self.order { $0.season = season }.disc == disc)
  }

  @Test("A text is without NUL and not too long, and what is empty is not written")
  func texts() {
    let order = Self.order {
      $0.title = "a\u{0}b"
      $0.podcast = String(repeating: "é", count: 3000)
    }
    #expect(order.title == "ab")
    #expect(order.album?.utf8.count == TaggingLimits.textBytes)
    #expect(Self.order { $0.title = "\u{0}" }.title == nil)
  }

  @Test("A file of no episode gets what its client has said, and nothing else")
  func plainDownloads() throws {
    let published = PublicationDate(Timestamp(milliseconds: 0), offsetSeconds: 0)
    let tags = try #require(EpisodeTags(of: .init(podcast: "P", title: "T", published: published)))
    let order = TagOrder(tags, offsetSeconds: 0)
    #expect((order.title, order.album) == ("T", "P"))
    #expect(order.date == nil && order.genre == nil && order.track == nil && order.disc == nil)
    #expect(EpisodeTags(of: .init(published: published)) == nil)
  }
}
