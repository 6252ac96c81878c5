/// A file's episode, by what that is known, and how surely.
///
/// ```swift
/// for case .episodeFile(let file, let pairing) in cleanup.steps.map(\.finding) where pairing.confidence != .certain {
///   print(file.place.text, "may be of", pairing.episodes, "by", pairing.evidence.map(\.rawValue))
/// }
/// ```
public struct EpisodePairing: Hashable, Sendable, Codable {
  /// Something in which a file agrees with an episode.
  ///
  /// Use: `step.finding.pairing?.evidence.first`.
  public enum Evidence: String, Hashable, Sendable, Codable, CaseIterable, Comparable {
    /// Its name is that of the enclosure.
    case fileName = "file_name"
    /// Its name has the title.
    case title
    /// Its name has the title in other words: transliterated, or without what stands beside it.
    case foldedTitle = "folded_title"
    /// Its name has the beginning of the title.
    case truncatedTitle = "truncated_title"
    /// Its name has the title among words that are not known.
    case titleAmongOthers = "title_among_others"
    /// Its tags have the title.
    case tags
    /// Its name or its tags have the day.
    case date
    /// The file's name has the episode's number.
    case number
    /// The file is as long as the feed says of this episode and of no other.
    case length
    /// The file was written at the moment at which the episode was published.
    case modified

    public static func < (left: Self, right: Self) -> Bool { left.rank < right.rank }

    private var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }
  }

  /// How sure the engine is of a pair.
  ///
  /// Use: `step.finding.pairing?.confidence`.
  public enum Confidence: String, Hashable, Sendable, Codable, CaseIterable, Comparable {
    /// A person has to decide.
    case doubtful
    /// One piece of evidence decides, and none contradicts it.
    case likely
    /// Two or more pieces of evidence decide.
    case certain

    public static func < (left: Self, right: Self) -> Bool { left.rank < right.rank }

    private var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }
  }

  /// How many episodes a doubtful pair names.
  package static let episodeLimit = 5

  /// The episode. If it is doubtful, those that it may be, the likeliest first.
  public var episodes: [EpisodeID]
  /// In which things the file agrees with the first of them.
  public var evidence: [Evidence]
  public var confidence: Confidence

  package init(episodes: [EpisodeID], evidence: [Evidence], confidence: Confidence) {
    self.episodes = episodes
    self.evidence = evidence
    self.confidence = confidence
  }
}

/// Why a file is not taken for an episode.
package enum AdoptionDoubt: Hashable, Sendable {
  /// Nothing agrees with any episode.
  case unknown
  /// The file is named after a title that so many feeds have.
  case manyFeeds(Int)
  /// This many episodes agree with the file equally well.
  case ambiguous(Int)
  /// Some evidence agrees, but too little to decide.
  case weakEvidence
  /// Something speaks against it.
  case contradicted(Contradiction)
  /// Another file is as good for the episode, or better: its place in the list.
  case otherFile(Int)
  /// The episode has a download.
  case hasDownload

  /// Something that speaks against a pair.
  package enum Contradiction: Hashable, Sendable, CaseIterable {
    case date, number, length, mediaKind
  }
}

/// What a run has decided about a file.
package struct AdoptionVerdict: Hashable, Sendable {
  /// Nil if no episode is like the file.
  package var pairing: EpisodePairing?
  /// Why the file is not taken; nil if it is.
  package var doubt: AdoptionDoubt?

  /// No episode is like the file.
  package static let unknown = AdoptionVerdict(pairing: nil, doubt: .unknown)

  /// The episode whose file it is taken for.
  package var taken: EpisodeID? { doubt == nil ? pairing?.episodes.first : nil }

  init(pairing: EpisodePairing?, doubt: AdoptionDoubt?) {
    self.pairing = pairing
    self.doubt = doubt
  }
}
