/// A line that must be refused, and the expected refusal.
package struct BadLine: Sendable, CustomStringConvertible {
  /// The error in it, unique in the table.
  package let name: String
  /// The line without its line feed; it may be invalid UTF-8.
  package let bytes: [UInt8]
  /// The refusal's code (see the article Protocol).
  package let code: String
  /// The refusal's path; nil if it has none.
  package let path: String?
  /// Whether the line is well-formed, and only an engine with a new library refuses it.
  package let isRefusedByEngine: Bool

  package var description: String { name }

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

  /// An enqueue of a valid URL with one invalid member.
  init(enqueue name: String, _ member: String, _ code: String, _ path: String?) {
    let text = #"{"type":"downloads/enqueue","payload":{"url":"https://example.org/a.mp3",\#(member)}}"#
    self.init(name, text, code, path)
  }

  /// An enqueue of an invalid URL.
  init(url: String, _ code: String = "invalid_value") {
    let text = #"{"type":"downloads/enqueue","payload":{"url":"\#(url)"}}"#
    self.init("the URL " + url.prefix(40), text, code, "payload.url")
  }

  /// An enqueue with an invalid path.
  init(path name: String, _ path: String) {
    self.init(enqueue: "a path that " + name, #""path":"\#(path)""#, "unsafe_path", "payload.path")
  }

  /// A line of this type with an invalid payload.
  init(type: String, _ payload: String, _ code: String, _ path: String?, byEngine: Bool = false) {
    self.init(
      "\(type) with \(payload.prefix(60))", #"{"type":"\#(type)","payload":\#(payload)}"#, code, path,
      byEngine: byEngine)
  }
}
