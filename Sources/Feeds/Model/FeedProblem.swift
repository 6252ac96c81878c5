/// What is wrong at one place of a feed. It costs the field, at worst the episode, never the feed.
package struct FeedProblem: Error, Hashable, Sendable {
  /// What the element or the attribute should have been.
  package enum Fault: Hashable, Sendable {
    /// It is not there, or empty.
    case missing
    /// It cannot be read; with the beginning of its value.
    case invalid(String)
    /// It is longer than its limit, and was cut or dropped.
    case tooLong
    /// There are more than a feed may have.
    case tooMany
    /// An episode has neither guid, enclosure nor title: nothing tells it from another, so it is dropped.
    case unidentifiable
  }

  /// The element as its specification writes it, in lower case: `itunes:duration`.
  package let element: String
  /// The attribute that is at fault; nil if it is the element's text, or the element.
  package let attribute: String?
  package let fault: Fault
  /// The episode, counted from 1 in the order of the document; nil outside of an episode.
  package let episode: Int?

  package init(element: String, attribute: String? = nil, fault: Fault, episode: Int? = nil) {
    self.element = element
    self.attribute = attribute
    self.fault = fault
    self.episode = episode
  }
}

/// The problems of a feed, of which the first are kept.
package struct FeedProblems: Hashable, Sendable {
  /// The first problems, at most `FeedLimits.maximumProblems`.
  package private(set) var first: [FeedProblem] = []
  /// How many there are in all.
  package private(set) var count = 0

  package init() {}

  /// Adds a problem.
  package mutating func append(_ problem: FeedProblem) {
    count += 1
    if first.count < FeedLimits.maximumProblems { first.append(problem) }
  }
}
