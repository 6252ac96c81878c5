import PodfluxCore

/// A query for a page of a list whose order a client chooses, and of whose items it may see parts only.
protocol ListQuery: FormedPayload, Hashable {
  associatedtype Cursor: OrderedCursor
  associatedtype Shown: RawRepresentable<String> & CaseIterable & Hashable & Sendable

  var order: ListOrder<Cursor.Key> { get set }
  var limit: Int { get set }
  var after: Cursor? { get set }
  var fields: Set<Shown>? { get set }

  /// Exchanges the members that say which items, behind `sort`.
  mutating func exchangeChoice<Coder: PayloadCoder>(with coder: inout Coder) throws(Coder.Fault)
}

extension ListQuery {
  mutating func exchange<Coder: PayloadCoder>(with coder: inout Coder) throws(Coder.Fault) {
    try exchange(after: .cursor, showing: .fields(), with: &coder)
  }

  fileprivate mutating func exchange<Coder: PayloadCoder>(
    after place: ValueForm<Cursor>, showing shown: ValueForm<Set<Shown>>, with coder: inout Coder
  ) throws(Coder.Fault) {
    let standard = Self.template
    try coder.optional("after", &after, place)
    try coder.optional("fields", &fields, shown)
    try coder.optional("limit", &limit, .pageLimit, standard: standard.limit)
    try coder.optional("sort", &order, .order(), standard: standard.order)
    try exchangeChoice(with: &coder)
    try coder.check { fields throws(Refusal) in
      guard let cursor = after, cursor.order != order, let field = fields["after"] else { return }
      throw field.refusal(
        .invalidValue,
        "\(field.path) is a place in the order \(cursor.order.text), but the query sorts by \(order.text); "
          + "keep to one order")
    }
  }
}

extension DownloadsQuery: ListQuery {
  static let template = Self()
  static let keys = templateKeys(naming: ["where", "unfiltered", "sort", "limit"])

  mutating func exchangeChoice<Coder: PayloadCoder>(with coder: inout Coder) throws(Coder.Fault) {
    try coder.optional("unfiltered", &isUnfiltered, .boolean, standard: Self.template.isUnfiltered)
    try coder.optional("where", &condition, .condition, omitting: .everything)
  }
}

extension EpisodesQuery: ListQuery {
  static let template = Self()
  static let keys = templateKeys(naming: ["where", "unfiltered", "sort", "limit"])

  mutating func exchangeChoice<Coder: PayloadCoder>(with coder: inout Coder) throws(Coder.Fault) {
    try coder.optional("unfiltered", &isUnfiltered, .boolean, standard: Self.template.isUnfiltered)
    try coder.optional("where", &condition, .episodeCondition, omitting: .everything)
  }
}

extension FeedsQuery: ListQuery {
  static let template = Self()
  static let keys = templateKeys(naming: ["where", "sort", "limit"])

  mutating func exchangeChoice<Coder: PayloadCoder>(with coder: inout Coder) throws(Coder.Fault) {
    var choice = FeedChoice(groups: groups, ids: ids)
    try coder.optional("where", &choice, .object, omitting: .init())
    (groups, ids) = (choice.groups, choice.ids)
  }
}

/// Which feeds, as an object of two members says it.
private struct FeedChoice: FormedPayload, Hashable {
  var groups: [String]?
  var ids: [FeedID]?

  static let template = Self()
  static let keys = templateKeys(naming: ["id"])

  mutating func exchange<Coder: PayloadCoder>(with coder: inout Coder) throws(Coder.Fault) {
    try coder.optional("group", &groups, .oneOrMore(of: .group))
    try coder.optional("id", &ids, .oneOrMore(of: .feedID))
  }
}

/// A list of which a client is told the changes.
private struct ObservedList<List: ListQuery>: FormedPayload {
  var list: List

  static var template: Self { Self(list: .template) }
  static var keys: [String] { List.keys }

  mutating func exchange<Coder: PayloadCoder>(with coder: inout Coder) throws(Coder.Fault) {
    try list.exchange(after: .leftOut, showing: .fields(including: "id"), with: &coder)
  }
}

// MARK: - Values

extension ValueForm where Value: ListQuery {
  /// An object as in a snapshot's query, for a list that begins at its beginning and whose items are told by their ids.
  static var observedList: Self {
    let form = ValueForm<ObservedList<Value>>.object
    return Self(
      form.kind, form.schema, read: { f throws(Refusal) in try form.read(f).list },
      write: { form.write(ObservedList(list: $0), &$1) })
  }
}

extension ValueForm where Value: TextualCursor {
  /// Where the page before ended.
  static var cursor: Self {
    Self(
      "the `next` of the page before", Value.schema,
      read: { f throws(Refusal) in
        guard let cursor = Value(text: try f.string()) else {
          throw f.mustBe("what the \"next\" of the page before it said")
        }
        return cursor
      }, write: { $1.element($0.text) })
  }

  /// No cursor, in a query that has one elsewhere.
  fileprivate static var leftOut: Self {
    Self(
      "left out", .nothing,
      read: { f throws(Refusal) in throw f.mustBe("left out: what is observed begins at the list's beginning") },
      write: { $1.element($0.text) })
  }
}

extension ValueForm {
  /// What of each item is shown.
  ///
  /// - Parameter id: What has to be among it.
  fileprivate static func fields<Name: RawRepresentable<String> & CaseIterable & Hashable & Sendable>(
    including id: String? = nil
  ) -> Self where Value == Set<Name> {
    // Each may be there twice.
    let limit = 64
    let names = ValueForm.names("fields", atMost: limit)
    return Self(
      "1 to \(limit) fields", .array(of: .choice(of: Name.allCases), count: 1...limit, including: id),
      read: { f throws(Refusal) in
        let fields = try names.read(f)
        guard !fields.isEmpty else { throw f.mustBe("at least one field; leave it out to see them all") }
        guard let id, !fields.contains(where: { $0.rawValue == id }) else { return fields }
        throw f.refusal(.invalidValue, "\(f.path) must name \(id): what changes is told by it")
      }, write: names.write)
  }

  /// An order: its key, with `-` in front if the last comes first.
  fileprivate static func order<Key: ListOrderKey>() -> Self where Value == ListOrder<Key> {
    let keys = Key.allCases.map(\.rawValue)
    return Self(
      keys.map { "`\($0)`" }.joined(separator: ", ") + ", with `-` in front for the reverse",
      .choice(keys.flatMap { [$0, "-" + $0] }),
      read: { f throws(Refusal) in
        guard let order = ListOrder<Key>(text: try f.string()) else {
          throw f.mustBe("one of \(keys.joined(separator: ", ")), with - in front to have the last come first")
        }
        return order
      }, write: { $1.element($0.text) })
  }
}
