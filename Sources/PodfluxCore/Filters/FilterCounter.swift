/// Counts, for each filter, the downloads that it would show: those that meet what the other groups show.
///
/// It is fed with combinations of podcast and traits, and how many downloads have them; the cost is that of the
/// combinations, not of the downloads.
public struct FilterCounter {
  /// The downloads of some traits.
  private struct Tally {
    /// The groups, podcasts' apart, whose active filters do not show them; of two or more, two.
    let unmet: [FilterGroup.ID]
    /// How many there are of podcasts that are shown.
    var number = 0
  }

  private let selection: FilterSelection
  private let conditions: [FilterGroup.ID: Condition]
  /// The podcasts that are shown; nil for all.
  private let shown: Set<String>?
  private var tallies: [Traits: Tally] = [:]
  private var podcasts: [String: Int] = [:]

  /// Counts for what is active.
  public init(_ selection: FilterSelection) {
    self.selection = selection
    conditions = selection.conditions(without: .podcast)
    let names = selection.active.filter { $0.group == .podcast }.map(\.value)
    shown = names.isEmpty ? nil : Set(names)
  }

  /// Takes in that so many downloads, as clients see them, are of a podcast and have these traits.
  public mutating func count(_ number: Int, podcast: String?, traits: Traits) {
    var tally = tallies[traits] ?? Tally(unmet: unmet(by: traits))
    if tally.unmet.isEmpty, let podcast { podcasts[podcast, default: 0] += number }
    if shown.map({ shown in podcast.map(shown.contains) ?? false }) ?? true { tally.number += number }
    tallies[traits] = tally
  }

  private func unmet(by traits: Traits) -> [FilterGroup.ID] {
    FilterGroup.ID.allCases.lazy
      .filter { id in conditions[id].map { $0.isMet(by: traits, podcast: nil) != true } ?? false }
      .prefix(2).map { $0 }
  }

  /// The groups with their counts. Active podcasts are shown whether or not there are any downloads of them.
  public func groups() -> [FiltersSnapshot.Group] {
    FilterCatalogue.groups.map { group in
      let filters = group.id == .podcast ? shownPodcasts() : group.filters
      return FiltersSnapshot.Group(
        id: group.id, title: group.title,
        filters: filters.map { filter in
          FiltersSnapshot.Counted(
            filter: filter, isActive: selection.active.contains(filter.id), count: count(of: filter))
        })
    }
  }

  private func count(of filter: Filter) -> Int {
    let group = filter.id.group
    guard group != .podcast else { return podcasts[filter.id.value] ?? 0 }
    return tallies.reduce(0) { sum, entry in
      let (traits, tally) = entry
      // What other groups hide too is shown by no filter of this one.
      guard tally.unmet.allSatisfy({ $0 == group }), filter.condition.isMet(by: traits, podcast: nil) == true else {
        return sum
      }
      return sum + tally.number
    }
  }

  private func shownPodcasts() -> [Filter] {
    var names = Set(shown ?? [])
    for (name, _) in podcasts.sorted(by: { ($1.value, $0.key) < ($0.value, $1.key) })
    where names.count < FiltersSnapshot.maximumPodcasts {
      names.insert(name)
    }
    return names.sorted().compactMap { FilterCatalogue.filter(.podcast, $0) }
  }
}
