import PodfluxCore

/// Rules as a feed's item has them, for clients.
extension FeedRules {
  /// What an engine shows, and reads.
  package func json() throws(Refusal) -> JSONObject {
    var writer = JSONWriter()
    var rules = self
    writer.object { rules.exchange(with: &$0) }
    return try JSONObject(line: writer.bytes)
  }

  /// Reads what an engine shows.
  package init(shown object: JSONObject) throws(Refusal) {
    self = try ValueForm<FeedRules>.object.read(
      Field(value: .object(object), container: "", part: .key("rules")))
  }
}
