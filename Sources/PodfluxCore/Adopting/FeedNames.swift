/// Tells which feed a folder or a file is named after.
package struct FeedNames: Sendable {
  private let comparable: ComparableText
  private var feeds: [String: [Feed.Key]] = [:]

  /// The shortest title that identifies a feed in a part of a file's name, in bytes of its key.
  private static let leastTitle = 4

  package init(comparing comparable: ComparableText) {
    self.comparable = comparable
  }

  package mutating func add(_ feed: FeedName) {
    for title in feed.titles {
      for key in comparable.keys(title) where !key.isEmpty && feeds[key]?.last != feed.key {
        feeds[key, default: []].append(feed.key)
      }
    }
  }

  /// The feed after which the innermost folder is named that is named after one. Failing folders, the beginning or end
  /// of the file's name tells. Several feeds have one title, unless the preferred one is among them; none may have it.
  package func feeds(ofFileAt place: EntryPath, preferring preferred: Feed.Key? = nil) -> [Feed.Key] {
    var components = place.bytes.split(separator: UInt8(ascii: "/")).map { String(decoding: $0, as: UTF8.self) }
    guard let name = components.popLast() else { return [] }
    for folder in components.reversed() {
      for key in [comparable.key(folder), comparable.latinKey(folder)] {
        if let found = feeds[key] { return Self.choice(of: found, preferring: preferred) }
      }
    }
    return feeds(ofFileNamed: name, preferring: preferred)
  }

  /// The feeds of this title, such as a file's album; of several the preferred one alone, if it is among them.
  package func feeds(titled title: String, preferring preferred: Feed.Key? = nil) -> [Feed.Key] {
    for key in comparable.keys(title) where !key.isEmpty {
      if let found = feeds[key] { return Self.choice(of: found, preferring: preferred) }
    }
    return []
  }

  private static func choice(of feeds: [Feed.Key], preferring preferred: Feed.Key?) -> [Feed.Key] {
    feeds.first { $0 == preferred }.map { [$0] } ?? feeds
  }

  /// `Podcast - Title` and `Title - Podcast`.
  private func feeds(ofFileNamed name: String, preferring preferred: Feed.Key?) -> [Feed.Key] {
    var several: [Feed.Key] = []
    let words = NameWords(FileExtension.stem(of: name), comparable)
    for index in 1..<max(words.count, 1) where words.words[index].isBehindBreak {
      for range in [0..<index, index..<words.count] {
        for key in [words.key(range), words.latinKey(range)] where key.utf8.count >= Self.leastTitle {
          let found = Self.choice(of: feeds[key] ?? [], preferring: preferred)
          if found.count == 1 { return found }
          if several.isEmpty { several = found }
        }
      }
    }
    return several
  }
}
