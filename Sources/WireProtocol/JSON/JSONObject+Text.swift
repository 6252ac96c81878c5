import PodfluxCore

/// JSON that another program has written, as a client reads it, and gives it on.
extension JSONObject {
  /// Reads a line without its line feed: strictly, with each key once and bounded nesting.
  ///
  /// - Throws: `Refusal`, which says what is wrong with it.
  package init(line: [UInt8]) throws(Refusal) {
    var reader = JSONReader(line)
    let document = reader.readDocument()
    if let fault = document.fault { throw fault }
    self = document.object
  }

  /// An object of these members; of equal keys the first counts.
  package init(_ members: some Sequence<Member>) {
    self.init()
    for member in members { _ = insert(member.value, for: member.key) }
  }

  /// The object as a line, without its line feed; its members stand in their own order.
  package var line: [UInt8] {
    var writer = JSONWriter()
    writer.value(.object(self))
    return writer.bytes
  }
}

extension JSONValue {
  /// Reads a value that a person has typed; nil if it is no JSON.
  package init?(typed text: String) {
    guard let object = try? JSONObject(line: Array("{\"value\":\(text)}".utf8)), object.members.count == 1,
      let value = object["value"]
    else { return nil }
    self = value
  }

  /// A text without its quotes, and JSON otherwise.
  package var plainText: String {
    if case .string(let text) = self { return text }
    var writer = JSONWriter()
    writer.value(self)
    return String(decoding: writer.bytes, as: UTF8.self)
  }
}

extension JSONWriter {
  /// Any value; a number that is infinite is null.
  fileprivate mutating func value(_ value: JSONValue) {
    switch value {
    case .null: self.value(nil as Int64?)
    case .boolean(let value): self.value(value)
    case .integer(let value): self.value(value)
    case .number(let value): if value.isFinite { self.value(value) } else { self.value(nil as Int64?) }
    case .string(let value): element(value)
    case .array(let values): elements(values) { $1.value($0) }
    case .object(let object):
      self.object { members in
        for member in object.members {
          members.key(escaping: member.key)
          members.value(member.value)
        }
      }
    }
  }
}
