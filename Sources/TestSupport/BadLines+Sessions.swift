/// Lines about sessions.
extension BadLines {
  static let sessions = [
    BadLine(type: "sessions/open", "{}", "missing_field", "payload.kind"),
    BadLine(type: "sessions/open", #"{"kind":"none"}"#, "missing_field", "payload.hosts", byEngine: true),
    BadLine(type: "sessions/open", #"{"hosts":[],"kind":"none"}"#, "invalid_value", "payload.hosts"),
    BadLine(type: "sessions/open", #"{"hosts":["a/b"],"kind":"none"}"#, "invalid_value", "payload.hosts[0]"),
    BadLine(type: "sessions/open", #"{"hosts":["me@a"],"kind":"none"}"#, "invalid_value", "payload.hosts[0]"),
    BadLine(type: "sessions/open", #"{"hosts":["a"],"kind":"ntlm"}"#, "invalid_value", "payload.kind"),
    BadLine(type: "sessions/open", #"{"hosts":["a"]}"#, "missing_field", "payload.kind"),
    BadLine(
      type: "sessions/open", #"{"hosts":["a"],"kind":"none","password":"x"}"#, "unknown_field", "payload.password"),
    BadLine(
      type: "sessions/open", #"{"hosts":["a"],"kind":"bearer","secret":"a","netrc":true}"#, "invalid_value", "payload"),
    BadLine(
      type: "sessions/open", #"{"hosts":["a"],"kind":"bearer","secretFile":"token"}"#, "invalid_value",
      "payload.secretFile"),
    BadLine(
      type: "sessions/open", #"{"hosts":["a"],"kind":"bearer","secret":""}"#, "invalid_value", "payload.secret"),
    BadLine(
      type: "sessions/open", #"{"hosts":["a"],"kind":"refreshing","tokenURL":"ftp://a/"}"#, "unsupported_scheme",
      "payload.tokenURL"),
    BadLine(
      type: "sessions/open", #"{"hosts":["a"],"kind":"parameter","parameter":"a=b"}"#, "invalid_value",
      "payload.parameter"),
    BadLine(type: "sessions/open", #"{"hosts":["a"],"kind":"none","netrc":false}"#, "invalid_value", "payload.netrc"),
    BadLine(type: "sessions/close", "{}", "missing_field", "payload.id"),
    BadLine(type: "sessions/close", #"{"id":".s"}"#, "invalid_value", "payload.id"),
    BadLine(type: "sessions/close", #"{"id":"s","forget":1}"#, "invalid_value", "payload.forget"),
    BadLine(type: "sessions/list", #"{"id":"s"}"#, "unknown_field", "payload.id"),
    BadLine(
      type: "downloads/enqueue", #"{"url":"https://a/","session":"s","auth":{"kind":"none"}}"#, "invalid_value",
      "payload"),
    BadLine(type: "feeds/subscribe", #"{"url":"https://a/","auth":{}}"#, "missing_field", "payload.auth.kind"),
    BadLine(
      type: "feeds/update", #"{"id":"f","auth":{"kind":"basic","hosts":["a"]}}"#, "unknown_field", "payload.auth.hosts"),
  ]
}
