import PodfluxCore

/// What clients want of the downloads (the article Protocol).
extension DownloadIntent {
  static func remove(_ payload: JSONObject) throws(Refusal) -> Self {
    let fields = try Fields(payload, at: Request.payloadPath, knowing: Selection.keys + ["deleteFile"])
    return .remove(try Selection(fields), deletingFile: try fields["deleteFile"]?.boolean() ?? true)
  }

  static func move(_ payload: JSONObject) throws(Refusal) -> Self {
    let fields = try Fields(payload, at: Request.payloadPath, knowing: ["id", "to", "anchor"])
    let id = try fields.required("id").downloadID()
    return .move(id, try Place(fields))
  }

  static func update(_ payload: JSONObject) throws(Refusal) -> Self {
    let keys = ["url", "mirrors", "priority", "network", "headers", "title", "podcast"]
    let fields = try Fields(payload, at: Request.payloadPath, knowing: ["id"] + keys)
    let id = try fields.required("id").downloadID()
    try fields.requireAny(of: keys)
    var update = Update()
    update.address = try fields["url"]?.address()
    update.mirrors = try fields["mirrors"]?.mirrors()
    update.priority = try fields["priority"]?.choice()
    update.network = try fields["network"]?.choice()
    update.headers = try fields["headers"]?.headers()
    update.title = try fields["title"]?.label()
    update.podcast = try fields["podcast"]?.label()
    return .update(id, update)
  }
}

extension DownloadIntent.Enqueue {
  /// The largest length that is believed: integers up to it survive every JSON reader (RFC 8259 section 6).
  static let lengths: ClosedRange<Int64> = 0...(1 << 53)

  private static let keys = [
    "url", "id", "podcast", "title", "published", "path", "priority", "headers", "mirrors", "integrity", "length",
    "resumeData", "paused", "origin", "network",
  ]

  init(_ payload: JSONObject) throws(Refusal) {
    let fields = try Fields(payload, at: Request.payloadPath, knowing: Self.keys)
    let address = try fields.required("url").address()
    let description = Download.Description(
      podcast: try fields["podcast"]?.label(), title: try fields["title"]?.label(),
      published: try fields["published"]?.publicationDate(), path: try fields["path"]?.libraryPath(),
      headers: try fields["headers"]?.headers() ?? [], mirrors: try fields["mirrors"]?.mirrors() ?? [],
      integrity: try fields["integrity"]?.integrity(),
      expectedLength: try fields["length"]?.integer(in: Self.lengths))
    self.init(
      id: try fields["id"]?.downloadID(), address: address, description: description,
      priority: try fields["priority"]?.choice() ?? .normal, origin: try fields["origin"]?.choice() ?? .user,
      isPaused: try fields["paused"]?.boolean() ?? false, resume: try fields["resumeData"]?.resumeRecord(),
      network: try fields["network"]?.choice() ?? .inherit)
  }
}

extension DownloadIntent.Selection {
  /// How many downloads a selection can name at most.
  static let maximumIDs = 10_000

  static let keys = ["id", "ids", "where", "all"]

  init(_ payload: JSONObject) throws(Refusal) {
    try self.init(Fields(payload, at: Request.payloadPath, knowing: Self.keys))
  }

  init(_ fields: Fields) throws(Refusal) {
    let given = Self.keys.compactMap { fields[$0] }
    guard let field = given.first else {
      throw Refusal(.missingField, "it is not said which downloads; give one of id, ids, where, all", path: fields.path)
    }
    guard given.count == 1 else {
      throw Refusal(
        .invalidValue, "the downloads are chosen in several ways; give only one of id, ids, where, all",
        path: fields.path)
    }
    switch field.step {
    case .key("id"): self = .one(try field.downloadID())
    case .key("ids"): self = .many(try Self.ids(field))
    case .key("where"): self = .matching(try Condition(field))
    default: self = try Self.all(field)
    }
  }

  private static func ids(_ field: Field) throws(Refusal) -> [DownloadID] {
    var ids: [DownloadID] = []
    for element in try field.elements(atMost: maximumIDs) {
      ids.append(try element.downloadID())
    }
    return ids
  }

  private static func all(_ field: Field) throws(Refusal) -> Self {
    guard try field.boolean() else { throw field.mustBe("true; give id, ids or where to choose some") }
    return .all
  }
}

extension DownloadIntent.Place {
  private enum Name: String, CaseIterable {
    case top, bottom, before, after
  }

  fileprivate init(_ fields: Fields) throws(Refusal) {
    let name = try fields.required("to").choice(of: Name.allCases)
    switch name {
    case .before: self = .before(try fields.required("anchor").downloadID())
    case .after: self = .after(try fields.required("anchor").downloadID())
    case .top, .bottom:
      if let anchor = fields["anchor"] {
        throw anchor.mustBe("left out: \(name.rawValue) needs no other download")
      }
      self = name == .top ? .top : .bottom
    }
  }
}
