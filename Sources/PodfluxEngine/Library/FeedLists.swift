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
        let file = try Self.regularFile(at: path)
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

  /// Opens a file without waiting: for the writer of a pipe the whole engine would wait.
  private static func regularFile(at path: String) throws(Refusal) -> FileHandle {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)
    guard descriptor >= 0 else {
      throw Refusal(.invalidValue, "the file cannot be read: \(String(cString: strerror(errno)))", path: "payload.file")
    }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      close(descriptor)
      throw Refusal(
        .invalidValue, "payload.file is no regular file; name one, or give its text as opml", path: "payload.file")
    }
    return FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
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

/// Reads and writes lists of feeds without an engine. It touches no files.
///
/// ```swift
/// let list = try FeedListReader.feeds(inOPML: [UInt8](Data(contentsOf: url)))
/// ```
package enum FeedListReader {
  /// The feeds of an OPML document.
  ///
  /// - Throws: `Refusal` if it is no OPML, or has too many feeds.
  package static func feeds(inOPML bytes: [UInt8]) throws(Refusal) -> PodcastIntent.FeedList {
    try PodcastIntent.FeedList(opml: bytes, from: "the document")
  }

  /// Whether an OPML document has its end. One that was cut off is read as far as it goes. Cost: reads it once more.
  package static func isWhole(opml bytes: [UInt8]) -> Bool {
    (try? OPMLReader.read(bytes))?.isWhole ?? false
  }

  /// OPML documents with all of the feeds, with passwords and tokens in their addresses: each of at most so many bytes,
  /// unless one feed needs more. Cost: the text is written once for each halving that this takes.
  package static func documents(of feeds: [PodcastIntent.FeedList.Entry], atMost bytes: Int) -> [String] {
    let writer = OPMLWriter(title: "Podflux", includesSecrets: true)
    let text = writer.text(of: feeds.map { .init(address: $0.address, title: $0.title, group: $0.group) })
    guard text.utf8.count > bytes, feeds.count > 1 else { return feeds.isEmpty ? [] : [text] }
    let half = feeds.count / 2
    return documents(of: Array(feeds[..<half]), atMost: bytes) + documents(of: Array(feeds[half...]), atMost: bytes)
  }
}
