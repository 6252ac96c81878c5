import Foundation
import ScriptedOrigin
import TestSupport

/// A feed on an origin, with a file for each of its episodes.
struct FeedOnOrigin {
  let path: String
  private let scene: Scene

  init(_ scene: Scene, path: String) {
    self.scene = scene
    self.path = path
  }

  var url: String { scene.origin.url(path) }

  /// Serves a document with these episodes, newest first, and their files.
  ///
  /// - Parameters:
  ///   - last: The text with which the document ends early, in a response that is complete; nil for none.
  ///   - areDated: Whether episodes have dates.
  func publish(
    _ numbers: ClosedRange<Int>, cutBehind last: String? = nil, bytesPerSecond: Int? = nil, areDated: Bool = true
  ) {
    let items = numbers.reversed().map { number -> String in
      let file = "\(path).\(number).mp3"
      scene.serve(file, length: 10_000 + number)
      return """
        <item><guid isPermaLink="false">\(path)#\(number)</guid><title>Episode \(number)</title>
        \(areDated ? "<pubDate>\(Self.date(number))</pubDate>" : "")<itunes:duration>1:02:03</itunes:duration>
        <enclosure url="\(scene.origin.url(file))" type="audio/mpeg" length="\(10_000 + number)"/></item>
        """
    }.joined()
    let document = """
      <?xml version="1.0"?>
      <rss version="2.0" xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd"><channel>
      <title>Show of \(path)</title>\(items)</channel></rss>
      """
    let end = last.flatMap { document.firstRange(of: $0)?.upperBound } ?? document.endIndex
    let behaviour = Behaviour.resource(
      Resource(
        .text(String(document[..<end])), mediaType: "application/rss+xml", entityTag: .strong("\(numbers.upperBound)"),
        ranges: .ignored))
    scene.origin.serve(path, bytesPerSecond.map(behaviour.limited(toBytesPerSecond:)) ?? behaviour)
  }

  /// A day of June 2026 for each of the first thirty, then further minutes of the last.
  private static func date(_ number: Int) -> String {
    let (day, minute) = number <= 30 ? (number, 0) : (30, number - 30)
    return String(format: "%02d Jun 2026 %02d:%02d:00 +0000", day, 10 + minute / 60, minute % 60)
  }
}

extension PodfluxProcess {
  /// Requests snapshots until a feed meets a condition. Between two it waits for the child's answer, and 5 ms.
  func waitForFeed(_ id: String, upTo seconds: Double = 20, _ condition: ([String: Any]) -> Bool) throws -> [String:
    Any]
  {
    var last: [String: Any] = [:]
    try waitUntil("the feed \(id)", upTo: seconds) {
      let query: [String: Any] = ["stores": ["feeds"], "feeds": ["where": ["id": id]]]
      let feeds = try order("snapshot", query)["feeds"] as? [String: Any]
      last = (feeds?["items"] as? [[String: Any]])?.first ?? [:]
      return condition(last)
    }
    return last
  }

  /// The episodes that meet a condition, newest first.
  func episodes(_ condition: [String: Any]) throws -> [[String: Any]] {
    let query: [String: Any] = ["stores": ["episodes"], "episodes": ["where": condition, "limit": 1000]]
    let episodes = try order("snapshot", query)["episodes"] as? [String: Any]
    return episodes?["items"] as? [[String: Any]] ?? []
  }
}
