import Flux
import Testing
import Texts

@testable import PodfluxCore

/// A feed with episodes of all kinds, and names of files as other programs write them.
@Suite("Which file is which episode")
struct EpisodeFileMatcherTests {
  static let comparable = ComparableText(folding: { FoldedText.of($0) })
  private static let podcast = "Night Trains"

  private static func episode(
    _ id: Int64, _ title: String?, _ day: String?, season: Int64? = nil, number: String? = nil, file: String,
    length: Int64? = nil, hasDownload: Bool = false
  ) throws -> AdoptableEpisode {
    let published = try day.map { day in
      PublicationDate(try #require(InternetDate.parse(day.count == 10 ? "\(day)T09:30:00Z" : day)))
    }
    return AdoptableEpisode(
      id: EpisodeID(number: id), title: title, published: published, season: season, number: number,
      enclosure: .init(address: try WebAddress("https://media.example.org/\(file)"), length: length),
      hasDownload: hasDownload)
  }

  static func feed() throws -> [AdoptableEpisode] {
    [
      try episode(
        1, "Vienna to Hamburg", "2024-01-05", season: 1, number: "1", file: "nt-vienna-hamburg.mp3", length: 9_000_001),
      try episode(
        2, "A Night at the Border", "2024-01-12", season: 1, number: "2", file: "a8f3/audio.mp3", length: 9_000_002),
      try episode(3, "#123 – Grüße aus Łódź", "2024-02-01", number: "123", file: "123.mp3", length: 9_000_003),
      try episode(4, "News", "2024-03-01", file: "news-1.mp3", length: 9_000_004),
      try episode(5, "News", "2024-03-02", file: "news-2.mp3", length: 9_000_005),
      try episode(6, "Привет, Москва", "2024-03-09", file: "p%20m.mp3", length: 9_000_006),
      try episode(
        7, "What the Conductor Saw When the Lights Went Out between Two Stations, Part 1", "2024-04-01",
        file: "conductor1.mp3", length: 9_000_007),
      try episode(
        8, "What the Conductor Saw When the Lights Went Out between Two Stations, Part 2", "2024-04-08",
        file: "conductor2.mp3", length: 9_000_008),
      try episode(
        9, "Don't Pay the Ferryman: 3/4", "2024-05-01", season: 2, number: "1", file: "ferryman.mp3", length: 9_000_009),
      try episode(10, "Q&A", "2024-05-08", season: 2, number: "2", file: "qa-special-2024.mp3", length: 9_000_010),
      try episode(11, "Interview", "2024-06-01", file: "i1.mp3", length: 9_000_011),
      try episode(12, "Interview 2", "2024-06-08", file: "i2.mp3", length: 9_000_012),
      try episode(13, "Night Trains: The Sleeper", "2024-07-01", file: "sleeper-final-v3.mp3", length: 9_000_013),
      try episode(14, "Episode 42", "2024-08-01", file: "e42.mp3", length: 9_000_014),
      try episode(15, "The Restaurant Car", "2024-09-01", file: "restaurant.mp3", length: 9_000_015, hasDownload: true),
      try episode(16, "The Film", "2024-10-01", file: "film.mp4", length: 9_000_016),
      try episode(17, nil, "2024-11-11", file: "0c9f5ab1d2e3.mp3", length: 9_000_017),
      try episode(18, "Midnight", "2024-12-31T23:30:00Z", file: "m.mp3", length: 9_000_018),
      try episode(19, "The Ticket", "2023-05-09", file: "ticket.mp3", length: 9_000_019),
      try episode(20, "The Platform", "2023-09-05", file: "platform.mp3", length: 9_000_020),
      try episode(21, "Folge 7: Der Schlafwagen", "2023-10-01", file: "f7.mp3", length: 9_000_021),
      try episode(22, "Night Trains Episode 77", "2023-11-01", file: "77.mp3", length: 9_000_022),
      try episode(23, "The Menu", "2023-12-01", file: "dining-copy.mp3", length: 9_000_023),
    ]
  }

  struct Sample: Sendable, CustomTestStringConvertible {
    var name: String
    var length: Int64?
    var modified: String?
    var tags: AdoptableFile.Tags?
    var expected: Int64?
    var confidence: EpisodePairing.Confidence?
    var evidence: Set<EpisodePairing.Evidence>?
    var testDescription: String { name }

    /// A file that is taken for an episode, surely or likely.
    static func taken(
      _ name: String, _ expected: Int64, _ confidence: EpisodePairing.Confidence,
      _ evidence: Set<EpisodePairing.Evidence>? = nil, length: Int64? = nil, modified: String? = nil,
      tags: AdoptableFile.Tags? = nil
    ) -> Sample {
      Sample(
        name: name, length: length, modified: modified, tags: tags, expected: expected, confidence: confidence,
        evidence: evidence)
    }

    /// A file that is not taken, be it like an episode or not.
    static func left(
      _ name: String, length: Int64? = nil, modified: String? = nil, tags: AdoptableFile.Tags? = nil
    ) -> Sample {
      Sample(name: name, length: length, modified: modified, tags: tags)
    }
  }

  static let samples: [Sample] = [
    // Podflux's own names, and Audiobookshelf's.
    .taken("2024-01-05 Vienna to Hamburg.mp3", 1, .certain, [.title, .date]),
    .taken("2024-01-12 A Night at the Border.m4a", 2, .certain, [.title, .date]),
    .taken("S01E02 A Night at the Border.mp3", 2, .certain, [.title, .number]),
    .taken("Vienna to Hamburg.mp3", 1, .likely, [.title]),
    .taken("Vienna to Hamburg.mp3", 1, .certain, [.title, .length], length: 9_000_001),
    .taken("Vienna to Hamburg.mp3", 1, .certain, [.title, .modified], modified: "2024-01-05T09:30:01Z"),
    // gPodder, AntennaPod, podget, Castget: the enclosure's name, with and without a title.
    .taken("nt-vienna-hamburg.mp3", 1, .likely, [.fileName]),
    .taken("nt-vienna-hamburg.mp3", 1, .certain, [.fileName, .length], length: 9_000_001),
    .taken("Night Trains - nt-vienna-hamburg.mp3", 1, .likely, [.fileName]),
    .taken("2024-01-05-nt-vienna-hamburg.mp3", 1, .certain, [.fileName, .date]),
    .taken("0c9f5ab1d2e3.mp3", 17, .likely, [.fileName]),
    .taken("sleeper-final-v3.mp3", 13, .likely, [.fileName]),
    .taken("audio.mp3", 2, .certain, [.fileName, .length], length: 9_000_002),
    .left("audio.mp3"),
    .taken("conductor1.mp3", 7, .likely, [.fileName]),
    .taken("p%20m.mp3", 6, .certain, [.fileName, .length], length: 9_000_006),
    // The podcast's title beside it.
    .taken("Night Trains - Vienna to Hamburg.mp3", 1, .likely, [.title]),
    .taken("Vienna to Hamburg - Night Trains.mp3", 1, .likely, [.title]),
    .taken("Night Trains - S01E02 - A Night at the Border.m4a", 2, .certain, [.title, .number]),
    .taken("Night Trains - 2024-01-12 - A Night at the Border.mp3", 2, .certain, [.title, .date]),
    .taken("A Night at the Border - Night Trains (2024-01-12).mp3", 2, .certain, [.title, .date]),
    .taken("night_trains_s01_e02_a_night_at_the_border.mp3", 2, .certain, [.title, .number]),
    .taken("The Sleeper.mp3", 13, .likely, [.foldedTitle]),
    .taken("Night Trains: The Sleeper.mp3", 13, .likely),
    .taken("The Sleeper - Night Trains.mp3", 13, .likely, [.foldedTitle]),
    // Blanks, escapes, entities, marks that file systems refuse.
    .taken("A_Night_at_the_Border.mp3", 2, .likely, [.title]),
    .taken("A%20Night%20at%20the%20Border.mp3", 2, .likely, [.title]),
    .taken("A+Night+at+the+Border.mp3", 2, .likely, [.title]),
    .taken("a-night-at-the-border.mp3", 2, .likely, [.title]),
    .taken("A.Night.at.the.Border.mp3", 2, .likely, [.title]),
    .taken("A NIGHT AT THE BORDER.MP3", 2, .likely, [.title]),
    .taken("Dont Pay the Ferryman 3_4.mp3", 9, .likely, [.title]),
    .taken("Don’t Pay the Ferryman_ 3-4.mp3", 9, .likely, [.title]),
    .taken("2024-05-01_Dont_Pay_the_Ferryman_3_4.mp3", 9, .certain, [.title, .date]),
    .left("Q&amp;A.mp3"),
    .taken("Q&amp;A 2024-05-08.mp3", 10, .certain, [.title, .date]),
    // Other letters.
    .taken("Grüße aus Łódź.mp3", 3, .likely, [.foldedTitle]),
    .taken("123 - Grüße aus Łódź.mp3", 3, .likely, [.title]),
    .taken("#123 Grüße aus Łódź.mp3", 3, .likely, [.title]),
    .taken("Gruesse aus Lodz.mp3", 3, .likely, [.foldedTitle]),
    .taken("Grusse aus Lodz.mp3", 3, .likely, [.foldedTitle]),
    .taken("Gru\u{308}ße aus Ło\u{301}dz\u{301}.mp3", 3, .likely, [.foldedTitle]),
    .taken("Privet Moskva.mp3", 6, .likely, [.foldedTitle]),
    .taken("Привет_ Москва.mp3", 6, .likely, [.title]),
    .taken("Der Schlafwagen.mp3", 21, .likely, [.foldedTitle]),
    .taken("Folge 7 - Der Schlafwagen.mp3", 21, .likely, [.title]),
    .taken("007 Der Schlafwagen.mp3", 21, .certain, [.foldedTitle, .number]),
    .left("Folge 8 - Der Schlafwagen.mp3"),
    // Numbers.
    .taken("01 Vienna to Hamburg.mp3", 1, .certain, [.title, .number]),
    .taken("07 Vienna to Hamburg.mp3", 1, .likely, [.title]),
    .taken("7. Vienna to Hamburg.mp3", 1, .likely, [.title]),
    .left("S01E07 Vienna to Hamburg.mp3"),
    .taken("Night Trains S01E02.mp3", 2, .likely, [.number]),
    .taken("Night Trains 1x02.mp3", 2, .likely, [.number]),
    .taken("Season 2 Episode 1.mp3", 9, .likely, [.number]),
    .taken("Episode 42.mp3", 14, .likely),
    .left("Episode 43.mp3"),
    .taken("Night Trains #123.mp3", 3, .certain, [.fileName, .number]),
    .left("Night Trains 3.mp3"),
    // Days.
    .taken("2024-11-11.mp3", 17, .likely, [.date, .length], length: 9_000_017),
    .taken("Night Trains 2024-11-11.mp3", 17, .likely, [.date, .length], length: 9_000_017),
    .taken("20241111.mp3", 17, .likely, [.date, .length], length: 9_000_017),
    .taken("20241111120000.mp3", 17, .likely, [.date, .length], length: 9_000_017),
    .taken("05.01.2024 Vienna to Hamburg.mp3", 1, .certain, [.title, .date]),
    .taken("5-1-2024 Vienna to Hamburg.mp3", 1, .certain, [.title, .date]),
    .taken("20240105 Vienna to Hamburg.mp3", 1, .certain, [.title, .date]),
    .taken("11.11.2024.mp3", 17, .likely, [.date, .length], length: 9_000_017),
    .left("2024-11-11.mp3"), .left("9-5-2023.mp3"),
    .taken("9-5-2023.mp3", 20, .likely, [.date, .length], length: 9_000_020),
    .taken("09.05.2023.mp3", 19, .likely, [.date, .length], length: 9_000_019),
    .taken("9-5-2023 The Platform.mp3", 20, .certain, [.title, .date]),
    .left("2024-01-05 Something Else Altogether.mp3"),
    .left("2022-01-05 Vienna to Hamburg.mp3"),
    .taken("2025-01-01 Midnight.mp3", 18, .likely, [.title]),
    .taken("2024-03-01 News.mp3", 4, .certain, [.title, .date]),
    .taken("News 2024-03-02.mp3", 5, .certain, [.title, .date]),
    .left("News.mp3"),
    .taken("News.mp3", 5, .certain, [.title, .length], length: 9_000_005),
    // Copies, hashes, ids.
    .left("Vienna to Hamburg (1).mp3"),
    .taken("Vienna to Hamburg (1).mp3", 1, .likely, length: 9_000_001),
    .left("Vienna to Hamburg copy.mp3"),
    // A name that ends like a copy's is one nevertheless.
    .taken("dining-copy.mp3", 23, .likely, [.fileName]),
    .taken("Night Trains - dining-copy.mp3", 23, .likely, [.fileName]),
    .left("Night Trains Episode 77 (77).mp3"),
    .taken("Vienna to Hamburg 4f1d2c3b9a.mp3", 1, .likely, [.title]),
    .taken("Vienna to Hamburg-3f2504e0-4f89-41d3-9a0c-0305e82c3301.mp3", 1, .likely, [.title]),
    .taken("Vienna to Hamburg [dQw4w9WgXcQ].mp3", 1, .likely, [.title]),
    .left("Interview (2).mp3", length: 1),
    .taken("Interview 2.mp3", 12, .likely, [.title]),
    .taken("Interview.mp3", 11, .likely, [.title]),
    // Cut off.
    .left("What the Conductor Saw When the Lights Went Out betw.mp3"),
    .taken(
      "2024-04-08 What the Conductor Saw When the Lights Went Out betw.mp3", 8, .likely, [.truncatedTitle, .date]),
    .taken("What the Conductor Saw When the.mp3", 7, .likely, [.truncatedTitle, .length], length: 9_000_007),
    .left("A Night at the Bor.mp3"),
    // Among other words.
    .left("Best of - Vienna to Hamburg - Remastered.mp3"),
    .taken("Best of - Vienna to Hamburg - 2024-01-05.mp3", 1, .likely, [.titleAmongOthers, .date]),
    // Tags.
    .taken("track01.mp3", 1, .likely, [.tags], tags: .init(title: "Vienna to Hamburg")),
    .taken(
      "track01.mp3", 1, .certain, [.tags, .date],
      tags: .init(title: "Vienna to Hamburg", date: CivilDate(year: 2024, month: 1, day: 5))),
    .taken("track01.mp3", 1, .certain, [.tags, .number], tags: .init(title: "Vienna to Hamburg", track: 1)),
    // A place in a list is no contradiction, and a track alone tells nothing.
    .taken("track01.mp3", 1, .likely, [.tags], tags: .init(title: "Vienna to Hamburg", track: 77)),
    .left("track01.mp3", tags: .init(track: 1)),
    .left("track01.mp3", tags: .init(title: "News")),
    .left("A Night at the Border.mp3", tags: .init(title: "Vienna to Hamburg")),
    // Against it.
    .left("The Restaurant Car.mp3"),
    .left("The Film.mp3"),
    .taken("The Film.mp4", 16, .likely, [.title]),
    .left("Vienna to Hamburg.mp3", length: 100),
    .left("Vienna to Hamburg.mp3", length: 90_000_001),
    .left("Unknown.mp3"), .left("track01.mp3"), .left(".mp3"), .left("----.mp3"),
    .left("Unknown.mp3", length: 9_000_001),
  ]

  @Test("A name tells its episode, and what is doubtful is not taken", arguments: samples)
  func name(sample: Sample) throws {
    let matcher = EpisodeFileMatcher(try Self.feed(), podcast: [Self.podcast], comparing: Self.comparable)
    let file = AdoptableFile(
      name: sample.name, length: sample.length ?? 8_765_432, modified: sample.modified.flatMap(InternetDate.parse),
      tags: sample.tags)
    let verdict = try #require(matcher.verdicts(on: [file]).first)
    #expect(verdict.taken?.number == sample.expected, "\(verdict)")
    #expect((verdict.doubt == nil) == (sample.expected != nil), "\(verdict)")
    if let confidence = sample.confidence { #expect(verdict.pairing?.confidence == confidence, "\(verdict)") }
    if let evidence = sample.evidence { #expect(Set(verdict.pairing?.evidence ?? []) == evidence, "\(verdict)") }
  }

  @Test("There are many names")
  func count() {
    #expect(Set(Self.samples.map(\.name)).count >= 60)
  }

  private func verdicts(_ names: [String]) throws -> [AdoptionVerdict] {
    EpisodeFileMatcher(try Self.feed(), podcast: [Self.podcast], comparing: Self.comparable)
      .verdicts(on: names.map { AdoptableFile(name: $0, length: 8_765_432) })
  }

  @Test("Of two files that are as good for one episode none is taken, and each names the other")
  func twins() throws {
    let verdicts = try verdicts(["Vienna to Hamburg.mp3", "Vienna_to_Hamburg.m4a", "Interview.mp3"])
    #expect(verdicts.map(\.doubt) == [.otherFile(1), .otherFile(0), nil])
    #expect(verdicts[0].pairing?.episodes == [EpisodeID(number: 1)])
  }

  @Test("Of two files the better one is taken")
  func better() throws {
    let verdicts = try verdicts(["Vienna to Hamburg.mp3", "2024-01-05 Vienna to Hamburg.mp3"])
    #expect(verdicts.map(\.doubt) == [.otherFile(1), nil])
    #expect(verdicts[0].pairing?.confidence == .doubtful)
  }

  @Test("Where two episodes are as good both are named")
  func ambiguous() throws {
    let verdict = try #require(try verdicts(["9-5-2023.mp3"]).first)
    #expect(verdict.doubt == .weakEvidence)
    #expect(verdict.pairing?.episodes == [EpisodeID(number: 19), EpisodeID(number: 20)])
    #expect(try verdicts(["News.mp3"])[0].pairing?.episodes.map(\.number) == [4, 5])
    #expect(try verdicts(["S01E02 Vienna to Hamburg - A Night at the Border 2024-01-05.mp3"])[0].doubt != nil)
  }

  @Test("What speaks against a pair is told")
  func contradictions() throws {
    let verdicts = try verdicts([
      "2022-01-05 Vienna to Hamburg.mp3", "S01E07 Vienna to Hamburg.mp3", "The Film.mp3", "The Restaurant Car.mp3",
      "Unknown.mp3",
    ])
    #expect(
      verdicts.map(\.doubt) == [
        .contradicted(.date), .contradicted(.number), .contradicted(.mediaKind), .hasDownload, .unknown,
      ])
  }

  @Test("A title that thousands of episodes have tells none, and a day tells them apart")
  func commonTitle() throws {
    let episodes = try (1...2000).map { number in
      AdoptableEpisode(
        id: EpisodeID(number: number), title: "News",
        published: PublicationDate(Timestamp(day: 15_000 + number)),
        enclosure: .init(address: try WebAddress("https://example.org/\(number).mp3")))
    }
    let matcher = EpisodeFileMatcher(episodes, podcast: ["Daily"], comparing: Self.comparable)
    let day = try #require(CivilDate(daysSince1970: 15_700).text)
    let verdicts = matcher.verdicts(
      on: ["News.mp3", "Daily - \(day) - News.mp3"].map { AdoptableFile(name: $0, length: 7) })
    #expect(verdicts[0].doubt == .ambiguous(2000))
    #expect(verdicts[0].pairing?.episodes.count == EpisodePairing.episodeLimit)
    #expect(verdicts[1].taken?.number == 700)
    #expect(verdicts[1].pairing?.confidence == .certain)
  }
}
