import Flux
import Persistence
import PodfluxCore

/// Checks of the filters over episodes.
extension InvariantChecker {
  /// Compares a filter's count with the episodes that a list shows, which looks at rows and not at counts. Each commit
  /// has its filter, so that a run checks all of them.
  func checkEpisodeFilters(_ world: World) throws {
    guard world.options.faults.contains(.filters), let store = world.process?.dispatcher.state.filters,
      let today = store.today
    else { return }
    let moment = ConditionMoment(now: world.clock.wall, today: today)
    try world.database.read { tables in
      let part = try tables.episodeFilters(store.states.episodes, at: moment)
      let filters = part.groups.flatMap(\.filters)
      let counted = filters[Int(position.revision) % filters.count]
      let number = try tables.number(shownBy: counted.filter, among: part.state.selection, at: moment)
      guard counted.count == number else {
        throw Violation(
          .episodeCounts,
          "\(counted.filter.id) counts \(counted.count) instead of \(number), with \(part.state.selection)")
      }
    }
  }
}

extension TableReader {
  /// How many episodes a filter shows together with the active ones of other groups.
  fileprivate func number(
    shownBy filter: Filter, among selection: FilterSelection, at moment: ConditionMoment
  ) throws -> Int {
    let others: [FilterGroup.ID: EpisodeCondition] = selection.conditions(without: filter.id.group)
    let conditions = FilterGroup.ID.allCases.compactMap { others[$0] }
    let query = EpisodesQuery(
      condition: .all(conditions + [EpisodeCondition(filter.meaning)]), order: .init(.added), limit: 100_000)
    // A text is not a condition; it narrows what the condition shows.
    return try episodes(query, filters: FilterSelection(text: selection.text), at: moment).items.count
  }
}
