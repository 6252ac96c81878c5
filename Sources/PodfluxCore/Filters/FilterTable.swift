/// The tables of the filters.
public protocol FilterTables {
  /// Which filters are active.
  var filters: any FilterTable { get }
}

/// Which filters are active, and how old downloads are.
public protocol FilterTable {
  /// Writes what is kept of the filters.
  func save(_ state: FiltersState) throws
  /// Tells the ages of all downloads by a day, if they are not told by it yet.
  ///
  /// Cost: the downloads that come into another class.
  func turn(to day: LocalDay) throws
}
