/// Invalid lines about filters, conditions, lists and observations.
extension BadLines {
  static let filters = [
    BadLine(type: "filters/toggle", "{}", "missing_field", "payload.filter"),
    BadLine(type: "filters/toggle", #"{"filter":null}"#, "invalid_value", "payload.filter"),
    BadLine(type: "filters/toggle", #"{"filter":["state:failed"]}"#, "invalid_value", "payload.filter"),
    BadLine(type: "filters/toggle", #"{"filter":""}"#, "invalid_value", "payload.filter"),
    BadLine(type: "filters/toggle", #"{"filter":"failed"}"#, "invalid_value", "payload.filter"),
    BadLine(type: "filters/toggle", #"{"filter":"state:"}"#, "invalid_value", "payload.filter"),
    BadLine(type: "filters/toggle", #"{"filter":"state:lost"}"#, "invalid_value", "payload.filter"),
    BadLine(type: "filters/toggle", #"{"filter":"State:failed"}"#, "invalid_value", "payload.filter"),
    BadLine(type: "filters/toggle", #"{"filter":" state:failed"}"#, "invalid_value", "payload.filter"),
    BadLine(type: "filters/toggle", #"{"filter":"state:failed:"}"#, "invalid_value", "payload.filter"),
    BadLine(type: "filters/toggle", #"{"filter":"error:none"}"#, "invalid_value", "payload.filter"),
    BadLine(type: "filters/toggle", #"{"filter":"played:yes"}"#, "invalid_value", "payload.filter"),
    BadLine(type: "filters/toggle", #"{"filter":"podcast:"}"#, "invalid_value", "payload.filter"),
    BadLine(type: "filters/toggle", #"{"filter":"podcast:a\u0000b"}"#, "invalid_value", "payload.filter"),
    BadLine(type: "filters/toggle", #"{"filter":"podcast:\#(long(1025))"}"#, "invalid_value", "payload.filter"),
    BadLine(type: "filters/toggle", #"{"filter":"\#(long(500_000)):x"}"#, "invalid_value", "payload.filter"),
    BadLine(
      type: "filters/toggle", #"{"filter":"state:failed","active":true}"#, "unknown_field", "payload.active"),
    BadLine(type: "filters/selectGroup", "{}", "missing_field", "payload.group"),
    BadLine(type: "filters/selectGroup", #"{"group":"status"}"#, "invalid_value", "payload.group"),
    BadLine(type: "filters/selectGroup", #"{"group":false}"#, "invalid_value", "payload.group"),
    BadLine(type: "filters/setText", "{}", "missing_field", "payload.text"),
    BadLine(type: "filters/setText", #"{"text":null}"#, "invalid_value", "payload.text"),
    BadLine(type: "filters/setText", #"{"text":"a\u0000"}"#, "invalid_value", "payload.text"),
    BadLine(type: "filters/setText", #"{"text":"\#(long(257))"}"#, "invalid_value", "payload.text"),
    BadLine(type: "filters/clear", #"{"group":"state"}"#, "unknown_field", "payload.group"),
    BadLine(type: "filters/save", "{}", "missing_field", "payload.name"),
    BadLine(type: "filters/save", #"{"name":""}"#, "invalid_value", "payload.name"),
    BadLine(type: "filters/save", #"{"name":"\#(long(129))"}"#, "invalid_value", "payload.name"),
    BadLine(type: "filters/apply", #"{"name":7}"#, "invalid_value", "payload.name"),
    BadLine(type: "filters/delete", #"{"name":"a\nb"}"#, "invalid_value", "payload.name"),
    BadLine(type: "filters/hide", "{}", "unknown_action", "type"),
  ]

  static let conditions = [
    condition(#""failed""#, "invalid_value"),
    condition(#"[{"state":"failed"}]"#, "invalid_value"),
    condition("null", "invalid_value"),
    condition(#"{"State":"failed"}"#, "unknown_field", ".State"),
    condition(#"{"state":"lost"}"#, "invalid_value", ".state"),
    condition(#"{"state":null}"#, "invalid_value", ".state"),
    condition(#"{"state":[]}"#, "invalid_value", ".state"),
    condition(#"{"state":["failed",["paused"]]}"#, "invalid_value", ".state[1]"),
    condition(#"{"state":["failed","paused","Queued"]}"#, "invalid_value", ".state[2]"),
    condition(#"{"state":"failed","state":"paused"}"#, "invalid_json", ".state"),
    condition(#"{"reason":"weather"}"#, "invalid_value", ".reason"),
    condition(#"{"podcast":true}"#, "invalid_value", ".podcast"),
    condition(#"{"podcast":["a","b\u0007"]}"#, "invalid_value", ".podcast[1]"),
    condition(#"{"origin":"cron"}"#, "invalid_value", ".origin"),
    condition(#"{"media":["audio","text"]}"#, "invalid_value", ".media[1]"),
    condition(#"{"titleContains":""}"#, "invalid_value", ".titleContains"),
    condition(#"{"titleContains":"\#(long(1025))"}"#, "invalid_value", ".titleContains"),
    condition(#"{"titleExcludes":[7]}"#, "invalid_value", ".titleExcludes[0]"),
    condition(#"{"publishedAfter":"yesterday"}"#, "invalid_value", ".publishedAfter"),
    condition(#"{"publishedBefore":["2026-11-21T03:00:00Z"]}"#, "invalid_value", ".publishedBefore"),
    condition(#"{"newerThanDays":-1}"#, "invalid_value", ".newerThanDays"),
    condition(#"{"newerThanDays":1.5}"#, "invalid_value", ".newerThanDays"),
    condition(#"{"olderThanDays":36501}"#, "invalid_value", ".olderThanDays"),
    condition(#"{"minBytes":"1"}"#, "invalid_value", ".minBytes"),
    condition(#"{"maxBytes":9007199254740993}"#, "invalid_value", ".maxBytes"),
    condition(#"{"errorCode":"none"}"#, "invalid_value", ".errorCode"),
    condition(#"{"feed":"a"}"#, "unknown_field", ".feed"),
    condition(#"{"played":true}"#, "unknown_field", ".played"),
    condition(#"{"not":[]}"#, "invalid_value", ".not"),
    condition(#"{"not":{"any":[{"not":{"state":"x"}}]}}"#, "invalid_value", ".not.any[0].not.state"),
    condition(#"{"any":{"state":"failed"}}"#, "invalid_value", ".any"),
    condition(#"{"any":[]}"#, "invalid_value", ".any"),
    condition(#"{"any":[{"state":"failed"},{"state":"x"}]}"#, "invalid_value", ".any[1].state"),
    condition(#"{"any":[{"state":"failed"},7]}"#, "invalid_value", ".any[1]"),
    condition(
      String(repeating: #"{"not":"#, count: 8) + "{}" + String(repeating: "}", count: 8), "limit_exceeded",
      String(repeating: ".not", count: 8)),
    condition(#"{"any":[\#(Array(repeating: "{}", count: 256).joined(separator: ","))]}"#, "limit_exceeded"),
    condition(
      #"{"any":[\#(Array(repeating: #"{"media":"audio"}"#, count: 257).joined(separator: ","))]}"#, "limit_exceeded",
      ".any"),
    condition(
      #"{"podcast":[\#(Array(repeating: #""a""#, count: 1001).joined(separator: ","))]}"#, "limit_exceeded",
      ".podcast"),
    BadLine(type: "downloads/remove", #"{"where":{},"all":true}"#, "invalid_value", "payload"),
    BadLine(type: "downloads/move", #"{"where":{},"to":"top"}"#, "unknown_field", "payload.where"),
  ]

  static let lists = [
    list(#""where":true"#, "invalid_value", ".where"),
    list(#""where":{"any":[{},{"state":"failed","media":"text"}]}"#, "invalid_value", ".where.any[1].media"),
    list(#""unfiltered":1"#, "invalid_value", ".unfiltered"),
    list(#""sort":"Title""#, "invalid_value", ".sort"),
    list(#""sort":"+title""#, "invalid_value", ".sort"),
    list(#""sort":"--title""#, "invalid_value", ".sort"),
    list(#""sort":"-""#, "invalid_value", ".sort"),
    list(#""sort":["title","added"]"#, "invalid_value", ".sort"),
    list(#""fields":"id""#, "invalid_value", ".fields"),
    list(#""fields":[]"#, "invalid_value", ".fields"),
    list(#""fields":["id","name"]"#, "invalid_value", ".fields[1]"),
    list(#""fields":[\#(Array(repeating: #""id""#, count: 65).joined(separator: ","))]"#, "limit_exceeded", ".fields"),
    list(#""page":2"#, "unknown_field", ".page"),
    list(#""after":"z""#, "invalid_value", ".after"),
    list(#""after":"a""#, "invalid_value", ".after"),
    list(#""after":"a07""#, "invalid_value", ".after"),
    list(#""after":"az.1""#, "invalid_value", ".after"),
    list(#""after":"Az""#, "invalid_value", ".after"),
    list(#""after":"tz.YQ""#, "invalid_value", ".after"),
    list(#""after":"az","sort":"-added""#, "invalid_value", ".after"),
    list(#""after":"pz.","sort":"published""#, "invalid_value", ".after"),
    list(#""after":"pz.1.2","sort":"published""#, "invalid_value", ".after"),
    list(#""after":"tz.YR","sort":"title""#, "invalid_value", ".after"),
    list(#""after":"tz.YQ==","sort":"title""#, "invalid_value", ".after"),
    list(#""after":"tz._w","sort":"title""#, "invalid_value", ".after"),
    list(#""after":"qz.1","sort":"position""#, "invalid_value", ".after"),
    list(#""after":"qz.1.1zzzzzzzzzzzzz","sort":"position""#, "invalid_value", ".after"),
  ]

  static let observations = [
    BadLine(type: "observe", #"{"stores":"all"}"#, "invalid_value", "payload.stores"),
    BadLine(type: "observe", #"{"stores":["filter"]}"#, "invalid_value", "payload.stores[0]"),
    BadLine(type: "observe", #"{"actions":"yes"}"#, "invalid_value", "payload.actions"),
    BadLine(type: "observe", #"{"interval":0}"#, "invalid_value", "payload.interval"),
    BadLine(type: "observe", #"{"interval":3601}"#, "invalid_value", "payload.interval"),
    BadLine(type: "observe", #"{"interval":"1s"}"#, "invalid_value", "payload.interval"),
    BadLine(type: "observe", #"{"interval":1e400}"#, "invalid_value", "payload.interval"),
    BadLine(type: "observe", #"{"downloads":{"after":"az"}}"#, "invalid_value", "payload.downloads.after"),
    BadLine(type: "observe", #"{"downloads":{"fields":["title"]}}"#, "invalid_value", "payload.downloads.fields"),
    BadLine(type: "observe", #"{"downloads":{"limit":1001}}"#, "invalid_value", "payload.downloads.limit"),
    BadLine(
      type: "observe", #"{"downloads":{"where":{"not":{"season":1}}}}"#, "unknown_field",
      "payload.downloads.where.not.season"),
    BadLine(type: "observe", #"{"settings":{}}"#, "unknown_field", "payload.settings"),
    BadLine(type: "unobserve", #"{"stores":["downloads"]}"#, "unknown_field", "payload.stores"),
  ]

  /// A selection with an invalid condition.
  private static func condition(_ condition: String, _ code: String, _ path: String = "") -> BadLine {
    BadLine(type: "downloads/pause", #"{"where":\#(condition)}"#, code, "payload.where" + path)
  }

  /// A snapshot of an invalid list.
  private static func list(_ members: String, _ code: String, _ path: String) -> BadLine {
    BadLine(type: "snapshot", #"{"downloads":{\#(members)}}"#, code, "payload.downloads" + path)
  }
}
