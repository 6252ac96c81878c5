import GRDB
import PodfluxCore

/// Merges the rows of several classes in the order of their keys: the index has each class in that order, so the first
/// rows of all are among the first of each.
struct ClassMerge {
  /// Classes whose rows are adjacent in the order.
  struct Group {
    let classes: [ConditionSQL.Known]
    /// The state of the rows as clients see it, if the order depends on it.
    var state: DownloadState.Kind?
    /// Whether rows of these classes may have another state for clients.
    var isMixed = false

    init(_ classes: [ConditionSQL.Known], state: DownloadState.Kind? = nil, isMixed: Bool = false) {
      self.classes = classes
      self.state = state
      self.isMixed = isMixed
    }
  }

  let db: Database
  let groups: [Group]
  let order: OrderSQL
  /// The further condition on rows.
  let filter: Predicate

  /// The first keys after a page's end, group by group.
  func keys(behind cursor: OrderCursor?, limit: Int) throws -> [Int64] {
    var found: [Int64] = []
    for group in groups where found.count < limit {
      found += try keys(of: group, behind: cursor, limit: limit - found.count)
    }
    return found
  }

  private func keys(of group: Group, behind cursor: OrderCursor?, limit: Int) throws -> [Int64] {
    var parts = [filter]
    var end: Int64?
    if let state = group.state, case .number(let number)? = cursor?.value {
      let (rank, reached) = (state.rowCode, number ?? 0)
      guard order.order.isReversed ? rank <= reached : rank >= reached else { return [] }
      if rank == reached { end = cursor?.key }
    } else {
      end = cursor?.key
    }
    if let state = group.state, group.isMixed, state == .queued || state == .waiting {
      parts.append(
        Predicate("\(order.stateRank.sql) = \(state.rowCode)", values: order.stateRank.values))
    }
    return try merged(group.classes, .all(parts), behind: end, limit: limit)
  }

  private func merged(
    _ classes: [ConditionSQL.Known], _ scope: Predicate, behind end: Int64?, limit: Int
  ) throws -> [Int64] {
    let (isReversed, direction) = (order.order.isReversed, order.direction)
    let statement = try db.makeStatement(
      sql: """
        SELECT key FROM downloads INDEXED BY downloads_class
        WHERE class = ? AND key BETWEEN ? AND ? AND \(scope.sql) ORDER BY key \(direction) LIMIT ?
        """)
    var (first, last) = (Int64.min, Int64.max)
    if let end {
      guard end != (isReversed ? .min : .max) else { return [] }
      if isReversed { last = end - 1 } else { first = end + 1 }
    }
    var found: [Int64] = []
    for known in classes {
      let arguments = [known.row.code, first, last] as [any DatabaseValueConvertible] + scope.values + [limit]
      found += try Int64.fetchAll(statement, arguments: StatementArguments(arguments))
      guard found.count > limit else { continue }
      found.sort { isReversed ? $0 > $1 : $0 < $1 }
      found.removeSubrange(limit...)
      // Rows after the last one found cannot be on the page.
      if let worst = found.last { if isReversed { first = worst } else { last = worst } }
    }
    return found.sorted { isReversed ? $0 > $1 : $0 < $1 }
  }
}
