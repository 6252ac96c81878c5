/// Invalid lines about paths, policies, schedules and limits.
extension BadLines {
  static let networks = [
    BadLine(type: "network/report", "{}", "missing_field", "payload.status"),
    BadLine(type: "network/report", #"{"status":"up"}"#, "invalid_value", "payload.status"),
    BadLine(type: "network/report", #"{"status":"online","interface":"5g"}"#, "invalid_value", "payload.interface"),
    BadLine(type: "network/report", #"{"status":"online","metered":"no"}"#, "invalid_value", "payload.metered"),
    BadLine(type: "network/report", #"{"status":"online","device":""}"#, "invalid_value", "payload.device"),
    BadLine(type: "network/report", #"{"status":"online","device":"a/b"}"#, "invalid_value", "payload.device"),
    BadLine(
      type: "network/report", #"{"status":"online","device":"sixteen-letters!"}"#, "invalid_value", "payload.device"),
    BadLine(type: "network/report", #"{"status":"online","ssid":"x"}"#, "unknown_field", "payload.ssid"),
    BadLine(type: "network/auto", #"{"status":"online"}"#, "unknown_field", "payload.status"),
    BadLine(type: "engine/suspend", #"{"mode":"now"}"#, "unknown_field", "payload.mode"),
    BadLine(type: "engine/resume", #"{"mode":"now"}"#, "unknown_field", "payload.mode"),
    BadLine(type: "engine/shutdown", #"{"mode":"suspend"}"#, "invalid_value", "payload.mode"),
    settings(#""network":{}"#, "missing_field", "network"),
    settings(#""network":"any""#, "invalid_value", "network"),
    settings(#""network":{"user":"inherit"}"#, "invalid_value", "network.user"),
    settings(#""network":{"people":"any"}"#, "unknown_field", "network.people"),
    settings(#""network":{"podcasts":["Show"]}"#, "invalid_value", "network.podcasts"),
    settings(#""network":{"podcasts":{"Show":"wifi"}}"#, "invalid_value", "network.podcasts.Show"),
    settings(#""bytesPerSecond":-1"#, "invalid_value", "bytesPerSecond"),
    settings(#""bytesPerSecond":1"#, "invalid_value", "bytesPerSecond"),
    settings(#""bytesPerSecond":1.5"#, "invalid_value", "bytesPerSecond"),
    settings(#""storageQuotaBytes":-1"#, "invalid_value", "storageQuotaBytes"),
    settings(#""reserveFreeBytes":"1 GB""#, "invalid_value", "reserveFreeBytes"),
    settings(#""cellularBudgetBytesPerMonth":9007199254740993"#, "invalid_value", "cellularBudgetBytesPerMonth"),
    settings(#""schedule":{"from":"22:00","to":"06:00"}"#, "invalid_value", "schedule"),
    settings(#""schedule":[{"from":"22:00"}]"#, "missing_field", "schedule[0].to"),
    settings(#""schedule":[{"from":"24:00","to":"06:00"}]"#, "invalid_value", "schedule[0].from"),
    settings(#""schedule":[{"from":"22:00","to":"6:00"}]"#, "invalid_value", "schedule[0].to"),
    settings(#""schedule":[{"from":"22:60","to":"06:00"}]"#, "invalid_value", "schedule[0].from"),
    settings(#""schedule":[{"from":"22:00","to":"06:00","days":[]}]"#, "invalid_value", "schedule[0].days"),
    settings(
      #""schedule":[{"from":"22:00","to":"06:00","days":["monday"]}]"#, "invalid_value", "schedule[0].days[0]"),
    settings(#""schedule":[{"from":"22:00","to":"06:00","zone":"UTC"}]"#, "unknown_field", "schedule[0].zone"),
  ]

  private static func settings(_ members: String, _ code: String, _ path: String) -> BadLine {
    BadLine(type: "settings/update", "{\(members)}", code, "payload." + path)
  }
}
