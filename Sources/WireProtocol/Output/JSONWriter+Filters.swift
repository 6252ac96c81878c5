import PodfluxCore

/// The filters as clients see them (the article Protocol).
extension JSONWriter {
  mutating func members(of filters: FiltersSnapshot) {
    members(of: filters.downloads, and: filters.episodes)
  }

  /// The filters over one subject, and over another one as a member.
  private mutating func members(of filters: FiltersSnapshot.Part, and episodes: FiltersSnapshot.Part? = nil) {
    let selection = filters.state.selection
    array("active", selection.active) { $1.element($0.description) }
    if let episodes { object("episodes") { $0.members(of: episodes) } }
    array("groups", filters.groups) { group, groups in
      groups.object { $0.members(of: group) }
    }
    member("isFiltering", selection.isFiltering)
    array("saved", filters.state.saved) { set, saved in
      saved.object { $0.members(of: set) }
    }
    member("selectedGroup", filters.state.selectedGroup?.rawValue)
    member("text", selection.text)
  }

  private mutating func members(of group: FiltersSnapshot.Group) {
    array("filters", group.filters) { counted, filters in
      filters.object { filter in
        filter.member("count", counted.count)
        filter.member("id", counted.filter.id.description)
        filter.member("isActive", counted.isActive)
        filter.member("title", counted.filter.title)
      }
    }
    member("id", group.id.rawValue)
    member("title", group.title)
  }

  private mutating func members(of set: SavedFilters) {
    array("active", set.selection.active) { $1.element($0.description) }
    member("name", set.name)
    member("text", set.selection.text)
  }
}
