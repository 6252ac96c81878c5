import Feeds
import Foundation
import PodfluxCore

/// What a parser makes of a document.
struct Reading: Equatable {
  var episodes: [FeedEpisode] = []
  var outcome = FeedOutcome.unknown

  /// Where all documents of the tests are said to be.
  static let address = "https://show.example/feeds/feed.xml"

  /// Parses bytes in pieces of a size; by default as one.
  init(_ bytes: [UInt8], pieces size: Int = .max, charset: String? = nil) throws {
    var parser = FeedParser(address: try WebAddress(Self.address), charset: charset)
    var rest = bytes[...]
    while !rest.isEmpty {
      parser.parse(rest.prefix(size)) { episodes.append($0) }
      rest = rest.dropFirst(size)
    }
    outcome = parser.finish { episodes.append($0) }
  }

  init(_ text: String, charset: String? = nil) throws {
    try self.init(Array(text.utf8), charset: charset)
  }

  /// An RSS document with these elements in its channel.
  init(channel: String) throws {
    try self.init(#"<rss version="2.0"><channel>\#(channel)</channel></rss>"#)
  }

  /// An RSS document with one episode of these elements.
  init(item: String) throws {
    try self.init(channel: "<item><title>One</title>\(item)</item>")
  }

  var report: FeedReport? {
    guard case .feed(let report) = outcome else { return nil }
    return report
  }

  var problems: [FeedProblem] { report?.problems.first ?? [] }
}
