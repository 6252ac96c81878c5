/// Where a client's lines go. Thread safe; no call waits for the client.
protocol ClientOutput: AnyObject, Sendable {
  /// Whether there is room for more lines. Registers nothing.
  var hasRoom: Bool { get }
  /// Whether there is room for answers. If not, the reader of the client's lines is woken as soon as there is.
  func hasRoomForAnswers() -> Bool
  /// Whether nothing is kept any more, since the client reads no more.
  var isClosed: Bool { get }
  /// Appends complete lines; `flush` sends them.
  func append(_ lines: [UInt8])
  /// Sends the lines that were appended, and wakes the reader of the client's lines: more may be posted.
  func flush()
}
