import PodfluxCore

/// One part of the path to a value inside a line: a key or an index.
enum JSONPathPart: Hashable {
  case key(String)
  case index(Int)

  /// The path with this part appended to `path`, as a refusal shows it: `payload.ids[3]`.
  func appended(to path: String) -> String {
    switch self {
    case .key(let key): path.isEmpty ? key.clipped : path + "." + key.clipped
    case .index(let index): path + "[\(index)]"
    }
  }
}

extension String {
  /// How many bytes of a client's own text a refusal repeats at most, for each key or value.
  private static let clippedBytes = 64

  /// The text, or its beginning if it is long: what a client sends must not come back without bound.
  var clipped: String {
    utf8.count > Self.clippedBytes ? cut(toBytes: Self.clippedBytes) + "…" : self
  }
}
