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
  /// that name. Failing folders, the beginning or end of the file's name tells.
  public func feed(ofFileAt place: EntryPath) -> Feed.Key? {
    var components = place.bytes.split(separator: UInt8(ascii: "/")).map { String(decoding: $0, as: UTF8.self) }
    guard let name = components.popLast() else { return nil }
    for folder in components.reversed() {
      for key in [comparable.key(folder), comparable.latinKey(folder)] {
        if let found = feeds[key] { return found.count == 1 ? found[0] : nil }
      }
    }
    return feed(ofFileNamed: name)
  }

  /// The only feed of this title, such as a file's album; nil if none or several have it.
  public func feed(titled title: String) -> Feed.Key? {
    for key in comparable.keys(title) where !key.isEmpty {
      if let found = feeds[key] { return found.count == 1 ? found[0] : nil }
    }
    return nil
  }

  /// `Podcast - Title` and `Title - Podcast`.
  private func feed(ofFileNamed name: String) -> Feed.Key? {
    let words = NameWords(FileExtension.stem(of: name), comparable)
    for index in 1..<max(words.count, 1) where words.words[index].isBehindBreak {
      for range in [0..<index, index..<words.count] {
        for key in [words.key(range), words.latinKey(range)] where key.utf8.count >= Self.leastTitle {
          if let found = feeds[key], found.count == 1 { return found[0] }
        }
      }
    }
    return nil
  }
}
