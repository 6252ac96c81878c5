/// The distinct values of an indexed column, in order.
enum DistinctValues {
  /// The statement that reads them: all, or those in `first ..< end`, which are SQL expressions. Cost: a look-up for
  /// each value; `SELECT DISTINCT` would scan the whole index. In a damaged index the next value may not be greater
  /// than the last one: the statement ends there instead of looping forever.
  static func select(_ column: String, of table: String = "downloads", in range: (first: String, end: String)? = nil)
    -> String
  {
    let first = range.map { "WHERE \(column) >= \($0.first) AND \(column) < \($0.end)" } ?? ""
    let further = range.map { "AND \(column) < \($0.end)" } ?? ""
    return """
      WITH RECURSIVE present (value, former) AS (
        SELECT min(\(column)), NULL FROM \(table) \(first)
        UNION ALL
        SELECT (SELECT min(\(column)) FROM \(table) WHERE \(column) > present.value \(further)), present.value
        FROM present WHERE present.value IS NOT NULL AND (former IS NULL OR present.value > former))
      SELECT value FROM present WHERE value IS NOT NULL
      """
  }
}
