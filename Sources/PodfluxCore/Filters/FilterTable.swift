/// The port of the filters' tables. All calls belong to the turn's transaction.
package protocol FilterTables {
  /// The filters' state and the calendar day.
  var filters: any FilterTable { get }
}

/// The filters' state, and the ages of downloads and episodes.
package protocol FilterTable {
  func save(_ state: FiltersState, over subject: FilterSubject) throws
  /// Sets the day from which all ages count.
  ///
  /// Cost: the downloads and episodes whose age class changes, and some look-ups for each eight feeds.
  func turn(to day: LocalDay) throws
}
