/// The values of an indexed column, each once, in order.
enum DistinctValues {
  /// The statement that reads them: all of the column, or those from `first` up to, but without, `end`, which are SQL
  /// expressions. Cost: a look-up for each; `SELECT DISTINCT` would go through the whole index. In an index that is damaged
  /// what is found may not be greater than what was there before: there it ends, instead of going round for ever.
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
