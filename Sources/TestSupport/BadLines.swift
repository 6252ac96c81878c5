/// Lines that the codec or the engine must refuse, without a crash.
package enum BadLines {
  /// The whole table.
  package static let all =
    shapes + encodings + limits + envelopes + enqueues + addresses + paths + headers + resumeData + selections
    + settings + networks + podcasts + sessions + cleanups + queries + filters + conditions + lists + observations
    + refusedByEngine

  private static let shapes = [
    BadLine("an empty line", "", "invalid_line"),
    BadLine("a line of blanks", " \t \r", "invalid_line"),
    BadLine("an array", "[]", "invalid_line"),
    BadLine("a bare number", "42", "invalid_line"),
    BadLine("a bare string", #""snapshot""#, "invalid_line"),
    BadLine("a bare null", "null", "invalid_line"),
    BadLine("a bare word", "snapshot", "invalid_json"),
    BadLine("an object cut off behind its key", #"{"type":"#, "invalid_json"),
    BadLine("an object cut off inside a string", #"{"type":"snap"#, "invalid_json"),
    BadLine("an object cut off before its end", #"{"type":"snapshot""#, "invalid_json"),
    BadLine("two objects on a line", #"{"type":"snapshot"}{"type":"snapshot"}"#, "invalid_json"),
    BadLine("a trailing comma", #"{"type":"snapshot",}"#, "invalid_json"),
    BadLine("a missing colon", #"{"type" "snapshot"}"#, "invalid_json"),
    BadLine("a key without quotes", #"{type:"snapshot"}"#, "invalid_json"),
    BadLine("single quotes", "{'type':'snapshot'}", "invalid_json"),
    BadLine("a comment", #"{"type":"snapshot"} // now"#, "invalid_json"),
    BadLine("a word in capitals", #"{"type":"snapshot","error":FALSE}"#, "invalid_json"),
    BadLine("a number with a leading zero", #"{"type":"snapshot","meta":{"id":01}}"#, "invalid_json"),
    BadLine("a number with a plus", #"{"type":"snapshot","meta":{"id":+1}}"#, "invalid_json"),
    BadLine("a number that ends with a point", #"{"type":"snapshot","meta":{"id":1.}}"#, "invalid_json"),
    BadLine("not a number", #"{"type":"snapshot","meta":{"id":NaN}}"#, "invalid_json"),
  ]

  private static let encodings = [
    BadLine("invalid UTF-8 in a string", bytes(#"{"type":"snap"#, [0xC3, 0x28], #""}"#), "invalid_json", "type"),
    BadLine("a cut UTF-8 sequence", bytes(#"{"type":"snap"#, [0xE2, 0x82], #""}"#), "invalid_json", "type"),
    BadLine("an overlong slash", bytes(#"{"type":"a"#, [0xC0, 0xAF], #"b"}"#), "invalid_json", "type"),
    BadLine("a surrogate in UTF-8", bytes(#"{"type":"a"#, [0xED, 0xA0, 0x80], #"b"}"#), "invalid_json", "type"),
    BadLine("bytes that are no text", [0xFF, 0xFE, 0x00, 0x01], "invalid_json"),
    BadLine("a byte order mark", bytes("", [0xEF, 0xBB, 0xBF], #"{"type":"snapshot"}"#), "invalid_json"),
    BadLine("a NUL inside a string", bytes(#"{"type":"snap"#, [0x00], #"shot"}"#), "invalid_json"),
    BadLine("a NUL between tokens", bytes(#"{"type":"#, [0x00], #""snapshot"}"#), "invalid_json"),
    BadLine("a tab inside a string", "{\"type\":\"snap\tshot\"}", "invalid_json"),
    BadLine("an unknown escape", #"{"type":"snap\xshot"}"#, "invalid_json"),
    BadLine("a short escape", #"{"type":"\u12"}"#, "invalid_json"),
    BadLine("half a surrogate pair", #"{"type":"\ud83d"}"#, "invalid_json", "type"),
    BadLine("the halves of a surrogate pair in the wrong order", #"{"type":"\ude00\ud83d"}"#, "invalid_json", "type"),
  ]

  private static let limits = [
    BadLine("a line of 1 MiB and a byte", padded(toBytes: 1 << 20 + 1), "line_too_long"),
    BadLine("a line of 5 MiB", padded(toBytes: 5 << 20), "line_too_long"),
    BadLine("33 nested arrays and objects", nested(31), "limit_exceeded"),
    BadLine("100,000 nested arrays", nested(100_000), "limit_exceeded"),
    BadLine("100,000 arrays that never end", String(repeating: "[", count: 100_000), "limit_exceeded"),
    BadLine(
      "10,001 ids", selection(ids: (0...10_000).map { "\"e\($0)\"" }), "limit_exceeded", "payload.ids"),
  ]

  private static let envelopes = [
    BadLine("no type", "{}", "missing_field", "type"),
    BadLine("a type that is a number", #"{"type":7}"#, "invalid_value", "type"),
    BadLine("an unknown type", #"{"type":"downloads/fly"}"#, "unknown_action", "type"),
    BadLine("a type in capitals", #"{"type":"Snapshot"}"#, "unknown_action", "type"),
    BadLine("a fact of the engine", #"{"type":"downloads/finished","payload":{}}"#, "unknown_action", "type"),
    BadLine("a payload that is an array", #"{"type":"snapshot","payload":[]}"#, "invalid_value", "payload"),
    BadLine("a payload that is null", #"{"type":"snapshot","payload":null}"#, "invalid_value", "payload"),
    BadLine("an error", #"{"type":"snapshot","error":true}"#, "invalid_value", "error"),
    BadLine("an unknown key at the top", #"{"type":"snapshot","id":1}"#, "unknown_field", "id"),
    BadLine("an empty key at the top", #"{"type":"snapshot","":1}"#, "unknown_field", ""),
    BadLine("a key twice at the top", #"{"type":"snapshot","type":"snapshot"}"#, "invalid_json", "type"),
    BadLine("a key twice by an escape", #"{"type":"snapshot","\u0074ype":"snapshot"}"#, "invalid_json", "type"),
    BadLine("a meta that is a string", #"{"type":"snapshot","meta":"1"}"#, "invalid_value", "meta"),
    BadLine("an unknown key in meta", #"{"type":"snapshot","meta":{"id":1,"time":2}}"#, "unknown_field", "meta.time"),
    BadLine("a meta.id that is true", #"{"type":"snapshot","meta":{"id":true}}"#, "invalid_value", "meta.id"),
    BadLine("a meta.id that is null", #"{"type":"snapshot","meta":{"id":null}}"#, "invalid_value", "meta.id"),
    BadLine("a meta.id with a fraction", #"{"type":"snapshot","meta":{"id":1.5}}"#, "invalid_value", "meta.id"),
    BadLine("a meta.id that is an object", #"{"type":"snapshot","meta":{"id":{}}}"#, "invalid_value", "meta.id"),
    BadLine(
      "a meta.id of 129 bytes", #"{"type":"snapshot","meta":{"id":"\#(long(129))"}}"#, "invalid_value", "meta.id"),
    BadLine("a meta.id of 2^63", #"{"type":"snapshot","meta":{"id":9223372036854775808}}"#, "invalid_value", "meta.id"),
  ]

  private static let selections = [
    BadLine(type: "downloads/pause", "{}", "missing_field", "payload"),
    BadLine(type: "downloads/resume", #"{"id":"a","all":true}"#, "invalid_value", "payload"),
    BadLine(type: "downloads/cancel", #"{"all":false}"#, "invalid_value", "payload.all"),
    BadLine(type: "downloads/cancel", #"{"all":"yes"}"#, "invalid_value", "payload.all"),
    BadLine(type: "downloads/retry", #"{"ids":"a"}"#, "invalid_value", "payload.ids"),
    BadLine(type: "downloads/retry", #"{"ids":["a","b","c","d/e"]}"#, "invalid_value", "payload.ids[3]"),
    BadLine(type: "downloads/retry", #"{"ids":["a",7]}"#, "invalid_value", "payload.ids[1]"),
    BadLine(type: "downloads/pause", #"{"id":"a","deleteFile":true}"#, "unknown_field", "payload.deleteFile"),
    BadLine(type: "downloads/remove", #"{"id":"a","deleteFile":1}"#, "invalid_value", "payload.deleteFile"),
    BadLine(type: "downloads/verify", "{}", "missing_field", "payload"),
    BadLine(type: "downloads/verify", #"{"all":true,"deep":true}"#, "unknown_field", "payload.deep"),
    BadLine(type: "downloads/move", #"{"to":"top"}"#, "missing_field", "payload.id"),
    BadLine(type: "downloads/move", #"{"id":"a"}"#, "missing_field", "payload.to"),
    BadLine(type: "downloads/move", #"{"id":"a","to":"up"}"#, "invalid_value", "payload.to"),
    BadLine(type: "downloads/move", #"{"id":"a","to":"before"}"#, "missing_field", "payload.anchor"),
    BadLine(type: "downloads/move", #"{"id":"a","to":"top","anchor":"b"}"#, "invalid_value", "payload.anchor"),
    BadLine(type: "downloads/update", #"{"title":"x"}"#, "missing_field", "payload.id"),
    BadLine(type: "downloads/update", #"{"id":"a"}"#, "missing_field", "payload"),
    BadLine(type: "downloads/update", #"{"id":"a","path":"b.mp3"}"#, "unknown_field", "payload.path"),
    BadLine(type: "downloads/update", #"{"id":"a","url":"ftp://b"}"#, "unsupported_scheme", "payload.url"),
    BadLine(type: "downloads/resumeData", "{}", "missing_field", "payload.id"),
    BadLine(type: "downloads/resumeData", #"{"all":true}"#, "unknown_field", "payload.all"),
    BadLine(type: "engine/shutdown", #"{"mode":"later"}"#, "invalid_value", "payload.mode"),
    BadLine(type: "engine/shutdown", #"{"force":true}"#, "unknown_field", "payload.force"),
  ]

  private static let settings = [
    BadLine(type: "settings/update", "{}", "missing_field", "payload"),
    BadLine(type: "settings/update", #"{"maxConcurrent":0}"#, "invalid_value", "payload.maxConcurrent"),
    BadLine(type: "settings/update", #"{"maxConcurrent":257}"#, "invalid_value", "payload.maxConcurrent"),
    BadLine(type: "settings/update", #"{"maxConcurrent":"4"}"#, "invalid_value", "payload.maxConcurrent"),
    BadLine(type: "settings/update", #"{"maxConcurrent":4.0}"#, "invalid_value", "payload.maxConcurrent"),
    BadLine(type: "settings/update", #"{"maxPerHost":65}"#, "invalid_value", "payload.maxPerHost"),
    BadLine(type: "settings/update", #"{"maxPerHost":-1}"#, "invalid_value", "payload.maxPerHost"),
    BadLine(type: "settings/update", #"{"stallTimeoutSeconds":86401}"#, "invalid_value", "payload.stallTimeoutSeconds"),
    BadLine(
      type: "settings/update", #"{"firstByteTimeoutSeconds":0}"#, "invalid_value", "payload.firstByteTimeoutSeconds"),
    BadLine(type: "settings/update", #"{"slowBytesPerSecond":-1}"#, "invalid_value", "payload.slowBytesPerSecond"),
    BadLine(
      type: "settings/update", #"{"slowBytesPerSecond":1073741825}"#, "invalid_value", "payload.slowBytesPerSecond"),
    BadLine(type: "settings/update", #"{"slowWindowSeconds":0}"#, "invalid_value", "payload.slowWindowSeconds"),
    BadLine(type: "settings/update", #"{"maxFileBytes":-1}"#, "invalid_value", "payload.maxFileBytes"),
    BadLine(type: "settings/update", #"{"maxFileBytes":1125899906842625}"#, "invalid_value", "payload.maxFileBytes"),
    BadLine(type: "settings/update", #"{"checksum":1}"#, "invalid_value", "payload.checksum"),
    BadLine(
      type: "settings/update", #"{"allowInsecureRedirects":"no"}"#, "invalid_value", "payload.allowInsecureRedirects"),
    BadLine(type: "settings/update", #"{"progressInterval":0}"#, "invalid_value", "payload.progressInterval"),
    BadLine(type: "settings/update", #"{"progressInterval":1e400}"#, "invalid_value", "payload.progressInterval"),
    BadLine(type: "settings/update", #"{"userAgent":""}"#, "invalid_value", "payload.userAgent"),
    BadLine(type: "settings/update", #"{"userAgent":"a\r\nX: y"}"#, "invalid_value", "payload.userAgent"),
    BadLine(type: "settings/update", #"{"cleanupOnStart":"yes"}"#, "invalid_value", "payload.cleanupOnStart"),
    BadLine(type: "settings/update", #"{"cleanupOnStart":null}"#, "invalid_value", "payload.cleanupOnStart"),
    BadLine(type: "settings/update", #"{"orphans":"keep"}"#, "invalid_value", "payload.orphans"),
    BadLine(type: "settings/update", #"{"orphans":null}"#, "invalid_value", "payload.orphans"),
    BadLine(type: "settings/update", #"{"quarantineDays":-1}"#, "invalid_value", "payload.quarantineDays"),
    BadLine(type: "settings/update", #"{"quarantineDays":36501}"#, "invalid_value", "payload.quarantineDays"),
    BadLine(type: "settings/update", #"{"quarantineDays":0.5}"#, "invalid_value", "payload.quarantineDays"),
    BadLine(type: "settings/update", #"{"nameTimeZone":""}"#, "invalid_value", "payload.nameTimeZone"),
    BadLine(type: "settings/update", #"{"nameTimeZone":"../localtime"}"#, "invalid_value", "payload.nameTimeZone"),
    BadLine(type: "settings/update", #"{"nameTimeZone":"+01:00"}"#, "invalid_value", "payload.nameTimeZone"),
    BadLine(type: "settings/update", #"{"portableNames":1}"#, "invalid_value", "payload.portableNames"),
    BadLine(type: "settings/update", #"{"tags":"id3"}"#, "invalid_value", "payload.tags"),
    BadLine(type: "settings/update", #"{"fileTimes":"never"}"#, "invalid_value", "payload.fileTimes"),
    BadLine(type: "settings/update", #"{"MaxConcurrent":4}"#, "unknown_field", "payload.MaxConcurrent"),
  ]

  private static let cleanups = [
    BadLine(type: "cleanup/run", #"{"mode":"now"}"#, "invalid_value", "payload.mode"),
    BadLine(type: "cleanup/run", #"{"mode":null}"#, "invalid_value", "payload.mode"),
    BadLine(type: "cleanup/run", #"{"mode":["plan"]}"#, "invalid_value", "payload.mode"),
    BadLine(type: "cleanup/run", #"{"Mode":"plan"}"#, "unknown_field", "payload.Mode"),
    BadLine(type: "cleanup/run", #"{"mode":"plan","mode":"apply"}"#, "invalid_json", "payload.mode"),
    BadLine(type: "cleanup/run", #"{"missing":"delete"}"#, "invalid_value", "payload.missing"),
    BadLine(type: "cleanup/run", #"{"missing":""}"#, "invalid_value", "payload.missing"),
    BadLine(type: "cleanup/run", #"{"missing":true}"#, "invalid_value", "payload.missing"),
    BadLine(type: "cleanup/run", #"{"orphans":"forget"}"#, "invalid_value", "payload.orphans"),
    BadLine(type: "cleanup/run", #"{"orphans":7}"#, "invalid_value", "payload.orphans"),
    BadLine(type: "cleanup/run", #"{"deep":1}"#, "invalid_value", "payload.deep"),
    BadLine(type: "cleanup/run", #"{"deep":"true"}"#, "invalid_value", "payload.deep"),
    BadLine(type: "cleanup/run", #"{"deep":null}"#, "invalid_value", "payload.deep"),
    BadLine(type: "cleanup/run", #"{"all":true}"#, "unknown_field", "payload.all"),
    BadLine(type: "cleanup/run", "[]", "invalid_value", "payload"),
    BadLine(type: "cleanup/cancel", #"{"run":1}"#, "unknown_field", "payload.run"),
    BadLine(type: "cleanup/cancel", #""all""#, "invalid_value", "payload"),
    BadLine(type: "cleanup/plan", "{}", "unknown_action", "type"),
  ]

  private static let queries = [
    BadLine(type: "snapshot", #"{"stores":"downloads"}"#, "invalid_value", "payload.stores"),
    BadLine(type: "snapshot", #"{"stores":["engine","rules"]}"#, "invalid_value", "payload.stores[1]"),
    BadLine(type: "snapshot", #"{"stores":[null]}"#, "invalid_value", "payload.stores[0]"),
    BadLine(type: "snapshot", #"{"rules":{}}"#, "unknown_field", "payload.rules"),
    BadLine(type: "snapshot", #"{"downloads":[]}"#, "invalid_value", "payload.downloads"),
    BadLine(type: "snapshot", #"{"downloads":{"limit":0}}"#, "invalid_value", "payload.downloads.limit"),
    BadLine(type: "snapshot", #"{"downloads":{"limit":1001}}"#, "invalid_value", "payload.downloads.limit"),
    BadLine(type: "snapshot", #"{"downloads":{"limit":1e2}}"#, "invalid_value", "payload.downloads.limit"),
    BadLine(type: "snapshot", #"{"downloads":{"after":""}}"#, "invalid_value", "payload.downloads.after"),
    BadLine(type: "snapshot", #"{"downloads":{"after":"+7"}}"#, "invalid_value", "payload.downloads.after"),
    BadLine(type: "snapshot", #"{"downloads":{"after":"07"}}"#, "invalid_value", "payload.downloads.after"),
    BadLine(type: "snapshot", #"{"downloads":{"after":"' OR 1=1"}}"#, "invalid_value", "payload.downloads.after"),
    BadLine(
      type: "snapshot", #"{"downloads":{"after":"zzzzzzzzzzzzzzzzz"}}"#, "invalid_value", "payload.downloads.after"),
    BadLine(type: "snapshot", #"{"downloads":{"after":null}}"#, "invalid_value", "payload.downloads.after"),
    BadLine(type: "snapshot", #"{"cleanup":true}"#, "invalid_value", "payload.cleanup"),
    BadLine(type: "snapshot", #"{"cleanup":{"limit":1001}}"#, "invalid_value", "payload.cleanup.limit"),
    BadLine(type: "snapshot", #"{"cleanup":{"limit":"9"}}"#, "invalid_value", "payload.cleanup.limit"),
    BadLine(type: "snapshot", #"{"cleanup":{"after":7}}"#, "invalid_value", "payload.cleanup.after"),
    BadLine(type: "snapshot", #"{"cleanup":{"after":"-0"}}"#, "invalid_value", "payload.cleanup.after"),
    BadLine(type: "snapshot", #"{"cleanup":{"run":1}}"#, "unknown_field", "payload.cleanup.run"),
  ]

  private static let refusedByEngine = [
    BadLine(type: "downloads/pause", #"{"id":"absent"}"#, "not_found", "payload.id", byEngine: true),
    BadLine(type: "downloads/resume", #"{"id":"absent"}"#, "not_found", "payload.id", byEngine: true),
    BadLine(type: "downloads/cancel", #"{"id":"absent"}"#, "not_found", "payload.id", byEngine: true),
    BadLine(type: "downloads/retry", #"{"id":"absent"}"#, "not_found", "payload.id", byEngine: true),
    BadLine(type: "downloads/remove", #"{"id":"absent"}"#, "not_found", "payload.id", byEngine: true),
    BadLine(type: "downloads/verify", #"{"id":"absent"}"#, "not_found", "payload.id", byEngine: true),
    BadLine(type: "downloads/move", #"{"id":"absent","to":"top"}"#, "not_found", "payload.id", byEngine: true),
    BadLine(type: "downloads/update", #"{"id":"absent","title":"x"}"#, "not_found", "payload.id", byEngine: true),
    BadLine(type: "downloads/resumeData", #"{"id":"absent"}"#, "not_found", "payload.id", byEngine: true),
    BadLine(type: "feeds/unsubscribe", #"{"id":"absent"}"#, "not_found", "payload.id", byEngine: true),
    BadLine(type: "feeds/update", #"{"id":"absent","title":"x"}"#, "not_found", "payload.id", byEngine: true),
    BadLine(type: "feeds/refresh", #"{"id":"absent"}"#, "not_found", "payload.id", byEngine: true),
    BadLine(type: "feeds/import", #"{"opml":"no list"}"#, "invalid_value", "payload.opml", byEngine: true),
    BadLine(type: "episodes/download", #"{"id":"e42"}"#, "not_found", "payload.id", byEngine: true),
    BadLine(type: "episodes/mark", #"{"id":"e42","played":true}"#, "not_found", "payload.id", byEngine: true),
    BadLine(type: "filters/apply", #"{"name":"absent"}"#, "not_found", "payload.name", byEngine: true),
    BadLine(type: "filters/delete", #"{"name":"absent"}"#, "not_found", "payload.name", byEngine: true),
    BadLine(
      type: "settings/update", #"{"retryFirstSeconds":60,"retryMaxSeconds":5}"#, "invalid_value",
      "payload.retryFirstSeconds",
      byEngine: true),
  ]
}

/// Parts of the lines.
extension BadLines {
  static func long(_ count: Int) -> String {
    String(repeating: "a", count: count)
  }

  private static func bytes(_ before: String, _ bad: [UInt8], _ after: String) -> [UInt8] {
    Array(before.utf8) + bad + Array(after.utf8)
  }

  /// A valid line, except for its length.
  private static func padded(toBytes count: Int) -> [UInt8] {
    let line = Array(#"{"type":"snapshot"}"#.utf8)
    return line + [UInt8](repeating: UInt8(ascii: " "), count: count - line.count)
  }

  /// Nested arrays inside the two objects of a line.
  private static func nested(_ depth: Int) -> String {
    let arrays = String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
    return #"{"type":"snapshot","payload":{"stores":\#(arrays)}}"#
  }

  private static func selection(ids: [String]) -> String {
    #"{"type":"downloads/pause","payload":{"ids":[\#(ids.joined(separator: ","))]}}"#
  }
}
