import PodfluxCore

/// Conditions as a person builds them: of parts that all hold.
extension EpisodeCondition {
  /// The conditions that all hold; none if each episode meets it.
  private var parts: [EpisodeCondition] {
    if case .all(let parts) = self { parts.flatMap(\.parts) } else { [self] }
  }

  /// The same with other parts for what is given; parts of other kinds stay.
  ///
  /// - Parameters:
  ///   - match: Texts of which a title has one; empty for no change.
  ///   - exclude: Texts of which a title has none; empty for no change.
  ///   - shortest: The least number of seconds; nil for no change.
  ///   - longest: The greatest number of seconds; nil for no change.
  package func changed(
    match: [String] = [], exclude: [String] = [], shortest: Int64? = nil, longest: Int64? = nil
  ) -> EpisodeCondition {
    var (least, most) = (shortest, longest)
    var kept: [EpisodeCondition] = []
    for part in parts {
      switch part {
      case .titleContains where !match.isEmpty: break
      case .not(.titleContains) where !exclude.isEmpty: break
      case .seconds(let atLeast, let atMost) where shortest != nil || longest != nil:
        (least, most) = (least ?? atLeast, most ?? atMost)
      default: kept.append(part)
      }
    }
    if !match.isEmpty { kept.append(.titleContains(match)) }
    if !exclude.isEmpty { kept.append(.not(.titleContains(exclude))) }
    if shortest != nil || longest != nil { kept.append(.seconds(atLeast: least, atMost: most)) }
    return kept.count == 1 ? kept[0] : .all(kept)
  }

  /// Whether a length can be in its range of seconds.
  package var hasLengths: Bool {
    parts.allSatisfy { part in
      if case .seconds(let least?, let most?) = part { least <= most } else { true }
    }
  }

  /// Which episodes it means, as a part of a sentence: "with Night in the title and of at least 10m". Nil for all of
  /// them.
  package var words: String? {
    var words: [String] = []
    for part in parts where !words.contains(part.partWords) { words.append(part.partWords) }
    return words.isEmpty ? nil : words.listed
  }

  private var partWords: String {
    func titles(_ texts: [String]) -> String { texts.map { "\"\($0)\"" }.listed("or") }
    switch self {
    case .titleContains(let texts): return "with \(titles(texts)) in the title"
    case .not(.titleContains(let texts)): return "without \(titles(texts)) in the title"
    case .seconds(let least?, nil): return "of at least \(PlayingTimeText.text(of: least))"
    case .seconds(nil, let most?): return "of at most \(PlayingTimeText.text(of: most))"
    case .seconds(let least?, let most?):
      return "of \(PlayingTimeText.text(of: least)) to \(PlayingTimeText.text(of: most))"
    default: return "that meet a condition, which --json shows"
    }
  }
}
