import PodfluxCore

/// Every line that a client can send.
extension Request {
  init(_ line: Envelope) throws(Refusal) {
    guard let form = RequestForm.byType[line.type] else {
      throw Refusal(
        .unknownAction,
        "there is no action or query \"\(line.type.clipped)\"; there are "
          + RequestForm.types(like: line.type).joined(separator: ", "),
        path: "type")
    }
    self = try form.request(line.payload)
  }

  /// Where an action's or query's own values stand.
  static let payloadPath = "payload"
}

extension Request {
  /// Exchanges the members with a coder. Returns the request with the members that the coder has given it.
  func exchanged<Coder: PayloadCoder>(with coder: inout Coder) throws(Coder.Fault) -> Self {
    switch self {
    case .intent(let intent): return .intent(try intent.exchanged(with: &coder))
    case .query(let query): return .query(try query.exchanged(with: &coder))
    case .resume:
      coder.type("engine/resume", "Opens the library again after engine/suspend.")
      return self
    }
  }
}

/// The form of the requests of one type, by which their lines are read and described.
struct RequestForm: Sendable {
  let type: String
  let sentence: String
  let schema: PayloadSchema
  /// The names of the members, as a refusal lists them.
  let keys: [String]
  /// Whether it says an intent.
  let isIntent: Bool
  private let read: @Sendable (inout PayloadReader) throws(Refusal) -> Request

  /// - Parameter leading: The members that a refusal names first; the others follow in the order of the alphabet.
  init(_ template: Request, naming leading: [String] = []) {
    var describer = PayloadDescriber()
    _ = template.exchanged(with: &describer)
    (type, sentence, schema) = (describer.type, describer.sentence, describer.schema)
    keys = describer.keys(naming: leading)
    isIntent = if case .intent = template { true } else { false }
    read = { reader throws(Refusal) in try template.exchanged(with: &reader) }
  }

  init(_ intent: Intent, naming leading: [String] = []) {
    self.init(.intent(intent), naming: leading)
  }

  init(asking query: Query, naming leading: [String] = []) {
    self.init(.query(query), naming: leading)
  }

  /// A line without members, as another name of a request.
  init(_ type: String, _ sentence: String, meaning request: Request) {
    (self.type, self.sentence, schema, keys) = (type, sentence, PayloadSchema(members: [], rules: []), [])
    (isIntent, read) = (false, { _ in request })
  }

  /// The members that clients are told of.
  var members: [PayloadDescriber.Member] { schema.members.filter { PayloadDescriber.isShown($0.key) } }

  /// Reads a request's payload.
  func request(_ payload: JSONObject) throws(Refusal) -> Request {
    var reader = PayloadReader(fields: try Fields(payload, at: Request.payloadPath, knowing: keys))
    return try read(&reader)
  }

  fileprivate static let byType = Dictionary(uniqueKeysWithValues: all.map { ($0.type, $0) })

  /// The types of the group that a client has named, or else all groups.
  fileprivate static func types(like type: String) -> [String] {
    let types = all.map(\.type)
    let likely = types.filter { $0.contains("/") && $0.group == type.group }
    guard likely.isEmpty else { return likely }
    var groups: [String] = []
    for type in types.map(\.group) where !groups.contains(type) { groups.append(type) }
    return groups
  }
}

extension String {
  /// What stands before a type's slash, and the slash; all of it, if it has none.
  fileprivate var group: String { firstIndex(of: "/").map { self[...$0] + "…" } ?? self }
}
