/// Counts, for each filter, what it would show of its subject together with the active filters of the other groups.
///
/// Its input is the combinations of podcast and traits with the number of rows of each; the cost is that of the
/// combinations, not of the rows.
package struct FilterCounter<Traits: FilterableTraits> {
  /// The rows with equal traits.
  private struct Tally {
    /// The groups, except podcasts, whose active filters do not match; at most two are stored.
    let unmet: [FilterGroup.ID]
    /// How many of them belong to selected podcasts.
    var number = 0
  }

  /// The rows of podcasts that filters do not tell apart.
  private struct Podcast {
    /// The first of their names.
    var name: String
    var number = 0
  }

  private let selection: FilterSelection
  private let meanings: [FilterGroup.ID: [FilterMeaning]]
  /// What filters tell podcasts apart by.
  private let podcastKey: (String) -> String
  /// The keys of the selected podcasts; nil for all.
  private let shown: Set<String>?
  private var tallies: [Traits: Tally] = [:]
  private var podcasts: [String: Podcast] = [:]

  /// Counts for the active filters, which tell podcasts apart by a key: by default their names.
  package init(_ selection: FilterSelection, podcastKey: @escaping (String) -> String = { $0 }) {
    self.selection = selection
    self.podcastKey = podcastKey
    meanings = selection.meanings().filter { $0.key != .podcast }
    let names = selection.active.filter { $0.group == .podcast }.map(\.value)
    shown = names.isEmpty ? nil : Set(names.map(podcastKey))
  }

  /// Adds a number of rows with this podcast, its key, by default its name, and these traits, as clients see them.
  package mutating func count(_ number: Int, podcast: String?, key: String? = nil, traits: Traits) {
    var tally = tallies[traits] ?? Tally(unmet: unmet(by: traits))
    let key = key ?? podcast
    if tally.unmet.isEmpty, let podcast, let key { add(number, to: podcast, key) }
    if shown.map({ shown in key.map(shown.contains) ?? false }) ?? true { tally.number += number }
    tallies[traits] = tally
  }

  private mutating func add(_ number: Int, to podcast: String, _ key: String) {
    podcasts[key, default: Podcast(name: podcast)].number += number
    if let name = podcasts[key]?.name, podcast < name { podcasts[key]?.name = podcast }
  }

  private func unmet(by traits: Traits) -> [FilterGroup.ID] {
    FilterGroup.ID.allCases.lazy
      .filter { id in meanings[id].map { !$0.contains(where: traits.meet) } ?? false }
      .prefix(2).map { $0 }
  }

  /// The groups with their counts. Active podcasts appear even without rows.
  package func groups() -> [FiltersSnapshot.Group] {
    FilterCatalogue.groups(over: Traits.subject).map { group in
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
    guard group != .podcast else { return podcasts[podcastKey(filter.id.value)]?.number ?? 0 }
    return tallies.reduce(0) { sum, entry in
      let (traits, tally) = entry
      // Rows that filters of another group hide are not shown by any filter of this group: they do not count.
      guard tally.unmet.allSatisfy({ $0 == group }), traits.meet(filter.meaning) else { return sum }
      return sum + tally.number
    }
  }

  private func shownPodcasts() -> [Filter] {
    var names = Set(selection.active.filter { $0.group == .podcast }.map(\.value))
    var others = podcasts.filter { shown?.contains($0.key) != true }.map(\.value)
    // The order matters only where not all are shown.
    if names.count + others.count > FiltersSnapshot.maximumPodcasts {
      others.sort { ($1.number, $0.name) < ($0.number, $1.name) }
    }
    for podcast in others where names.count < FiltersSnapshot.maximumPodcasts { names.insert(podcast.name) }
    return names.sorted().compactMap { FilterCatalogue.filter(.podcast, $0) }
  }
}
