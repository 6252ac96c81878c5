import Feeds
import Foundation
import Persistence
import PodfluxCore

/// Lists of feeds: OPML in and out.
extension PodcastIntent.Document {
  /// The largest file that is read, in bytes. A client's line is shorter.
  private static let maximumFileBytes = 64 << 20

  /// The feeds of the document.
  ///
  /// - Throws: `Refusal` if the document cannot be read or is no OPML.
  func feeds() throws(Refusal) -> PodcastIntent.FeedList {
    let path = isFile ? "payload.file" : "payload.opml"
    return try PodcastIntent.FeedList(opml: try bytes(), from: path)
  }

  private var isFile: Bool { if case .file = self { true } else { false } }

  private func bytes() throws(Refusal) -> [UInt8] {
    switch self {
    case .text(let text): return Array(text.utf8)
    case .file(let path):
      do {
        let file = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
        defer { try? file.close() }
        let data = try file.read(upToCount: Self.maximumFileBytes + 1) ?? Data()
        guard data.count <= Self.maximumFileBytes else {
          throw Refusal(
            .limitExceeded, "the file has more than \(Self.maximumFileBytes) bytes; divide it", path: "payload.file")
        }
        return [UInt8](data)
      } catch let refusal as Refusal {
        throw refusal
      } catch {
        throw Refusal(
          .invalidValue, "the file cannot be read: \(error.localizedDescription)", path: "payload.file")
      }
    }
  }
}

extension PodcastIntent.FeedList {
  /// The feeds of an OPML document.
  ///
  /// - Parameter path: The member that the document comes from, for what is said of it.
  /// - Throws: `Refusal` if it is no OPML, or has too many feeds.
  fileprivate init(opml bytes: [UInt8], from path: String) throws(Refusal) {
    let document: OPMLDocument
    do throws(OPMLError) {
      document = try OPMLReader.read(bytes)
    } catch {
      throw Refusal(.invalidValue, "\(path) \(error.sentence); give an OPML document", path: path)
    }
    if document.isCut {
      throw Refusal(
        .limitExceeded, "\(path) has more feeds than \(OPMLLimits.maximumOutlines); divide it", path: path)
    }
    self.init(
      feeds: document.feeds.map(PodcastIntent.FeedList.Entry.init),
      rejected: document.rejected.map {
        .init(url: $0.url, code: $0.isUnsupportedScheme ? .unsupportedScheme : .invalidValue)
      })
  }
}

extension OPMLError {
  fileprivate var sentence: String {
    switch self {
    case .empty: "has no list of feeds in it"
    case .feed: "is a feed itself; subscribe to its address with feeds/subscribe"
    case .page: "is a web page"
    case .unknown: "is no list of feeds"
    }
  }
}

extension PodcastIntent.FeedList.Entry {
  fileprivate init(_ feed: OPMLDocument.Feed) {
    // A group that is longer than one may be is none.
    let group = feed.group.flatMap { $0.utf8.count <= PodcastIntent.Limits.groupBytes ? $0 : nil }
    self.init(address: feed.address, title: feed.title, group: group)
  }
}

extension OpenLibrary {
  /// All subscriptions as OPML, in the order in which they were made.
  func opml(includingSecrets includesSecrets: Bool) throws -> String {
    try database.read { try $0.opml(includingSecrets: includesSecrets) }
  }
}

extension TableReader {
  /// All subscriptions as OPML, in the order in which they were made.
  func opml(includingSecrets includesSecrets: Bool) throws -> String {
    var feeds: [OPMLWriter.Feed] = []
    try forEachFeed { feed in
      feeds.append(
        OPMLWriter.Feed(
          address: feed.address, title: feed.wishes.title ?? feed.podcast?.title,
          link: feed.podcast?.link.flatMap { try? WebAddress($0) }, group: feed.wishes.group))
    }
    return OPMLWriter(title: "Podflux", includesSecrets: includesSecrets).text(of: feeds)
  }
}

/// Reads lists of feeds without an engine.
public enum FeedListReader {
  /// The feeds of an OPML document.
  ///
  /// - Throws: `Refusal` if it is no OPML, or has too many feeds.
  public static func feeds(inOPML bytes: [UInt8]) throws(Refusal) -> PodcastIntent.FeedList {
    try PodcastIntent.FeedList(opml: bytes, from: "the document")
  }
}
