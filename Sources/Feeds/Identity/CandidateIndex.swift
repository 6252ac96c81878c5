/// Which known episodes have a name, in the order in which they were inserted.
///
/// An episode that is taken leaves the lists of its names when they are read next, so that reading costs O(1) however
/// many episodes have a name.
struct CandidateIndex<Name: Hashable & Sendable>: Sendable {
  /// How many episodes with one name are compared. Only feeds whose episodes have nothing else to tell them apart have
  /// more.
  static var limit: Int { 32 }

  private struct Chain: Sendable {
    var first: Int32
    var last: Int32
    /// The number of episodes with this name, including taken ones.
    var count: Int32
  }

  private var chains: [Name: Chain] = [:]
  private var links: [(episode: Int32, next: Int32)] = []
  private static var end: Int32 { -1 }

  /// Makes room for so many episodes.
  mutating func reserve(_ count: Int) {
    chains.reserveCapacity(count)
    links.reserveCapacity(count)
  }

  /// Adds an episode, which must not be in the list of this name yet.
  mutating func insert(_ episode: Int, under name: Name) {
    let link = Int32(links.count)
    links.append((Int32(episode), Self.end))
    if let last = chains[name]?.last {
      links[Int(last)].next = link
      chains[name]?.last = link
      chains[name]?.count += 1
    } else {
      chains[name] = Chain(first: link, last: link, count: 1)
    }
  }

  /// The number of episodes with this name, including taken ones.
  func count(of name: Name) -> Int {
    Int(chains[name]?.count ?? 0)
  }

  /// The first episodes with the name that are not taken.
  mutating func candidates(named name: Name, isTaken: [Bool]) -> [Int] {
    guard let first = chains[name]?.first else { return [] }
    var (candidates, link, previous): ([Int], Int32, Int32?) = ([], first, nil)
    while link != Self.end, candidates.count < Self.limit {
      let (episode, next) = links[Int(link)]
      if !isTaken[Int(episode)] {
        candidates.append(Int(episode))
        previous = link
      } else if let previous {
        links[Int(previous)].next = next
      } else {
        chains[name]?.first = next
      }
      link = next
    }
    return candidates
  }
}
