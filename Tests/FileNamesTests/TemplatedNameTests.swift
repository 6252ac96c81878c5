import FileNames
import Foundation
import PodfluxCore
import Testing

@Suite("The name that a template makes")
struct TemplatedNameTests {
  /// An episode of a test.
  struct Given {
    var podcast: String? = "Show"
    var title: String? = "Pilot"
    var day: CivilDate? = CivilDate(year: 2026, month: 3, day: 6)
    var time: String? = "06-30"
    var episode: DownloadNaming.EpisodeFacts? = .init(
      id: EpisodeID(number: 42), guid: "https://h/?p=7", season: 2, number: "7", kind: .bonus, index: 12)
    var url = "https://h/media/file%20name.mp3"
  }

  private func path(
    _ template: String, number: Int = 1, portably: Bool = true, _ change: (inout Given) -> Void = { _ in }
  ) throws -> String {
    var given = Given()
    change(&given)
    let facts = NamingFacts(
      podcast: given.podcast, title: given.title, day: given.day, time: given.time,
      naming: DownloadNaming(try NameTemplate(validating: template), episode: given.episode), url: given.url)
    return try FileNaming(facts, portably: portably).candidate(number: number).description
  }

  @Test(
    "is the path of the episode's file",
    arguments: [
      ("{podcast}/{title}", "Show/Pilot.mp3"), ("{podcast}/{title}.{ext}", "Show/Pilot.mp3"),
      ("{podcast}/[S{season:2}E{number:2} ]{title}", "Show/S02E07 Pilot.mp3"),
      ("{podcast}/Season {season}/{date} {time} {title}", "Show/Season 2/2026-03-06 06-30 Pilot.mp3"),
      ("{index:4} {type}", "0012 bonus.mp3"), ("{guid}", "https---h--p=7.mp3"), ("{ext}/{title}", "mp3/Pilot.mp3"),
      ("{title} 12:30?", "Pilot 12-30-.mp3"),
    ])
  func paths(template: String, expected: String) throws {
    #expect(try path(template) == expected)
  }

