import PodfluxCore

/// What the tags of a file say, as its worker has read them.
package struct FileTags: Codable, Hashable, Sendable {
  /// Nil where they say nothing; of at most `TaggingLimits.textBytes`.
  package var title: String?
  package var album: String?
  /// As it stands there, mostly in the form of ISO 8601.
  package var date: String?
  package var track: Int?
  /// Whether the file has a picture, and chapters: tagging leaves those. Nil for no.
  package var hasPicture: Bool?
  package var hasChapters: Bool?
}

extension AdoptableFile.Tags {
  /// What of them tells an episode: a date only if it is a whole one.
  package init(_ tags: FileTags) {
    self.init(
      title: tags.title, album: tags.album, date: tags.date.flatMap(Self.day), track: tags.track.map(Int64.init))
  }

  /// The day of `2026-03-06`, or of `2026-03-06T07:00:00Z`; nil for anything else.
  private static func day(_ text: String) -> CivilDate? {
    let parts = text.prefix(10).split(separator: "-", omittingEmptySubsequences: false)
    guard parts.map(\.utf8.count) == [4, 2, 2],
      parts.allSatisfy({ $0.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } }),
      let year = Int64(parts[0]), let month = Int64(parts[1]), let day = Int64(parts[2]), year > 0,
      (1...12).contains(month), (1...CivilDate.days(inMonth: month, ofYear: year)).contains(day)
    else { return nil }
    return CivilDate(year: year, month: month, day: day)
  }
}
