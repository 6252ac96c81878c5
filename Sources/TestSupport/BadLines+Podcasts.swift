/// Lines about feeds and episodes.
extension BadLines {
  static let podcasts = [
    BadLine(type: "feeds/subscribe", "{}", "missing_field", "payload.url"),
    BadLine(type: "feeds/subscribe", #"{"url":"ftp://x.example/"}"#, "unsupported_scheme", "payload.url"),
    BadLine(type: "feeds/subscribe", #"{"url":"feed:ftp://x.example/"}"#, "unsupported_scheme", "payload.url"),
    BadLine(type: "feeds/subscribe", #"{"url":"rss://x.example/"}"#, "unsupported_scheme", "payload.url"),
    BadLine(type: "feeds/subscribe", #"{"url":"https://x.example/","id":".a"}"#, "invalid_value", "payload.id"),
    BadLine(
      type: "feeds/subscribe", #"{"url":"https://x.example/","userAgent":"a\nb"}"#, "invalid_value",
      "payload.userAgent"),
    BadLine(
      type: "feeds/subscribe", #"{"url":"https://x.example/","rules":{"keep":{"newest":0}}}"#, "invalid_value",
      "payload.rules.keep.newest"),
    BadLine(
      type: "feeds/update", #"{"id":"f","rules":{"autoDownload":{"newest":"3"}}}"#, "invalid_value",
      "payload.rules.autoDownload.newest"),
    BadLine(type: "rules/plan", #"{"id":"f"}"#, "missing_field", "payload.rules"),
    BadLine(type: "rules/plan", #"{"id":"f","rules":{},"feed":"f"}"#, "unknown_field", "payload.feed"),
    BadLine(type: "feeds/unsubscribe", "{}", "missing_field", "payload.id"),
    BadLine(type: "feeds/update", #"{"id":"a"}"#, "missing_field", "payload"),
    BadLine(type: "feeds/refresh", "{}", "missing_field", "payload"),
    BadLine(type: "feeds/refresh", #"{"id":"a","all":true}"#, "invalid_value", "payload"),
    BadLine(type: "feeds/refresh", #"{"all":false}"#, "invalid_value", "payload.all"),
    BadLine(type: "feeds/import", "{}", "missing_field", "payload"),
    BadLine(type: "feeds/import", #"{"opml":1}"#, "invalid_value", "payload.opml"),
    BadLine(type: "feeds/export", #"{"secrets":1}"#, "invalid_value", "payload.secrets"),
    BadLine(type: "feeds/preview", "{}", "missing_field", "payload.url"),
    BadLine(type: "feeds/preview", #"{"url":"ftp://x/"}"#, "unsupported_scheme", "payload.url"),
    BadLine(type: "feeds/preview", #"{"url":"http://x/","id":"a"}"#, "unknown_field", "payload.id"),
    BadLine(type: "episodes/download", "{}", "missing_field", "payload"),
    BadLine(type: "episodes/download", #"{"all":true}"#, "unknown_field", "payload.all"),
    BadLine(type: "episodes/download", #"{"id":"42"}"#, "invalid_value", "payload.id"),
    BadLine(type: "episodes/download", #"{"id":"e042"}"#, "invalid_value", "payload.id"),
    BadLine(type: "episodes/mark", #"{"id":"e1"}"#, "missing_field", "payload"),
    BadLine(type: "episodes/mark", #"{"id":"e1","played":1}"#, "invalid_value", "payload.played"),
    BadLine(
      type: "episodes/mark", #"{"where":{"origin":"user"},"played":true}"#, "unknown_field", "payload.where.origin"),
    BadLine(type: "snapshot", #"{"feeds":{"sort":"size"}}"#, "invalid_value", "payload.feeds.sort"),
    BadLine(type: "snapshot", #"{"feeds":{"where":{"feed":"a"}}}"#, "unknown_field", "payload.feeds.where.feed"),
    BadLine(type: "snapshot", #"{"feeds":{"unfiltered":true}}"#, "unknown_field", "payload.feeds.unfiltered"),
    BadLine(type: "snapshot", #"{"episodes":{"limit":1001}}"#, "invalid_value", "payload.episodes.limit"),
    BadLine(type: "snapshot", #"{"episodes":{"after":"x"}}"#, "invalid_value", "payload.episodes.after"),
    BadLine(type: "snapshot", #"{"episodes":{"fields":["url"]}}"#, "invalid_value", "payload.episodes.fields[0]"),
    BadLine(
      type: "snapshot", #"{"episodes":{"where":{"any":[]}}}"#, "invalid_value", "payload.episodes.where.any"),
    BadLine(type: "observe", #"{"episodes":{"fields":["title"]}}"#, "invalid_value", "payload.episodes.fields"),
    BadLine(type: "observe", #"{"feeds":{"after":"-title.1"}}"#, "invalid_value", "payload.feeds.after"),
  ]
}
