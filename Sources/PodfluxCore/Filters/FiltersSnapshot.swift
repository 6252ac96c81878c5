/// The filters for a view: titles, which ones are active, and how much each would show.
///
/// ```swift
/// for group in filters.downloads.groups {
///   for counted in group.filters { print(group.title, counted.filter.title, counted.count) }
/// }
/// ```
public struct FiltersSnapshot: Hashable, Sendable {
  /// How many podcasts are shown at most: the active ones, and those of which there is most.
  public static let maximumPodcasts = 1000

  /// The filters over downloads.
  public var downloads: Part
  /// The filters over episodes.
  public var episodes: Part

  /// The filters over one subject: the groups as a view shows them, and what is active and saved.
  ///
  /// Use: `filters.episodes`.
  public struct Part: Hashable, Sendable {
    /// The groups, in order.
    public var groups: [Group]
    /// The active filters, the open group and the saved sets.
    public var state: FiltersState

    package init(groups: [Group], state: FiltersState) {
      self.groups = groups
      self.state = state
    }
  }

  /// A group with its filters in display order, each with its count.
  ///
  /// Use: `filters.downloads.groups.first`.
  public struct Group: Hashable, Sendable {
    public var id: FilterGroup.ID
    /// The title for users.
    public var title: String
    public var filters: [Counted]

    package init(id: FilterGroup.ID, title: String, filters: [Counted]) {
      self.id = id
      self.title = title
      self.filters = filters
    }
  }

  /// A filter and how much it would show together with the other groups.
  ///
  /// Use: `filters.downloads.groups.first?.filters.first`.
  public struct Counted: Hashable, Sendable {
    public var filter: Filter
    public var isActive: Bool
    public var count: Int

    package init(filter: Filter, isActive: Bool, count: Int) {
      self.filter = filter
      self.isActive = isActive
      self.count = count
    }
  }

  package init(downloads: Part, episodes: Part) {
    self.downloads = downloads
    self.episodes = episodes
  }
}
