/// Tells which feed a folder or a file is named after.
public struct FeedNames: Sendable {
  private let comparable: ComparableText
  private var feeds: [String: [Feed.Key]] = [:]

  /// The shortest title by which a part of a file's name is told, in bytes of its key.
  private static let leastTitle = 4

  public init(comparing comparable: ComparableText) {
    self.comparable = comparable
  }

  public mutating func add(_ feed: FeedName) {
    for title in feed.titles {
      for key in comparable.keys(title) where !key.isEmpty && feeds[key]?.last != feed.key {
        feeds[key, default: []].append(feed.key)
      }
    }
  }

  /// The feed after which the innermost folder is named that is named after one; nil if none is, or if several feeds have
  /// that name and the preferred one is not among them. Failing folders, the beginning or end of the file's name tells.
  public func feed(ofFileAt place: EntryPath, preferring preferred: Feed.Key? = nil) -> Feed.Key? {
    var components = place.bytes.split(separator: UInt8(ascii: "/")).map { String(decoding: $0, as: UTF8.self) }
    guard let name = components.popLast() else { return nil }
    for folder in components.reversed() {
      for key in [comparable.key(folder), comparable.latinKey(folder)] {
        if let found = feeds[key] { return Self.one(of: found, preferring: preferred) }
      }
    }
    return feed(ofFileNamed: name, preferring: preferred)
  }

  /// The only feed of this title, such as a file's album, or the preferred one of several; nil if there is none.
  public func feed(titled title: String, preferring preferred: Feed.Key? = nil) -> Feed.Key? {
    for key in comparable.keys(title) where !key.isEmpty {
      if let found = feeds[key] { return Self.one(of: found, preferring: preferred) }
    }
    return nil
  }

  private static func one(of feeds: [Feed.Key], preferring preferred: Feed.Key?) -> Feed.Key? {
    feeds.count == 1 ? feeds[0] : feeds.first { $0 == preferred }
  }

  /// `Podcast - Title` and `Title - Podcast`.
  private func feed(ofFileNamed name: String, preferring preferred: Feed.Key?) -> Feed.Key? {
    let words = NameWords(FileExtension.stem(of: name), comparable)
    for index in 1..<max(words.count, 1) where words.words[index].isBehindBreak {
      for range in [0..<index, index..<words.count] {
        for key in [words.key(range), words.latinKey(range)] where key.utf8.count >= Self.leastTitle {
          if let found = feeds[key], let feed = Self.one(of: found, preferring: preferred) { return feed }
        }
      }
    }
    return nil
  }
}