  @Test("does without what is missing")
  func missing() throws {
    #expect(try path("{podcast}/[{date} ]{title}") { $0.day = nil } == "Show/Pilot.mp3")
    #expect(try path("{podcast}/{date} {title}") { $0.day = nil } == "Show/Pilot.mp3")
    #expect(try path("{podcast}/{title}") { $0.podcast = nil } == "Pilot.mp3")
    #expect(try path("{podcast}/{season}/{title}") { $0.episode = nil } == "Show/Pilot.mp3")
    #expect(try path("[S{season}E{number} ]{title}") { $0.episode?.season = nil } == "Pilot.mp3")
    #expect(try path("{index:3} {title}") { $0.episode = nil } == "Pilot.mp3")
    // A title that is missing is the URL's name; a name of which nothing is left is that without a template.
    #expect(try path("{podcast}/{title}") { $0.title = nil } == "Show/file name.mp3")
    #expect(try path("{podcast}/{guid}") { $0.episode = nil } == "Show/2026-03-06 Pilot.mp3")
    #expect(
      try path("{podcast}/[{guid}]") { ($0.episode, $0.title, $0.day, $0.url) = (nil, nil, nil, "https://h/") }
        == "Show/download.bin")
    // What is cleaned away is missing.
    #expect(try path("[{title} - ]{date}") { ($0.title, $0.url) = (" .. ", "https://h/x.mp3") } == "x - 2026-03-06.mp3")
    #expect(try path("[{guid} - ]{title}") { $0.episode?.guid = "\u{202E} .\n" } == "Pilot.mp3")
  }

  @Test(
    "keeps hostile values within their name",
    arguments: [
      ("../../etc/passwd", "Show/-..-etc-passwd 7.mp3"), ("a/b", "Show/a-b 7.mp3"), ("a\\b", "Show/a-b 7.mp3"),
      ("a\u{0}\n\u{1B}[31mb", "Show/a [31mb 7.mp3"), ("\u{202E}gpj.exe\u{200F}", "Show/gpj.exe 7.mp3"),
      ("{guid}[x]", "Show/{guid}[x] 7.mp3"), ("...", "Show/file name 7.mp3"), ("a: b?", "Show/a- b- 7.mp3"),
      ("e\u{301}", "Show/\u{E9} 7.mp3"), ("/\u{301}", "Show/-\u{301} 7.mp3"),
    ])
  func hostileTitles(title: String, expected: String) throws {
    let result = try path("{podcast}/{title} {number}") { $0.title = title }
    #expect(Array(result.utf8) == Array(expected.utf8), "\(result)")
  }

  @Test(
    "is no device of Windows, in any of its parts",
    arguments: [("con", "_con/_con.mp3"), ("NUL.x", "_NUL.x/_NUL.x.mp3"), ("com1", "_com1/_com1.mp3")])
  func devices(name: String, expected: String) throws {
    #expect(try path("{podcast}/{title}") { ($0.podcast, $0.title) = (name, name) } == expected)
    #expect(
      try path("{podcast}/{title}", portably: false) { ($0.podcast, $0.title) = (name, name) } == "\(name)/\(name).mp3")
    #expect(try path("c{guid}") { $0.episode?.guid = "on" } == "_con.mp3")
  }

  @Test("that is too long loses the end of its title, at a character, and keeps what is behind it")
  func longTitles() throws {
    let long = try path("{podcast}/{title} - {guid}") {
      $0.title = String(repeating: "x", count: 300)
      $0.episode?.guid = "g1"
    }
    #expect(long == "Show/" + String(repeating: "x", count: 236) + " - g1.mp3")
    // Each family of emoji has 25 bytes and is one character.
    let family = "\u{1F468}\u{200D}\u{1F469}\u{200D}\u{1F467}\u{200D}\u{1F466}"
    let emoji = try path("{title} {number}") { $0.title = String(repeating: family, count: 20) }
    #expect(emoji == String(repeating: family, count: 9) + " 7.mp3")
    // Where the title is too short to give way, the end is lost.
    let guid = try path("{title} {guid}") { $0.episode?.guid = String(repeating: "\u{E9}", count: 300) }
    #expect(guid == "Pilot " + String(repeating: "\u{E9}", count: 117) + ".mp3")
    let folder = try path("{podcast}/{title}") { $0.podcast = String(repeating: "p", count: 300) }
    #expect(folder == String(repeating: "p", count: 255) + "/Pilot.mp3")
    // The longest template of the longest values is a path that can be.
    let deepest = String(repeating: "{podcast}/", count: 15) + "{title}"
    #expect(
      try path(deepest) { $0.podcast = String(repeating: "p", count: 300) }.utf8.count <= LibraryPath.maximumBytes)
  }

  @Test("that is taken is told apart by day and id, then by numbers, the same way each time")
  func taken() throws {
    let names = try (1...5).map { try path("{podcast}/{title}", number: $0) }
    #expect(
      names == [
        "Show/Pilot.mp3", "Show/Pilot (2026-03-06).mp3", "Show/Pilot (e42).mp3", "Show/Pilot (2).mp3",
        "Show/Pilot (3).mp3",
      ])
    let dated = try (1...3).map { try path("{date} {title}", number: $0) }
    #expect(dated == ["2026-03-06 Pilot.mp3", "2026-03-06 Pilot (e42).mp3", "2026-03-06 Pilot (2).mp3"])
    let unknown = try (1...3).map { number in
      try path("{title}", number: number) { ($0.day, $0.episode) = (nil, nil) }
    }
    #expect(unknown == ["Pilot.mp3", "Pilot (2).mp3", "Pilot (3).mp3"])
    let long = try path("{title}", number: 3) { $0.title = String(repeating: "x", count: 300) }
    #expect(long == String(repeating: "x", count: 235) + " (e42).mp3")
  }

  @Test("without a template is what it was")
  func standard() throws {
    #expect(try path("") == "Show/2026-03-06 Pilot.mp3")
    #expect(try path("", number: 2) == "Show/2026-03-06 Pilot (2).mp3")
    #expect(try path("{podcast}/[{date} ]{title}") == path(""))
  }

  @Test("keeps the extension that a file has")
  func keptExtension() throws {
    let facts = NamingFacts(
      title: "Pilot", naming: DownloadNaming(try NameTemplate(validating: "{ext} {title}")), fileExtension: "opus",
      url: "https://h/x.mp3", mediaType: "audio/mpeg")
    #expect(try FileNaming(facts).candidate(number: 1).description == "opus Pilot.opus")
  }
}
