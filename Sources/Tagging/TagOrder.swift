import PodfluxCore

/// What the worker is to do, as it gets it on its stdin: JSON.
struct WorkerOrder: Codable {
  /// The tags to write; nil if the worker is to read the file's tags.
  var tags: TagOrder?
}

/// What the worker is to write.
package struct TagOrder: Codable, Hashable, Sendable {
  var title: String?
  var album: String?
  /// `yyyy-MM-dd`.
  var date: String?
  var track: Int?
  var disc: Int?
  var genre: String?
  var chapters: [Chapter] = []

  /// - Parameters:
  ///   - tags: What is known of the file.
  ///   - offsetSeconds: By how much the clocks of the time zone of `tags` were ahead of UTC at the publication.
  ///   - chapters: In the order of their beginnings; none by default.
  package init(_ tags: EpisodeTags, offsetSeconds: Int64, chapters: [Chapter] = []) {
    self.chapters = chapters
    title = Self.text(tags.title)
    album = Self.text(tags.podcast)
    date = tags.published?.day(offsetSeconds: offsetSeconds).text
    (track, disc) = (tags.track, tags.disc)
    genre = tags.isEpisode ? EpisodeTags.genre : nil
  }

  /// A text that all formats can hold: without NUL, which ends the texts of C and of ID3, and not too long.
  private static func text(_ text: String?) -> String? {
    guard let text = text?.replacing("\u{0}", with: ""), !text.isEmpty else { return nil }
    return text.cut(toBytes: TaggingLimits.textBytes)
  }
}

/// Why the worker has ended: its exit status.
enum WorkerEnd: Int32 {
  /// The worker has tagged the file, or has written down which tags the file has.
  case done = 0
  /// The order or the descriptors are not what they should be.
  case misused = 64
  case unknownFormat = 10
  case unreadable = 11
  case notWritten = 12

  /// Why the file has no tags; nil if it has.
  var reason: String? {
    switch self {
    case .done: nil
    case .misused: "the tagger was started wrongly"
    case .unknownFormat: "the file's format is none whose tags are written"
    case .unreadable: "the file is damaged, or not of the format that it begins with"
    case .notWritten: "the tags could not be written"
    }
  }
}
