import Foundation
import ScriptedOrigin
import TestSupport

/// Publishers of podcasts: day by day each feed has new episodes, and lists its latest ones only.
struct SoakPublisher {
  /// How many episodes a feed lists.
  private static let listed = 8
  /// How many episodes each feed has before the first day.
  private static let past = 6

  private struct Episode {
    let day: Int
    let number: Int
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
    episodes[feed].append(Episode(day: day, number: number))
    let length = 30_000 + Int(random.next() % 100_000)
    let path = "\(folder)/\(feed)-\(number).mp3"
    try Data(Body.audio(length: length, seed: UInt64(feed * 10_000 + number)).allBytes).write(to: URL(filePath: path))
  }

  /// The document is replaced at once: no reader sees a part of it.
  private func write(_ feed: Int) throws {
    var text = """
      <?xml version="1.0" encoding="UTF-8"?>
      <rss version="2.0"><channel><title>Show \(feed)</title><link>https://shows.example/\(feed)</link>
      <description>A show.</description>

      """
    for episode in episodes[feed].suffix(Self.listed).reversed() {
      let minute = feed * 10 + episode.number % 10
      let moment = firstDay.addingTimeInterval(Double(episode.day * 86_400 + minute * 60))
      text += """
        <item><title>Episode \(episode.number)</title><guid isPermaLink="false">\(feed)-\(episode.number)</guid>
        <pubDate>\(FeedDate.text(moment))</pubDate>
        <enclosure url="\(server.url("\(feed)-\(episode.number).mp3"))" length="0" type="audio/mpeg"/></item>

        """
    }
    text += "</channel></rss>\n"
    try text.write(toFile: "\(folder)/\(feed).xml", atomically: true, encoding: .utf8)
  }
}
