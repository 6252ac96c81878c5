/// The filters for a view: titles, which ones are active, and how many downloads each would show.
public struct FiltersSnapshot: Hashable, Sendable {
  /// How many podcasts are shown at most: the active ones, and those with the most downloads.
  public static let maximumPodcasts = 1000

  /// The groups, in order.
  public var groups: [Group]
  /// The active filters, the open group and the saved sets.
  public var state: FiltersState

  public struct Group: Hashable, Sendable {
    public var id: FilterGroup.ID
    /// The title for users.
    public var title: String
    public var filters: [Counted]

    public init(id: FilterGroup.ID, title: String, filters: [Counted]) {
      self.id = id
      self.title = title
      self.filters = filters
    }
  }

  /// A filter and the number of downloads that it would show together with the other groups.
  public struct Counted: Hashable, Sendable {
    public var filter: Filter
    public var isActive: Bool
    public var count: Int

    public init(filter: Filter, isActive: Bool, count: Int) {
      self.filter = filter
      self.isActive = isActive
      self.count = count
    }
  }

  public init(groups: [Group], state: FiltersState) {
    self.groups = groups
    self.state = state
  }
}
