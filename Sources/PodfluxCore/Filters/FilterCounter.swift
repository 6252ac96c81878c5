/// Counts, for each filter, the downloads that it would show together with the active filters of the other groups.
///
/// Its input is the combinations of podcast and traits with the number of downloads of each; the cost is that of the
/// combinations, not of the downloads.
public struct FilterCounter {
  /// The downloads with equal traits.
  private struct Tally {
    /// The groups, except podcasts, whose active filters do not match; at most two are stored.
    let unmet: [FilterGroup.ID]
    /// How many of them belong to selected podcasts.
    var number = 0
  }

  private let selection: FilterSelection
  private let conditions: [FilterGroup.ID: Condition]
  /// The selected podcasts; nil for all.
  private let shown: Set<String>?
  private var tallies: [Traits: Tally] = [:]
  private var podcasts: [String: Int] = [:]

  /// Counts for the active filters.
  public init(_ selection: FilterSelection) {
    self.selection = selection
    conditions = selection.conditions(without: .podcast)
    let names = selection.active.filter { $0.group == .podcast }.map(\.value)
    shown = names.isEmpty ? nil : Set(names)
  }

  /// Adds a number of downloads with this podcast and these traits, as clients see them.
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

  /// The groups with their counts. Active podcasts appear even without downloads.
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
      // Downloads that other groups hide too are shown by no filter of this one.
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
