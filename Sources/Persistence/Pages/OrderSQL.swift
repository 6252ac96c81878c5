import GRDB
import PodfluxCore
import Texts

/// A sort order of downloads in SQL.
struct OrderSQL {
  let order: DownloadOrder
  /// The rank of a row's state, for that order.
  let stateRank: Predicate

  /// A section of the ordered rows that one index range covers. Sections are disjoint and in order.
  struct Part {
    /// The index that has the rows in order; nil for the table itself.
    let index: String?
    /// The rows of the section.
    let scope: Predicate
    /// The columns of the order, without direction.
    let columns: [String]

    /// The index clause.
    var use: String { index.map { "INDEXED BY \($0)" } ?? "NOT INDEXED" }

    /// `ORDER BY` in a direction.
    func sorting(_ direction: String) -> String {
      columns.map { "\($0) \(direction)" }.joined(separator: ", ")
    }
  }

  /// `ORDER BY` for rows that no index sorts.
  var sorting: Predicate {
    let value: Predicate? =
      switch order.key {
      case .added: nil
      case .published: Predicate("published")
      case .title: Predicate("title_key")
      case .size: Predicate("length")
      case .state: stateRank
      case .position: Predicate("priority \(direction), position")
      }
    guard let value else { return Predicate("key \(direction)") }
    return Predicate("\(value.sql) \(direction), key \(direction)", values: value.values)
  }

  /// `ASC` or `DESC`.
  var direction: String { order.isReversed ? "DESC" : "ASC" }

  /// The rows after a page's end.
  func behind(_ cursor: OrderCursor?) -> Predicate {
    guard let cursor else { return .always }
    let (key, beyond) = (cursor.key, order.isReversed ? "<" : ">")
    switch order.key {
    case .added: return Predicate("key \(beyond) ?", key)
    case .published: return behind(cursor.number, key, "published")
    case .size: return behind(cursor.number, key, "length")
    case .title: return behind(cursor.text, key, "title_key")
    case .state:
      return Predicate(
        "(\(stateRank.sql), key) \(beyond) (?, ?)", values: stateRank.values + [cursor.number ?? 0, key])
    case .position:
      let rank = cursor.rank
      return Predicate("(priority, position, key) \(beyond) (?, ?, ?)", rank.priority, rank.position, key)
    }
  }

  private func behind(_ value: (any DatabaseValueConvertible)?, _ key: Int64, _ column: String) -> Predicate {
    let beyond = order.isReversed ? "<" : ">"
    // A row without a value precedes all others.
    switch (value, order.isReversed) {
    case (nil, false): return Predicate("(\(column) IS NOT NULL OR key > ?)", key)
    case (nil, true): return Predicate("(\(column) IS NULL AND key < ?)", key)
    case (let value?, false):
      return Predicate("coalesce((\(column), key) \(beyond) (?, ?), 0)", value, key)
    case (let value?, true):
      return Predicate("(\(column) IS NULL OR (\(column), key) \(beyond) (?, ?))", value, key)
    }
  }

  // MARK: Walking

  /// The sections with rows of these classes after a page's end; nil for an order without an index.
  func parts(behind cursor: OrderCursor?, of classes: [ConditionSQL.Known]?, today: LocalDay) -> [Part]? {
    switch order.key {
    case .added:
      let scope = cursor == nil ? Predicate("key >= ?", Int64.min) : behind(cursor)
      return [Part(index: nil, scope: scope, columns: ["key"])]
    case .state: return nil
    case .position:
      return [Part(index: "downloads_order", scope: behind(cursor), columns: ["priority", "position", "key"])]
    case .title:
      return parts("downloads_title", "title_key", cursor, cursor?.text, bounds: .always)
    case .published:
      let ranges = classes?.map { $0.plain.age.moments(on: today) }
      let bounds = ranges.map { ranges in
        Predicate(
          "published BETWEEN ? AND ?", ranges.map(\.first).min() ?? .max, ranges.map(\.last).max() ?? .min)
      }
      return parts("downloads_published", "published", cursor, cursor?.number, bounds: bounds ?? .always)
    case .size:
      let ranges = classes?.compactMap(\.plain.size.bytes)
      let bounds = ranges.map { ranges in
        Predicate(
          "length BETWEEN ? AND ?", ranges.map(\.lowerBound).min() ?? .max, ranges.map(\.upperBound).max() ?? .min)
      }
      let hasUnknown = classes?.contains { $0.plain.size == .unknown } ?? true
      return parts("downloads_length", "length", cursor, cursor?.number, bounds: bounds ?? .always, hasNull: hasUnknown)
    }
  }

  private func parts(
    _ index: String, _ column: String, _ cursor: OrderCursor?,
    _ value: (any DatabaseValueConvertible)?, bounds: Predicate, hasNull: Bool = true
  ) -> [Part] {
    let beyond = order.isReversed ? "<" : ">"
    var (null, other): (Predicate?, Predicate?) = (.always, Predicate("\(column) IS NOT NULL"))
    if let cursor {
      if let value {
        other = Predicate("(\(column), key) \(beyond) (?, ?)", value, cursor.key)
        null = order.isReversed ? .always : nil
      } else {
        null = Predicate("key \(beyond) ?", cursor.key)
        if order.isReversed { other = nil }
      }
    }
    let nullPart = null.flatMap { scope in
      hasNull ? Part(index: index, scope: .all([Predicate("\(column) IS NULL"), scope]), columns: ["key"]) : nil
    }
    let otherPart = other.map { scope in
      Part(index: index, scope: .all([scope, bounds]), columns: [column, "key"])
    }
    return (order.isReversed ? [otherPart, nullPart] : [nullPart, otherPart]).compactMap(\.self)
  }
}

extension OrderCursor {
  /// Clients may forge a cursor: a value that does not fit the order becomes nil.
  fileprivate var number: Int64? {
    if case .number(let number) = value { number } else { nil }
  }

  fileprivate var text: String? {
    if case .text(let text) = value { DownloadRow.text(text).map(FoldedText.of) } else { nil }
  }

  fileprivate var rank: (priority: Int64, position: Int64) {
    if case .rank(let priority, let position) = value { (priority, position) } else { (0, .min) }
  }

  /// The cursor of a page that ends with this row.
  init(behind row: StoredDownload, in order: DownloadOrder, _ obstacles: Obstacles) {
    let download = row.download
    let value: Value =
      switch order.key {
      case .added: .none
      case .published: .number(download.description.published?.moment.milliseconds)
      case .title: .text(download.description.title)
      case .size: .number(download.length)
      case .state:
        .number(
          obstacles.obstacle(for: download) == nil
            ? download.state.kind.rowCode : DownloadState.Kind.waiting.rowCode)
      case .position: .rank(Int64(download.rank.priority.code), download.rank.position)
      }
    self.init(order: order, value: value, key: row.key)
  }
}
