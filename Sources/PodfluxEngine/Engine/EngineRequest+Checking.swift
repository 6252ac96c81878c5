import PodfluxCore

/// Checks that need the machine, before a turn sees the request: stores do not ask the system.
extension EngineRequest {
  /// The request, refused if it asks for what this machine does not have.
  var checked: EngineRequest {
    guard case .action(.updateSettings(let patch)) = content, let zone = patch.nameTimeZone, !LocalClock.knows(zone)
    else {
      return self
    }
    let refusal = Refusal(
      .invalidValue,
      "this machine knows no time zone \"\(zone.text)\"; give publisher, or a name such as Europe/Vienna or UTC",
      path: "payload.nameTimeZone")
    return EngineRequest(.refused(refusal), completion: completion)
  }
}
