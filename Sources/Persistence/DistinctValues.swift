/// The values of an indexed column of `downloads`, each once, in order.
enum DistinctValues {
  /// The statement that reads them. Cost: a look-up for each; `SELECT DISTINCT` would go through the whole index.
  static func select(_ column: String) -> String {
    """
    WITH RECURSIVE present (value) AS (
      SELECT min(\(column)) FROM downloads
      UNION ALL
      SELECT (SELECT min(\(column)) FROM downloads WHERE \(column) > present.value) FROM present
      WHERE present.value IS NOT NULL)
    SELECT value FROM present WHERE value IS NOT NULL
    """
  }
}
