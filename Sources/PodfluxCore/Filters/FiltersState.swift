/// The filters' state over each subject.
package struct FilterStates: Hashable, Sendable {
  package var downloads = FiltersState()
  package var episodes = FiltersState()

  package init(downloads: FiltersState = .init(), episodes: FiltersState = .init()) {
    self.downloads = downloads
    self.episodes = episodes
  }

  package subscript(subject: FilterSubject) -> FiltersState {
    get {
      switch subject {
      case .downloads: downloads
      case .episodes: episodes
      }
    }
    set {
      switch subject {
      case .downloads: downloads = newValue
      case .episodes: episodes = newValue
      }
    }
  }
}

/// The filters over one subject: the active ones and the saved sets.
///
/// Use: `filters.downloads.state`.
public struct FiltersState: Hashable, Sendable {
  /// The selection that narrows the subject.
  public var selection = FilterSelection()
  /// The open group, if any.
  public var selectedGroup: FilterGroup.ID?
  /// The saved sets, in the order of their names.
  public internal(set) var saved: [SavedFilters] = []

  package init() {}

  /// Restores a stored state.
  package init(selection: FilterSelection, selectedGroup: FilterGroup.ID?, saved: [SavedFilters]) {
    self.selection = selection
    self.selectedGroup = selectedGroup
    self.saved = saved
  }

  /// The limits of the state.
  package enum Limits {
    package static let active = 256
    package static let saved = 256
    package static let nameBytes = 128
    package static let textBytes = 256
  }
}

/// Active filters and a search text.
///
/// Use: `filters.downloads.state.selection`; `isFiltering` tells whether it hides anything.
public struct FilterSelection: Hashable, Sendable {
  /// The active filters, in the order of activation.
  public var active: [FilterID]
  /// The search text; empty for none.
  public var text: String

  /// A selection; by default it shows everything.
  package init(active: [FilterID] = [], text: String = "") {
    self.active = active
    self.text = text
  }

  public var isFiltering: Bool { !active.isEmpty || !text.isEmpty }

  /// What the active filters of each group show; any of them is enough.
  func meanings() -> [FilterGroup.ID: [FilterMeaning]] {
    Dictionary(grouping: active.compactMap { FilterCatalogue.filter($0.group, $0.value) }, by: \.id.group)
      .mapValues { $0.map(\.meaning) }
  }

  /// Whether the active filters show something with these traits, of any podcast.
  package func shows(_ traits: some FilterableTraits) -> Bool {
    meanings().allSatisfy { group, meanings in group == .podcast || meanings.contains(where: traits.meet) }
  }

  /// The condition of each group with active filters, except one group.
  package func conditions<Condition: FilterableCondition>(
    without group: FilterGroup.ID? = nil
  ) -> [FilterGroup.ID: Condition] {
    meanings().filter { $0.key != group }.mapValues { meanings in
      let chosen = meanings.map { Condition($0) }
      return chosen.count == 1 ? chosen[0] : .any(chosen)
    }
  }

  /// The conjunction of all active filters, without the text.
  package func condition<Condition: FilterableCondition>() -> Condition {
    let conditions: [FilterGroup.ID: Condition] = conditions()
    return .all(FilterGroup.ID.allCases.compactMap { conditions[$0] })
  }
}

/// A selection of filters under the name by which a client saved it.
///
/// Use: `filters.downloads.state.saved.first`. `FilterIntent.apply` takes its name.
public struct SavedFilters: Hashable, Sendable {
  public var name: String
  public var selection: FilterSelection

  package init(name: String, selection: FilterSelection) {
    self.name = name
    self.selection = selection
  }
}

/// What clients want of the filters over downloads or episodes (see the article Protocol).
///
/// ```swift
/// _ = try await podflux.dispatch(.filters(.save("this week")))
/// _ = try await podflux.dispatch(.filters(.clear))
/// ```
public enum FilterIntent: Hashable, Sendable {
  /// Activates or deactivates a filter.
  case toggle(FilterID)
  /// Opens a group, or closes it with nil.
  case selectGroup(FilterGroup.ID?)
  /// Sets the search text; empty for none.
  case setText(String)
  /// Removes all filters and the text.
  case clear
  /// Saves the current selection under a name, and replaces the former one.
  case save(String)
  /// Activates the selection saved under a name.
  case apply(String)
  /// Deletes a saved selection.
  case delete(String)
}
