/// A line that must be refused, and how.
public struct BadLine: Sendable, CustomStringConvertible {
  /// What is wrong with it, unique in the table.
  public let name: String
  /// The line without its line feed; it may be no text at all.
  public let bytes: [UInt8]
  /// The refusal's code (the article Protocol).
  public let code: String
  /// The refusal's path; nil if it has none.
  public let path: String?
  /// Whether the line is well-formed, and only an engine with a fresh library refuses it.
  public let isRefusedByEngine: Bool

  /// The name.
  public var description: String { name }

  init(_ name: String, _ bytes: some Sequence<UInt8>, _ code: String, _ path: String? = nil, byEngine: Bool = false) {
    self.name = name
    self.bytes = Array(bytes)
    self.code = code
    self.path = path
    isRefusedByEngine = byEngine
  }

  /// A line of text.
  init(
    _ name: String, _ text: String, _ code: String, _ path: String? = nil, byEngine: Bool = false
  ) {
    self.init(name, text.utf8, code, path, byEngine: byEngine)
  }

  /// An enqueue of a good URL, with one more member that is bad.
  init(enqueue name: String, _ member: String, _ code: String, _ path: String?) {
    let text = #"{"type":"downloads/enqueue","payload":{"url":"https://example.org/a.mp3",\#(member)}}"#
    self.init(name, text, code, path)
  }

  /// An enqueue of a bad URL.
  init(url: String, _ code: String = "invalid_value") {
    let text = #"{"type":"downloads/enqueue","payload":{"url":"\#(url)"}}"#
    self.init("the URL " + url.prefix(40), text, code, "payload.url")
  }

  /// An enqueue of a bad destination.
  init(path name: String, _ path: String) {
    self.init(enqueue: "a path that " + name, #""path":"\#(path)""#, "unsafe_path", "payload.path")
  }

  /// A line of this type with a bad payload.
  init(type: String, _ payload: String, _ code: String, _ path: String?, byEngine: Bool = false) {
    self.init(
      "\(type) with \(payload.prefix(60))", #"{"type":"\#(type)","payload":\#(payload)}"#, code, path,
      byEngine: byEngine)
  }
}
