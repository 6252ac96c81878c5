/// What the filters store keeps: which filters are active, and which sets of them have been saved.
public struct FiltersState: Hashable, Sendable {
  /// What narrows the downloads.
  public var selection = FilterSelection()
  /// The group that is open, if one is.
  public var selectedGroup: FilterGroup.ID?
  /// Saved sets, in the order of their names.
  public internal(set) var saved: [SavedFilters] = []

  /// Without any.
  public init() {}

  /// Restores what was kept.
  public init(selection: FilterSelection, selectedGroup: FilterGroup.ID?, saved: [SavedFilters]) {
    self.selection = selection
    self.selectedGroup = selectedGroup
    self.saved = saved
  }

  /// The limits of what is kept.
  public enum Limits {
    /// How many filters may be active.
    public static let active = 256
    /// How many sets may be saved.
    public static let saved = 256
    /// The longest name of a set, in bytes.
    public static let nameBytes = 128
    /// The longest text, in bytes.
    public static let textBytes = 256
  }
}

/// Filters that are active together, and the text that is searched for.
public struct FilterSelection: Hashable, Sendable {
  /// The active filters, in the order in which they were chosen.
  public var active: [FilterID]
  /// What is searched for; empty for nothing.
  public var text: String

  /// Makes a selection; of everything, by default.
  public init(active: [FilterID] = [], text: String = "") {
    self.active = active
    self.text = text
  }

  /// Whether anything narrows the downloads.
  public var isFiltering: Bool { !active.isEmpty || !text.isEmpty }

  /// What the active filters of each group show, but those of one group.
  public func conditions(without group: FilterGroup.ID? = nil) -> [FilterGroup.ID: Condition] {
    var conditions: [FilterGroup.ID: Condition] = [:]
    for id in FilterGroup.ID.allCases where id != group {
      let chosen = active.filter { $0.group == id }.compactMap { FilterCatalogue.filter($0.group, $0.value)?.condition }
      if !chosen.isEmpty { conditions[id] = chosen.count == 1 ? chosen[0] : .any(chosen) }
    }
    return conditions
  }

  /// What the active filters show together, the text apart.
  public var condition: Condition {
    let conditions = conditions()
    return .all(FilterGroup.ID.allCases.compactMap { conditions[$0] })
  }
}

/// A set of filters under a name.
public struct SavedFilters: Hashable, Sendable {
  /// The name.
  public var name: String
  /// The set.
  public var selection: FilterSelection

  /// Names a set.
  public init(name: String, selection: FilterSelection) {
    self.name = name
    self.selection = selection
  }
}

/// What a client can want of the filters (the article Protocol).
public enum FilterIntent: Hashable, Sendable {
  /// Activates a filter, or no more.
  case toggle(FilterID)
  /// Opens a group, or none.
  case selectGroup(FilterGroup.ID?)
  /// Searches for a text; for none, if it is empty.
  case setText(String)
  /// Shows everything again.
  case clear
  /// Keeps what is active under a name, instead of what it named before.
  case save(String)
  /// Makes what a name stands for active.
  case apply(String)
  /// Forgets a name.
  case delete(String)
}
