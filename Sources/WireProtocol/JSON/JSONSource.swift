/// The origin of the JSON, as messages call it.
enum JSONSource {
  /// A line that a program has sent.
  case line
  /// An argument of a command, which a person has typed.
  case argument

  var name: String {
    switch self {
    case .line: "the line"
    case .argument: "the query"
    }
  }

  /// What would be right where something else than an object stands.
  var advice: String {
    switch self {
    case .line: "send one JSON object such as {\"type\":\"snapshot\"}"
    case .argument: "it is to be one JSON object"
    }
  }

  /// What would be right where nothing stands.
  var adviceOnNothing: String {
    switch self {
    case .line: "send one JSON object on each line"
    case .argument: "it is to be one JSON object"
    }
  }

  /// Says what stands at a position: programs count bytes, people characters.
  func place(of position: Int, in bytes: [UInt8]) -> String {
    guard position < bytes.count else { return "\(name) ends" }
    switch self {
    case .line: return "byte \(position + 1) of \(name) stands"
    case .argument:
      return "character \(String(decoding: bytes[..<position], as: UTF8.self).count + 1) of \(name) stands"
    }
  }
}
