import Foundation
import ScriptedOrigin
import TestSupport

/// Publishers of podcasts: day by day each feed has new episodes, and lists its latest ones only. Each has a cover,
/// each episode a picture, chapters, a transcript and notes.
struct SoakPublisher {
  /// How many episodes a feed lists.
  private static let listed = 8
  /// How many episodes each feed has before the first day.
  private static let past = 6

  private struct Episode {
    let day: Int
    let number: Int
    let length: Int
  }

  let feeds: Int
  private let folder: String
  private let server: StaticServer
  private let firstDay: Date
  private var episodes: [[Episode]]
  private var random = SeededRandom(seed: 21)

  /// - Parameters:
  ///   - firstDay: When the first day begins.
  ///   - folder: What the server serves.
  init(feeds: Int, from firstDay: Date, in folder: String, on server: StaticServer) throws {
    (self.feeds, self.firstDay, self.folder, self.server) = (feeds, firstDay, folder, server)
    episodes = Array(repeating: [], count: feeds)
    for feed in 0..<feeds {
      try write([0xFF, 0xD8, 0xFF, 0xE0] + Self.filling(feed), to: "\(feed).jpg")
      for number in 0..<Self.past { try add(to: feed, on: number - Self.past) }
      try write(feed)
    }
  }

  func url(_ feed: Int) -> String { server.url("\(feed).xml") }

  /// A day passes: some feeds have an episode, some have two, some have none.
  mutating func publish(_ day: Int) throws {
    for feed in 0..<feeds {
      let new = [0, 0, 1, 1, 1, 2][Int(random.next() % 6)]
      for _ in 0..<new { try add(to: feed, on: day) }
      if new > 0 { try write(feed) }
    }
  }

  private mutating func add(to feed: Int, on day: Int) throws {
    let number = episodes[feed].count
    let length = 30_000 + Int(random.next() % 100_000)
    episodes[feed].append(Episode(day: day, number: number, length: length))
    let (name, seed) = ("\(feed)-\(number)", feed * 10_000 + number)
    try write(Body.audio(length: length, seed: UInt64(seed)).allBytes, to: "\(name).mp3")
    try write([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A] + Self.filling(seed), to: "\(name).png")
    let chapters = #"{"version":"1.2.0","chapters":[{"startTime":0,"title":"\#(name)"}]}"#
    try write(Array(chapters.utf8), to: "\(name).json")
    try write(Array("WEBVTT\n\n00:00.000 --> 00:01.000\n\(name)\n".utf8), to: "\(name).vtt")
  }

  private static func filling(_ seed: Int) -> [UInt8] { Body.stamped(length: 5_000, seed: UInt64(seed)).allBytes }

  private func write(_ bytes: [UInt8], to name: String) throws {
    try Data(bytes).write(to: URL(filePath: "\(folder)/\(name)"))
  }

  /// The document is replaced at once: no reader sees a part of it.
  private func write(_ feed: Int) throws {
    var text = """
      <?xml version="1.0" encoding="UTF-8"?>
      <rss version="2.0" xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd"
      xmlns:podcast="https://podcastindex.org/namespace/1.0"><channel><title>Show \(feed)</title>
      <link>https://shows.example/\(feed)</link><description>A show.</description>
      <itunes:image href="\(server.url("\(feed).jpg"))"/>

      """
    for episode in episodes[feed].suffix(Self.listed).reversed() {
      let minute = feed * 10 + episode.number % 10
      let base = server.url("\(feed)-\(episode.number)")
      let moment = firstDay.addingTimeInterval(Double(episode.day * 86_400 + minute * 60))
      text += """
        <item><title>Episode \(episode.number)</title><guid isPermaLink="false">\(feed)-\(episode.number)</guid>
        <pubDate>\(FeedDate.text(moment))</pubDate><itunes:episode>\(episode.number + 1)</itunes:episode>
        <itunes:image href="\(base).png"/><podcast:chapters url="\(base).json" type="application/json+chapters"/>
        <podcast:transcript url="\(base).vtt" type="text/vtt"/>
        <description><![CDATA[<p>Notes of <b>\(episode.number)</b>.</p>]]></description>
        <enclosure url="\(base).mp3" length="\(episode.length)" type="audio/mpeg"/></item>

        """
    }
    text += "</channel></rss>\n"
    try text.write(toFile: "\(folder)/\(feed).xml", atomically: true, encoding: .utf8)
  }
}
