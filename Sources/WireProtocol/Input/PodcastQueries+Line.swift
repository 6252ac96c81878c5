import PodfluxCore

/// What clients ask of feeds and episodes (the article Protocol).
extension FeedsQuery {
  private static let keys = ["where", "sort", "limit", "after", "fields"]

  init(_ field: Field) throws(Refusal) {
    let fields = try Fields(field.object(), at: field.path, knowing: Self.keys)
    self.init()
    if let condition = fields["where"] {
      let chosen = try Fields(condition.object(), at: condition.path, knowing: ["id", "group"])
      ids = try chosen["id"].map { f throws(Refusal) in try f.feedIDs() }
      groups = try chosen["group"].map { f throws(Refusal) in
        try f.oneOrMore { element throws(Refusal) in try ValueForm<String>.group.read(element) }
      }
    }
    order = try fields["sort"]?.order() ?? order
    limit = try fields["limit"]?.pageLimit() ?? limit
    after = try fields["after"]?.cursor(of: order)
    self.fields = try fields["fields"]?.shownFields()
  }
}

extension EpisodesQuery {
  private static let keys = ["where", "unfiltered", "sort", "limit", "after", "fields"]

  init(_ field: Field) throws(Refusal) {
    let fields = try Fields(field.object(), at: field.path, knowing: Self.keys)
    self.init()
    if let condition = fields["where"] { self.condition = try EpisodeCondition(condition) }
    isUnfiltered = try fields["unfiltered"]?.boolean() ?? isUnfiltered
    order = try fields["sort"]?.order() ?? order
    limit = try fields["limit"]?.pageLimit() ?? limit
    after = try fields["after"]?.cursor(of: order)
    self.fields = try fields["fields"]?.shownFields()
  }
}

extension FeedPreview.Wish {
  init(_ payload: JSONObject) throws(Refusal) {
    let fields = try Fields(payload, at: Request.payloadPath, knowing: ["url", "headers", "userAgent", "rules"])
    self.init(address: try ValueForm<WebAddress>.feedAddress.read(fields.required("url")))
    if let field = fields["headers"] { headers = try ValueForm<[Header]>.headers.read(field) }
    if let field = fields["userAgent"] { userAgent = try ValueForm<String>.userAgent.read(field) }
    if let field = fields["rules"] { rules = try ValueForm<FeedRules>.object.read(field) }
  }
}

extension Field {
  /// How many names of fields a query gives at most; each may be there twice.
  private static let maximumFields = 64

  fileprivate func order<Key: ListOrderKey>() throws(Refusal) -> ListOrder<Key> {
    guard let order = ListOrder<Key>(text: try string()) else {
      let keys = Key.allCases.map(\.rawValue).joined(separator: ", ")
      throw mustBe("one of \(keys), with - in front to have the last come first")
    }
    return order
  }

  fileprivate func cursor<Key: ListOrderKey>(of order: ListOrder<Key>) throws(Refusal) -> ListCursor<Key> {
    guard let cursor = ListCursor<Key>(text: try string()) else { throw mustBeCursor }
    guard cursor.order == order else {
      throw refusal(
        .invalidValue,
        "\(path) is a place in the order \(cursor.order.text), but the query sorts by \(order.text); keep to one order")
    }
    return cursor
  }

  fileprivate func shownFields<Name: RawRepresentable<String> & CaseIterable & Hashable>() throws(Refusal) -> Set<Name>
  {
    let fields: Set<Name> = try names(atMost: Self.maximumFields)
    guard !fields.isEmpty else { throw mustBe("at least one field; leave it out to see them all") }
    return fields
  }
}

/// A cursor as clients see it: the order, the row's key, and what the order looks at, each behind a dot; opaque, so
/// that what is in it may change.
extension ListCursor {
  var text: String {
    let beginning = "\(order.text).\(key.compact)"
    switch value {
    case .number(let number?): return "\(beginning).n\(number.compact)"
    case .text(let text?): return "\(beginning).t\(text.base64URL)"
    case .none, .number(nil), .text(nil), .rank: return beginning
    }
  }

  /// Reads a cursor; nil if it is not one that `text` gave.
  package init?(text: String) {
    let words = text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    guard (2...3).contains(words.count), let order = ListOrder<Key>(text: words[0]), let key = Int64(compact: words[1])
    else { return nil }
    var value = OrderCursor.Value.none
    if words.count == 3 {
      let rest = String(words[2].dropFirst())
      switch words[2].first {
      case "n":
        guard let number = Int64(compact: rest) else { return nil }
        value = .number(number)
      case "t":
        guard let title = String(base64URL: rest), title.utf8.count <= Field.maximumLabelBytes else { return nil }
        value = .text(title)
      default: return nil
      }
    }
    self.init(order: order, value: value, key: key)
    guard self.text == text else { return nil }
  }
}
