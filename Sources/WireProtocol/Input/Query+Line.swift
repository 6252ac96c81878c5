import PodfluxCore

/// What clients can ask (PROTOCOL.md section 9).
extension Query {
  static func resumeData(_ payload: JSONObject) throws(Refusal) -> Self {
    let fields = try Fields(payload, at: Request.payloadPath, knowing: ["id"])
    return .resumeData(try fields.required("id").downloadID())
  }
}

extension SnapshotQuery {
  /// How many names of stores a query gives at most.
  static let maximumStores = 16

  init(_ payload: JSONObject) throws(Refusal) {
    let fields = try Fields(payload, at: Request.payloadPath, knowing: ["stores", "downloads", "cleanup"])
    self.init()
    if let page = fields["cleanup"] { stepsPage = try PageRequest(page) }
    if let stores = fields["stores"] { self.stores = try Self.stores(stores) }
    if let page = fields["downloads"] { self.page = try PageRequest(page) }
  }

  private static func stores(_ field: Field) throws(Refusal) -> Set<StoreName> {
    var stores: Set<StoreName> = []
    for element in try field.elements(atMost: maximumStores) {
      stores.insert(try element.choice())
    }
    return stores
  }
}

extension PageRequest {
  fileprivate init(_ field: Field) throws(Refusal) {
    let fields = try Fields(field.object(), at: field.path, knowing: ["limit", "after"])
    self.init()
    if let limit = fields["limit"] { self.limit = try limit.integer(in: 1...Self.maximumLimit) }
    if let after = fields["after"] { self.after = try after.cursor() }
  }
}

extension Field {
  fileprivate func cursor() throws(Refusal) -> PageCursor {
    guard let cursor = PageCursor(text: try string()) else {
      throw mustBe("what the \"next\" of the page before it said")
    }
    return cursor
  }
}

/// A cursor as clients see it: opaque, so that what is in it may change.
extension PageCursor {
  private static let radix = 36

  /// The cursor as text.
  var text: String { String(key, radix: Self.radix) }

  /// Reads a cursor; nil if it is not one that `text` gave.
  init?(text: String) {
    guard let key = Int64(text, radix: Self.radix), String(key, radix: Self.radix) == text else { return nil }
    self.init(key: key)
  }
}
