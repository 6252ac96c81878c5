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
    self = try form.read(line.payload)
  }

  /// Where an action's or query's own values stand.
  static let payloadPath = "payload"
}

/// The form of the requests of one type.
struct RequestForm: Sendable {
  let type: String
  let sentence: String
  let members: [PayloadDescriber.Member]
  /// The form of an intent; nil for a query.
  let intent: ActionForm<Intent>?
  let read: @Sendable (JSONObject) throws(Refusal) -> Request

  /// An intent, by its form.
  init(_ template: Intent, naming leading: [String] = []) {
    let form = ActionForm(template, naming: leading)
    (type, sentence, intent) = (form.type, form.sentence, form)
    members = form.schema.members.filter { PayloadDescriber.isShown($0.key) }
    read = { payload throws(Refusal) in .intent(try form.read(payload)) }
  }

  /// A query.
  init(
    _ type: String, _ sentence: String, knowing keys: [String] = [], requiring required: [String] = [],
    _ read: @escaping @Sendable (JSONObject) throws(Refusal) -> Request
  ) {
    (self.type, self.sentence, intent, self.read) = (type, sentence, nil, read)
    members = keys.map {
      PayloadDescriber.Member(
        key: $0, kind: "", schema: .anything, presence: required.contains($0) ? .required : .optional)
    }
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
