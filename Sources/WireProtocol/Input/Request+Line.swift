import PodfluxCore

/// Every line that a client can send.
extension Request {
  init(_ line: Envelope) throws(Refusal) {
    switch line.type {
    case "downloads/enqueue": self = .action(.downloads(.enqueue(try .init(line.payload))))
    case "downloads/pause": self = .action(.downloads(.pause(try .init(line.payload))))
    case "downloads/resume": self = .action(.downloads(.resume(try .init(line.payload))))
    case "downloads/cancel": self = .action(.downloads(.cancel(try .init(line.payload))))
    case "downloads/retry": self = .action(.downloads(.retry(try .init(line.payload))))
    case "downloads/remove": self = .action(.downloads(try .remove(line.payload)))
    case "downloads/verify": self = .action(.downloads(.verify(try .init(line.payload))))
    case "downloads/move": self = .action(.downloads(try .move(line.payload)))
    case "downloads/update": self = .action(.downloads(try .update(line.payload)))
    case "downloads/resumeData": self = .query(try .resumeData(line.payload))
    case "settings/update": self = .action(.updateSettings(try SettingsPatch(line.payload)))
    case "filters/toggle": self = .action(.filters(try .toggle(line.payload)))
    case "filters/selectGroup": self = .action(.filters(try .selectGroup(line.payload)))
    case "filters/setText": self = .action(.filters(try .setText(line.payload)))
    case "filters/clear": self = .action(.filters(try .clear(line.payload)))
    case "filters/save": self = .action(.filters(.save(try FilterIntent.name(line.payload))))
    case "filters/apply": self = .action(.filters(.apply(try FilterIntent.name(line.payload))))
    case "filters/delete": self = .action(.filters(.delete(try FilterIntent.name(line.payload))))
    case "cleanup/run": self = .action(.cleanup(.run(try CleanupRequest(line.payload))))
    case "cleanup/cancel": self = .action(.cleanup(try .cancel(line.payload)))
    case "network/report": self = .action(.network(try .report(line.payload)))
    case "network/auto": self = .action(.network(try .auto(line.payload)))
    case "engine/suspend": self = .action(.stop(try .suspend(line.payload)))
    case "engine/resume": self = try .resume(line.payload)
    case "engine/shutdown": self = .action(.stop(try StopMode(line.payload)))
    case "snapshot": self = .query(.snapshot(try SnapshotQuery(line.payload)))
    case "observe": self = .query(.observe(try Observation(line.payload)))
    case "unobserve": self = .query(try .unobserve(line.payload))
    default:
      throw Refusal(
        .unknownAction,
        "there is no action or query \"\(line.type.clipped)\"; there are "
          + Self.types(like: line.type).joined(separator: ", "),
        path: "type")
    }
  }

  private static func resume(_ payload: JSONObject) throws(Refusal) -> Self {
    _ = try Fields(payload, at: payloadPath, knowing: [])
    return .resume
  }

  /// The types of the group that a client has named, or else all groups.
  private static func types(like type: String) -> [String] {
    let likely = types.filter { $0.contains("/") && $0.group == type.group }
    guard likely.isEmpty else { return likely }
    var groups: [String] = []
    for type in types.map(\.group) where !groups.contains(type) { groups.append(type) }
    return groups
  }

  /// What the switch above knows.
  static let types = [
    "downloads/enqueue", "downloads/pause", "downloads/resume", "downloads/cancel", "downloads/retry",
    "downloads/remove", "downloads/verify", "downloads/move", "downloads/update", "downloads/resumeData",
    "settings/update", "filters/toggle", "filters/selectGroup", "filters/setText", "filters/clear", "filters/save",
    "filters/apply", "filters/delete", "cleanup/run", "cleanup/cancel", "network/report", "network/auto",
    "engine/suspend", "engine/resume", "engine/shutdown", "snapshot", "observe", "unobserve",
  ]

  /// Where an action's or query's own values stand.
  static let payloadPath = "payload"
}

extension String {
  /// What stands before a type's slash, and the slash; all of it, if it has none.
  fileprivate var group: String { firstIndex(of: "/").map { self[...$0] + "…" } ?? self }
}

extension StopMode {
  fileprivate init(_ payload: JSONObject) throws(Refusal) {
    let fields = try Fields(payload, at: Request.payloadPath, knowing: ["mode"])
    self = try fields["mode"]?.choice(of: [.now, .drain]) ?? .now
  }

  fileprivate static func suspend(_ payload: JSONObject) throws(Refusal) -> Self {
    _ = try Fields(payload, at: Request.payloadPath, knowing: [])
    return .suspend
  }
}

extension CleanupRequest {
  fileprivate init(_ payload: JSONObject) throws(Refusal) {
    let fields = try Fields(payload, at: Request.payloadPath, knowing: ["deep", "missing", "mode", "orphans"])
    self.init()
    mode = try fields["mode"]?.choice() ?? mode
    missing = try fields["missing"]?.choice() ?? missing
    orphans = try fields["orphans"]?.choice()
    isDeep = try fields["deep"]?.boolean() ?? isDeep
  }
}

extension CleanupIntent {
  fileprivate static func cancel(_ payload: JSONObject) throws(Refusal) -> Self {
    _ = try Fields(payload, at: Request.payloadPath, knowing: [])
    return .cancel
  }
}

extension Fields {
  /// Refuses a change of nothing: it is a mistake.
  func requireAny(of keys: [String]) throws(Refusal) {
    guard !keys.contains(where: { object[$0] != nil }) else { return }
    throw Refusal(.missingField, "nothing is to change; give any of " + keys.joined(separator: ", "), path: path)
  }
}
