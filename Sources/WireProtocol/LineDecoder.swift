import PodfluxCore

/// Reads clients' lines (the article Protocol): strictly, so that a typo is never ignored.
///
/// A line that cannot be carried out as it stands is refused as a whole, with the first fault that was found. Messages
/// repeat no header values, no URLs and no more than a few bytes of anything else that a client sent.
package struct LineDecoder: Sendable {
  /// The longest line, in bytes, without its line feed.
  package static let maximumLineBytes = 1 << 20

  /// Makes a decoder; it keeps nothing from line to line.
  package init() {}

  /// Reads one line without its line feed. Cost: linear in its length.
  package func decode(_ line: UnsafeRawBufferPointer, number: Int) -> DecodedLine {
    guard line.count <= Self.maximumLineBytes else { return tooLong(number: number) }
    return decode([UInt8](line), number: number)
  }

  /// Reads one line without its line feed. Cost: linear in its length.
  package func decode(_ line: [UInt8], number: Int) -> DecodedLine {
    guard line.count <= Self.maximumLineBytes else { return tooLong(number: number) }
    var reader = JSONReader(line)
    let document = reader.readDocument()
    return DecodedLine(
      number: number, id: Envelope.requestID(in: document.object),
      content: Result { () throws(Refusal) in
        if let fault = document.fault { throw fault }
        return try Request(Envelope(document.object))
      })
  }

  /// What a line becomes that the reader had to cut off.
  package func tooLong(number: Int) -> DecodedLine {
    DecodedLine(
      number: number, id: nil,
      content: .failure(
        Refusal(.lineTooLong, "the line is longer than \(Self.maximumLineBytes) bytes; send several shorter ones")))
  }
}

extension SnapshotQuery {
  /// Reads a query's payload by itself, as a person types it as an argument of a command. Cost: linear in its length.
  ///
  /// - Throws: `Refusal`; its message counts and names what it speaks of as the person did: in characters, from the
  ///   argument's beginning.
  package init(argument: String) throws(Refusal) {
    var reader = JSONReader(Array(argument.utf8), from: .argument)
    let document = reader.readDocument()
    if let fault = document.fault { throw fault }
    try self.init(document.object, at: "")
  }
}

/// The envelope of a line: its checked outer members, and its payload as it came.
struct Envelope {
  let type: String
  let payload: JSONObject

  init(_ object: JSONObject) throws(Refusal) {
    let fields = try Fields(object, at: "", knowing: ["type", "payload", "error", "meta"])
    if let error = fields["error"], error.value != .boolean(false) {
      throw error.mustBe("left out: only replies are errors")
    }
    type = try fields.required("type").string()
    payload = try fields["payload"]?.object() ?? JSONObject()
    if let meta = fields["meta"] {
      let fields = try Fields(meta.object(), at: "meta", knowing: ["id"])
      _ = try fields["id"]?.requestID()
    }
  }

  /// The line's `meta.id` if it is one, even if the rest of the line is invalid.
  static func requestID(in object: JSONObject) -> RequestID? {
    guard case .object(let meta) = object["meta"], let id = meta["id"] else { return nil }
    return try? Field(value: id, container: "meta", part: .key("id")).requestID()
  }
}

extension Field {
  fileprivate func requestID() throws(Refusal) -> RequestID {
    switch value {
    case .integer(let integer): return .integer(integer)
    case .string(let string) where string.utf8.count <= RequestID.maximumBytes: return .string(string)
    default: throw mustBe("a string of at most \(RequestID.maximumBytes) bytes or an integer")
    }
  }
}
