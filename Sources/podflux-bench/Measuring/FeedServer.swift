import Foundation

/// Feeds on nginx.
struct FeedServer {
  private let server: StaticServer
  private let files: String

  /// Makes as many feeds, each with as many episodes, and serves them.
  init(in folder: String, feeds: Int, episodes: Int) throws {
    files = folder + "/feeds"
    server = try StaticServer(files, in: folder)
    for number in 0..<feeds { try add(number, episodes: episodes) }
  }

  func url(_ feed: Int) -> String { server.url("\(feed).xml") }

  /// A list of the first feeds, as OPML.
  func list(of feeds: Int) -> String {
    let outlines = (0..<feeds).map { #"<outline type="rss" text="Show \#($0)" xmlUrl="\#(url($0))"/>"# }
    return #"<opml version="2.0"><body>\#(outlines.joined())</body></opml>"#
  }

  /// Makes a feed with so many episodes, the newest first, each with a description of so many bytes.
  func add(_ number: Int, episodes: Int, descriptionBytes: Int = 300) throws {
    let words = String(repeating: "What this one is about. ", count: descriptionBytes / 24 + 1).prefix(descriptionBytes)
    var text = """
      <?xml version="1.0" encoding="UTF-8"?>
      <rss version="2.0" xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd"><channel>
      <title>Show \(number)</title><link>https://shows.example/\(number)</link><language>en</language>
      <description>A show.</description>

      """
    for episode in (0..<episodes).reversed() {
      // From 2001 on, one a day and a feed's own minute.
      let moment = Date(timeIntervalSince1970: Double(978_307_200 + episode % 9000 * 86_400 + number % 1440 * 60))
      text += """
        <item><title>Episode \(episode) of show \(number)</title><guid isPermaLink="false">show-\(number)-\(episode)</guid>
        <pubDate>\(FeedDate.text(moment))</pubDate><link>https://shows.example/\(number)/\(episode)</link>
        <itunes:duration>\(1000 + episode % 5000)</itunes:duration><description>\(words)</description>
        <enclosure url="https://media.example/\(number)/\(episode).mp3" length="\(20_000_000 + episode)" type="audio/mpeg"/>
        </item>

        """
    }
    text += "</channel></rss>\n"
    try text.write(toFile: "\(files)/\(number).xml", atomically: false, encoding: .utf8)
  }

  /// The length of a feed's document, in bytes.
  func length(of feed: Int) throws -> Int64 {
    var status = stat()
    guard stat("\(files)/\(feed).xml", &status) == 0 else { throw MeasurementFailure("feed \(feed) is not there") }
    return Int64(status.st_size)
  }
}
