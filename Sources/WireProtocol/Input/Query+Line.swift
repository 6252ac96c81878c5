import PodfluxCore

/// What clients can ask (the article Protocol).
extension Query {
  static func resumeData(_ payload: JSONObject) throws(Refusal) -> Self {
    let fields = try Fields(payload, at: Request.payloadPath, knowing: ["id"])
    return .resumeData(try fields.required("id").downloadID())
  }

  static func unobserve(_ payload: JSONObject) throws(Refusal) -> Self {
    _ = try Fields(payload, at: Request.payloadPath, knowing: [])
    return .unobserve
  }
}

extension Observation {
  static let keys = SnapshotQuery.keys + ["actions", "interval"]

  init(_ payload: JSONObject) throws(Refusal) {
    let fields = try Fields(payload, at: Request.payloadPath, knowing: Self.keys)
    self.init(state: try SnapshotQuery(fields))
    try Self.check(state.downloads.after != nil, state.downloads.fields.map { $0.contains(.id) }, of: .downloads)
    try Self.check(state.feeds.after != nil, state.feeds.fields.map { $0.contains(.id) }, of: .feeds)
    try Self.check(state.episodes.after != nil, state.episodes.fields.map { $0.contains(.id) }, of: .episodes)
    includesActions = try fields["actions"]?.boolean() ?? includesActions
    interval = try fields["interval"]?.number(in: Self.intervals) ?? interval
  }

  /// Refuses a page that is not the first, and fields without the id, of a store.
  private static func check(_ hasCursor: Bool, _ showsID: Bool?, of store: StoreName) throws(Refusal) {
    if hasCursor {
      throw refusal(of: "after", "must be left out: what is observed begins at the list's beginning", in: store)
    }
    if showsID == false { throw refusal(of: "fields", "must name id: what changes is told by it", in: store) }
  }

  private static func refusal(of key: String, _ sentence: String, in store: StoreName) -> Refusal {
    let path = Request.payloadPath + ".\(store.rawValue)." + key
    return Refusal(.invalidValue, "\(path) \(sentence)", path: path)
  }
}

extension SnapshotQuery {
  static let keys = ["stores", "downloads", "feeds", "episodes", "cleanup"]
  /// How many names of stores a query gives at most.
  static let maximumStores = 16

  init(_ payload: JSONObject, at path: String = Request.payloadPath) throws(Refusal) {
    try self.init(Fields(payload, at: path, knowing: Self.keys))
  }

  fileprivate init(_ fields: Fields) throws(Refusal) {
    self.init()
    if let stores = fields["stores"] { self.stores = try stores.names(atMost: Self.maximumStores) }
    if let query = fields["downloads"] { downloads = try DownloadsQuery(query) }
    if let query = fields["feeds"] { feeds = try FeedsQuery(query) }
    if let query = fields["episodes"] { episodes = try EpisodesQuery(query) }
    if let page = fields["cleanup"] { stepsPage = try PageRequest(page) }
  }
}

extension DownloadsQuery {
  private static let keys = ["where", "unfiltered", "sort", "limit", "after", "fields"]
  /// How many names of fields a query gives at most; each may be there twice.
  private static let maximumFields = 64

  fileprivate init(_ field: Field) throws(Refusal) {
    let fields = try Fields(field.object(), at: field.path, knowing: Self.keys)
    self.init()
    if let condition = fields["where"] { self.condition = try Condition(condition) }
    isUnfiltered = try fields["unfiltered"]?.boolean() ?? isUnfiltered
    order = try fields["sort"]?.order() ?? order
    limit = try fields["limit"]?.pageLimit() ?? limit
    after = try fields["after"]?.cursor(of: order)
    self.fields = try fields["fields"]?.itemFields(atMost: Self.maximumFields)
  }
}

extension PageRequest {
  fileprivate init(_ field: Field) throws(Refusal) {
    let fields = try Fields(field.object(), at: field.path, knowing: ["limit", "after"])
    self.init()
    limit = try fields["limit"]?.pageLimit() ?? limit
    after = try fields["after"]?.cursor()
  }
}

extension Field {
  func pageLimit() throws(Refusal) -> Int {
    try integer(in: 1...PageRequest.maximumLimit)
  }

  func names<Name: RawRepresentable<String> & CaseIterable & Hashable>(
    atMost limit: Int
  ) throws(Refusal) -> Set<Name> {
    var names: Set<Name> = []
    for element in try elements(atMost: limit) {
      names.insert(try element.choice())
    }
    return names
  }

  fileprivate func itemFields(atMost limit: Int) throws(Refusal) -> Set<ItemField> {
    let fields: Set<ItemField> = try names(atMost: limit)
    guard !fields.isEmpty else { throw mustBe("at least one field; leave it out to see them all") }
    return fields
  }

  fileprivate func order() throws(Refusal) -> DownloadOrder {
    guard let order = DownloadOrder(text: try string()) else {
      let keys = DownloadOrderKey.allCases.map(\.rawValue).joined(separator: ", ")
      throw mustBe("one of \(keys), with - in front to have the last come first")
    }
    return order
  }

  fileprivate func cursor(of order: DownloadOrder) throws(Refusal) -> OrderCursor {
    guard let cursor = OrderCursor(text: try string()) else { throw mustBeCursor }
    guard cursor.order == order else {
      throw refusal(
        .invalidValue,
        "\(path) is a place in the order \(cursor.order.text), but the query sorts by \(order.text); keep to one order")
    }
    return cursor
  }

  fileprivate func cursor() throws(Refusal) -> PageCursor {
    guard let cursor = PageCursor(text: try string()) else { throw mustBeCursor }
    return cursor
  }

  var mustBeCursor: Refusal { mustBe("what the \"next\" of the page before it said") }
}
