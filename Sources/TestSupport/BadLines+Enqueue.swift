import Foundation

/// Invalid enqueues.
extension BadLines {
  static let enqueues = [
    BadLine(type: "downloads/enqueue", "{}", "missing_field", "payload.url"),
    BadLine(enqueue: "a misspelt key", #""titel":"x""#, "unknown_field", "payload.titel"),
    BadLine(enqueue: "a key of 100,000 bytes", #""\#(long(100_000))":1"#, "unknown_field", "payload." + long(64) + "…"),
    BadLine(enqueue: "mirrors that are no list", #""mirrors":"http://a.example""#, "invalid_value", "payload.mirrors"),
    BadLine(
      enqueue: "a mirror that is no web address", #""mirrors":["http://a.example/1","ftp://a.example/1"]"#,
      "unsupported_scheme", "payload.mirrors[1]"),
    BadLine(enqueue: "a network of no such name", #""network":"wifi""#, "invalid_value", "payload.network"),
    BadLine(enqueue: "an integrity that is none", #""integrity":"md5-x""#, "invalid_value", "payload.integrity"),
    BadLine(enqueue: "the URL twice", #""url":"https://example.org/b""#, "invalid_json", "payload.url"),
    BadLine(enqueue: "an empty id", #""id":"""#, "invalid_value", "payload.id"),
    BadLine(enqueue: "an id of 129 bytes", #""id":"\#(long(129))""#, "invalid_value", "payload.id"),
    BadLine(enqueue: "an enormous id", #""id":"\#(long(500_000))""#, "invalid_value", "payload.id"),
    BadLine(enqueue: "an id with a slash", #""id":"a/b""#, "invalid_value", "payload.id"),
    BadLine(enqueue: "an id with a leading dot", #""id":".hidden""#, "invalid_value", "payload.id"),
    BadLine(enqueue: "an id with a NUL", #""id":"a\u0000b""#, "invalid_value", "payload.id"),
    BadLine(enqueue: "an id beyond ASCII", #""id":"é""#, "invalid_value", "payload.id"),
    BadLine(enqueue: "an id that is a number", #""id":7"#, "invalid_value", "payload.id"),
    BadLine(enqueue: "a title with a NUL", #""title":"a\u0000b""#, "invalid_value", "payload.title"),
    BadLine(enqueue: "a title with a line feed", #""title":"a\nb""#, "invalid_value", "payload.title"),
    BadLine(enqueue: "a title with a C1 control", #""title":"a\u0085b""#, "invalid_value", "payload.title"),
    BadLine(enqueue: "a title that is too long", #""title":"\#(long(1025))""#, "invalid_value", "payload.title"),
    BadLine(enqueue: "a title that is null", #""title":null"#, "invalid_value", "payload.title"),
    BadLine(enqueue: "a podcast that is a list", #""podcast":["x"]"#, "invalid_value", "payload.podcast"),
    BadLine(enqueue: "an unknown priority", #""priority":"urgent""#, "invalid_value", "payload.priority"),
    BadLine(enqueue: "a priority that is a number", #""priority":1"#, "invalid_value", "payload.priority"),
    BadLine(enqueue: "an unknown origin", #""origin":"cron""#, "invalid_value", "payload.origin"),
    BadLine(enqueue: "paused as text", #""paused":"true""#, "invalid_value", "payload.paused"),
    BadLine(enqueue: "paused as a number", #""paused":1"#, "invalid_value", "payload.paused"),
    BadLine(enqueue: "a negative length", #""length":-1"#, "invalid_value", "payload.length"),
    BadLine(enqueue: "a length as text", #""length":"1""#, "invalid_value", "payload.length"),
    BadLine(enqueue: "a length that is true", #""length":true"#, "invalid_value", "payload.length"),
    BadLine(enqueue: "a length with a fraction", #""length":1.5"#, "invalid_value", "payload.length"),
    BadLine(enqueue: "a length of 1e400", #""length":1e400"#, "invalid_value", "payload.length"),
    BadLine(enqueue: "a length of 2^53 + 1", #""length":9007199254740993"#, "invalid_value", "payload.length"),
    BadLine(enqueue: "a length of 2^63", #""length":9223372036854775808"#, "invalid_value", "payload.length"),
    BadLine(
      enqueue: "a date without a zone", #""published":"2026-11-21T03:00:00""#, "invalid_value", "payload.published"),
    BadLine(
      enqueue: "a date of RFC 822", #""published":"21 Nov 2026 03:00 GMT""#, "invalid_value", "payload.published"),
    BadLine(enqueue: "30 February", #""published":"2026-02-30T03:00:00Z""#, "invalid_value", "payload.published"),
    BadLine(enqueue: "25 o'clock", #""published":"2026-11-21T25:00:00Z""#, "invalid_value", "payload.published"),
    BadLine(
      enqueue: "a date with a tail", #""published":"2026-11-21T03:00:00Zzz""#, "invalid_value", "payload.published"),
    BadLine(enqueue: "a date that is a number", #""published":1795230000"#, "invalid_value", "payload.published"),
  ]

  static let addresses = [
    BadLine(url: "file:///etc/passwd", "unsupported_scheme"),
    BadLine(url: "ftp://example.org/a.mp3", "unsupported_scheme"),
    BadLine(url: "javascript:alert(1)", "unsupported_scheme"),
    BadLine(url: "data:audio/mpeg;base64,AAAA", "unsupported_scheme"),
    BadLine(url: "gopher://example.org/1", "unsupported_scheme"),
    BadLine(url: "feed:https://example.org/a.mp3", "unsupported_scheme"),
    BadLine(url: ""),
    BadLine(url: "example.org/a.mp3"),
    BadLine(url: "//example.org/a.mp3"),
    BadLine(url: "https:///a.mp3"),
    BadLine(url: "https://"),
    BadLine(url: "https://user@/a.mp3"),
    BadLine(url: "https://example.org:99999/a.mp3"),
    BadLine(url: "https://exa mple.org/a.mp3"),
    BadLine(url: "https://exa%20mple.org/a.mp3"),
    BadLine(url: "https://exa<mple>.org/a.mp3"),
    BadLine(url: "https://a@b@example.org/a.mp3"),
    BadLine(url: "https://[::1::2]/a.mp3"),
    BadLine(url: "https://[example.org]/a.mp3"),
    BadLine(url: "https://[fe80::1%25eth0]/a.mp3"),
    BadLine(url: "https://example.org/a b.mp3"),
    BadLine(url: "https://example.org/a\\u0000.mp3"),
    BadLine(url: "https://example.org/a\\r\\nX-Evil: 1"),
    BadLine(url: "https://example.org\\\\a.mp3"),
    BadLine(url: "https://example.org/" + long(8192)),
    BadLine(type: "downloads/enqueue", #"{"url":null}"#, "invalid_value", "payload.url"),
    BadLine(type: "downloads/enqueue", #"{"url":["https://example.org/"]}"#, "invalid_value", "payload.url"),
  ]

  static let paths = [
    BadLine(path: "climbs out", "../a.mp3"),
    BadLine(path: "climbs out from inside", "Show/../../a.mp3"),
    BadLine(path: "is absolute", "/etc/passwd"),
    BadLine(path: "names the engine's folder", ".podflux/library.sqlite"),
    BadLine(path: "has a hidden component", "Show/.hidden/a.mp3"),
    BadLine(path: "has a backslash", "Show\\\\..\\\\a.mp3"),
    BadLine(path: "has a NUL", "a\\u0000.mp3"),
    BadLine(path: "has a line feed", "a\\n.mp3"),
    BadLine(path: "turns the direction of text", "a\\u202e3pm.exe"),
    BadLine(path: "is empty", ""),
    BadLine(path: "has an empty component", "Show//a.mp3"),
    BadLine(path: "ends with a slash", "Show/"),
    BadLine(path: "has a component of 256 bytes", long(256)),
    BadLine(path: "is longer than 4096 bytes", Array(repeating: long(200), count: 21).joined(separator: "/")),
    BadLine(path: "has 17 components", Array(repeating: "a", count: 17).joined(separator: "/")),
    BadLine(enqueue: "a path that is a number", #""path":7"#, "invalid_value", "payload.path"),
  ]

  static let headers = [
    header("X-Evil", #""a\r\nHost: b""#),
    header("X-NUL", #""a\u0000b""#),
    header("X-Number", "1"),
    header("X-Long", "\"" + long(8193) + "\""),
    header("Range", #""bytes=0-""#),
    header("if-range", #""x""#),
    header("ACCEPT-ENCODING", #""gzip""#),
    header("Host", #""example.com""#),
    header("Content-Length", #""1""#),
    header("Transfer-Encoding", #""chunked""#),
    header("Connection", #""close""#),
    header("Expect", #""100-continue""#),
    header("upgrade", #""h2c""#),
    header("TE", #""trailers""#),
    header("Trailer", #""X-Sum""#),
    header("Keep-Alive", #""timeout=5""#),
    header("Proxy-Connection", #""close""#),
    headerName("X Y"), headerName(""), headerName("Ünicode"), headerName("Authorization: Bearer secret"),
    BadLine(enqueue: "a header twice", #""headers":{"X-A":"1","x-a":"2"}"#, "invalid_value", "payload.headers.x-a"),
    BadLine(enqueue: "headers as a list", #""headers":[{"name":"X-A"}]"#, "invalid_value", "payload.headers"),
    BadLine(
      enqueue: "65 headers", #""headers":{\#((0...64).map { #""X-\#($0)":"1""# }.joined(separator: ","))}"#,
      "limit_exceeded", "payload.headers"),
  ]

  static let resumeData = [
    imported("which is no base64", "***"),
    imported("which is empty", ""),
    imported("which lacks its padding", "e30"),
    imported("which is no JSON", base64("hello")),
    imported("which is an array", base64("[]")),
    imported("which has no version", base64("{}")),
    imported("of a later version", base64(record(version: "3"))),
    imported("of more bytes than the file has", base64(record(durable: "11"))),
    imported("of less than nothing", base64(record(durable: "-1"))),
    imported("of a file on this machine", base64(record(url: "file:///etc/passwd"))),
    imported("with a hash that is none", base64(record(tailHash: "xyz"))),
    imported("with a weak entity tag", base64(record(more: #","strongETag":"W/\"a\"""#))),
    imported("with a header in its date", base64(record(more: #","lastModified":"a\r\nb""#))),
    imported("with a field of its own", base64(record(more: #","shell":"rm""#))),
    imported("of 100,000 bytes", String(repeating: "AAAA", count: 25_000)),
    BadLine(enqueue: "resume data that are an object", #""resumeData":{}"#, "invalid_value", "payload.resumeData"),
  ]
}

/// Parts of the lines.
extension BadLines {
  private static func header(_ name: String, _ value: String) -> BadLine {
    BadLine(
      enqueue: "the header \"\(name)\"", #""headers":{"\#(name)":\#(value)}"#, "invalid_value",
      "payload.headers.\(name)")
  }

  /// The refusal of an invalid header name does not repeat it: it may be a secret.
  private static func headerName(_ name: String) -> BadLine {
    BadLine(
      enqueue: "the header name \"\(name)\"", #""headers":{"\#(name)":"1"}"#, "invalid_value", "payload.headers")
  }

  private static func imported(_ name: String, _ text: String) -> BadLine {
    BadLine(enqueue: "resume data " + name, #""resumeData":"\#(text)""#, "invalid_value", "payload.resumeData")
  }

  private static func base64(_ text: String) -> String {
    Data(text.utf8).base64EncodedString()
  }

  /// A valid record of ten bytes, with changes.
  private static func record(
    version: String = "1", durable: String = "10", url: String = "https://example.org/a.mp3",
    tailHash: String = String(repeating: "0", count: 64), more: String = ""
  ) -> String {
    #"{"version":\#(version),"url":"\#(url)","total":10,"durable":\#(durable),"tailHash":"\#(tailHash)","#
      + #""bootID":"b","savedAt":0\#(more)}"#
  }
}
