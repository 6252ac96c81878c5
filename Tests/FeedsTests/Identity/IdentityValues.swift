import Feeds
import Flux
import PodfluxCore

/// An identity with an enclosure of a.example and a day of 1970.
func identity(
  _ guid: String?, _ file: String?, _ title: String?, day number: Int? = nil, seconds: Int64? = nil,
  bytes: Int64? = nil
) -> EpisodeIdentity {
  EpisodeIdentity(
    guid: guid, enclosure: file.flatMap { url($0) }, title: title, published: number.flatMap { day($0) },
    seconds: seconds, bytes: bytes)
}

/// A file of a.example.
func url(_ file: String) -> WebAddress? { try? WebAddress("https://a.example/\(file)") }

/// A day of 1970 or later.
func day(_ number: Int) -> Timestamp? { Timestamp(day: Int64(number)) }

extension EpisodeIdentity {
  /// A copy with changes.
  func with(_ change: (inout Self) -> Void) -> Self {
    var copy = self
    change(&copy)
    return copy
  }
}

extension EpisodeMatcher {
  /// What the items of a document are.
  mutating func matches(_ items: [EpisodeIdentity]) -> [Match] {
    var matches = items.map { match($0) }
    let undecided = items.indices.filter { matches[$0] == .undecided }
    for (index, match) in zip(undecided, decide(undecided.map { items[$0] })) { matches[index] = match }
    return matches
  }
}
