import PodfluxCore

/// The stored state of the filters over a subject, as JSON.
struct StoredFilters: Codable {
  fileprivate struct Selection: Codable {
    var active: [String]
    var text: String
  }

  fileprivate struct Saved: Codable {
    var name: String
    var selection: Selection
  }

  private var selection: Selection
  private var group: String?
  private var saved: [Saved]

  init(_ state: FiltersState) {
    selection = Selection(state.selection)
    group = state.selectedGroup?.rawValue
    saved = state.saved.map { Saved(name: $0.name, selection: Selection($0.selection)) }
  }

  /// The state; nil if the store cannot have written it.
  var state: FiltersState? {
    guard let selection = selection.checked, saved.count <= FiltersState.Limits.saved else { return nil }
    var sets: [SavedFilters] = []
    for set in saved {
      guard (1...FiltersState.Limits.nameBytes).contains(set.name.utf8.count),
        let selection = set.selection.checked, sets.last.map({ $0.name < set.name }) ?? true
      else { return nil }
      sets.append(SavedFilters(name: set.name, selection: selection))
    }
    guard let group else { return FiltersState(selection: selection, selectedGroup: nil, saved: sets) }
    guard let id = FilterGroup.ID(rawValue: group) else { return nil }
    return FiltersState(selection: selection, selectedGroup: id, saved: sets)
  }

  /// Whether the store can have written it of a subject.
  fileprivate func isState(over subject: FilterSubject) -> Bool {
    guard let state else { return false }
    let filters = ([state.selection] + state.saved.map(\.selection)).flatMap(\.active)
    let groups = FilterCatalogue.groups(over: subject)
    return filters.allSatisfy { FilterCatalogue.has($0, over: subject) }
      && (state.selectedGroup.map { id in groups.contains { $0.id == id } } ?? true)
  }
}

extension SingleRow<StoredFilters> {
  static func filters(over subject: FilterSubject) -> Self {
    switch subject {
    case .downloads: Self(table: "filters") { $0.isState(over: subject) }
    case .episodes: Self(table: "episode_filters") { $0.isState(over: subject) }
    }
  }
}

extension StoredFilters.Selection {
  fileprivate init(_ selection: FilterSelection) {
    active = selection.active.map(\.description)
    text = selection.text
  }

  fileprivate var checked: FilterSelection? {
    let filters = active.compactMap(FilterID.init)
    guard filters.count == active.count, Set(filters).count == filters.count,
      filters.count <= FiltersState.Limits.active, text.utf8.count <= FiltersState.Limits.textBytes
    else { return nil }
    return FilterSelection(active: filters, text: text)
  }
}
