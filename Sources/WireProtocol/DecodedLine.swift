import PodfluxCore

/// The result of decoding a client's line.
package struct DecodedLine: Hashable, Sendable {
  /// The line's number, counted from 1.
  package var number: Int
  /// The line's `meta.id`; known for most refused lines too.
  package var id: RequestID?
  /// The line's request, or why the line is refused.
  package var content: Result<Request, Refusal>

  /// Makes a decoded line.
  package init(number: Int, id: RequestID?, content: Result<Request, Refusal>) {
    self.number = number
    self.id = id
    self.content = content
  }
}

/// The request of a client's line.
package enum Request: Hashable, Sendable {
  /// An intent, which changes the state.
  case intent(Intent)
  /// A query, which the engine answers.
  case query(Query)
  /// The library, after it was given up for a while.
  case resume
}

/// A client's name for its line, echoed in the reply.
package enum RequestID: Hashable, Sendable {
  /// The longest text, in bytes.
  package static let maximumBytes = 128

  /// A text of at most `maximumBytes` bytes.
  case string(String)
  /// A number.
  case integer(Int64)
}
