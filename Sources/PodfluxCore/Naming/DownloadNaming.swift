/// How a download's file is named when its client names no path.
package struct DownloadNaming: Hashable, Sendable {
  /// What a template can say of an episode beside what the download's description says.
  package struct EpisodeFacts: Hashable, Sendable {
    package var id: EpisodeID
    package var guid: String?
    package var season: Int64?
    package var number: String?
    package var kind: EpisodeContent.Kind?
    /// Its place among the feed's dated episodes that the library knows: 1 for the oldest. Nil if it has no date, or if
    /// the template does not ask.
    package var index: Int64?

    package init(
      id: EpisodeID, guid: String? = nil, season: Int64? = nil, number: String? = nil,
      kind: EpisodeContent.Kind? = nil, index: Int64? = nil
    ) {
      self.id = id
      self.guid = guid
      self.season = season
      self.number = number
      self.kind = kind
      self.index = index
    }

    package init(_ episode: Episode, index: Int64? = nil) {
      let content = episode.content
      self.init(
        id: episode.id, guid: content.guid, season: content.season, number: content.number, kind: content.kind,
        index: index)
    }
  }

  /// The feed's template, or else the library's.
  package var template: NameTemplate
  /// The episode whose file it is; nil for a download without an episode.
  package var episode: EpisodeFacts?

  /// Names a file; as without a template, by default.
  package init(_ template: NameTemplate = .standard, episode: EpisodeFacts? = nil) {
    self.template = template
    self.episode = episode
  }

  /// Names the file of an episode by a template.
  ///
  /// - Parameters:
  ///   - template: The feed's template, or else the library's.
  ///   - episode: The episode.
  ///   - index: The episode's place in its feed. Not called if the template does not ask for it.
  package init(_ template: NameTemplate, of episode: Episode, index: () throws -> Int64?) rethrows {
    self.init(template)
    guard !template.isStandard else { return }
    self.episode = EpisodeFacts(episode, index: template.uses(.index) ? try index() : nil)
  }

  /// The value of a field that concerns the episode itself; nil if it is missing, and for all other fields.
  package func value(of field: NameTemplate.Field) -> String? {
    switch field {
    case .season: episode?.season.map(String.init)
    case .number: episode?.number
    case .index: episode?.index.map(String.init)
    case .guid: episode?.guid
    case .type: episode?.kind?.rawValue
    case .podcast, .title, .date, .time, .ext: nil
    }
  }
}

extension PublicationDate {
  /// The time of day as names have it, `HH-mm`, at an offset from UTC.
  package func timeText(offsetSeconds: Int64) -> String {
    let minutes = moment.advanced(byMilliseconds: offsetSeconds * 1000).milliseconds.dividedDown(by: 60_000).quotient
      .dividedDown(by: 1440).remainder
    return [minutes / 60, minutes % 60].map { ($0 < 10 ? "0" : "") + String($0) }.joined(separator: "-")
  }
}
