/// The filters as a view needs them: titles, which are active, and how many downloads each would show.
public struct FiltersSnapshot: Hashable, Sendable {
  /// The most podcasts that are shown: the active ones, and those with the most downloads.
  public static let maximumPodcasts = 1000

  /// The groups, in order.
  public var groups: [Group]
  /// Which are active, which group is open, what is saved.
  public var state: FiltersState

  /// A group.
  public struct Group: Hashable, Sendable {
    /// Its name.
    public var id: FilterGroup.ID
    /// What people call it.
    public var title: String
    /// Its filters.
    public var filters: [Counted]

    /// Makes a group.
    public init(id: FilterGroup.ID, title: String, filters: [Counted]) {
      self.id = id
      self.title = title
      self.filters = filters
    }
  }

  /// A filter and how many downloads it would show, the other groups applied.
  public struct Counted: Hashable, Sendable {
    /// The filter.
    public var filter: Filter
    /// Whether it is active.
    public var isActive: Bool
    /// How many downloads it would show.
    public var count: Int

    /// Makes a counted filter.
    public init(filter: Filter, isActive: Bool, count: Int) {
      self.filter = filter
      self.isActive = isActive
      self.count = count
    }
  }

  /// Makes the filters' part of a snapshot.
  public init(groups: [Group], state: FiltersState) {
    self.groups = groups
    self.state = state
  }
}
