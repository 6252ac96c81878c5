/// The tables of the filters.
public protocol FilterTables {
  /// The filters' state and the calendar day.
  var filters: any FilterTable { get }
}

/// The filters' state, and the ages of downloads.
public protocol FilterTable {
  func save(_ state: FiltersState) throws
  /// Sets the day from which all downloads' ages count.
  ///
  /// Cost: the downloads whose age class changes.
  func turn(to day: LocalDay) throws
}
