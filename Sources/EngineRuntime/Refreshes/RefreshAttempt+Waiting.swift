/// What waits while a report is committed.
extension RefreshAttempt {
  /// How many bytes of the body have come and wait until the last report is committed. More are not to come until less
  /// wait.
  package var waitingBytes: Int {
    waiting.reduce(0) { sum, event in if case .body(let bytes) = event { sum + bytes.count } else { sum } }
  }

  /// Adds an event to those that wait. Short pieces of the body become one: there may be a million of one byte.
  mutating func wait(_ event: RefreshEvent) {
    guard case .body(let bytes) = event, var last = waiting.popLast() else { return waiting.append(event) }
    guard case .body(var piece) = last, piece.count < RefreshLimits.joinedBytes else {
      waiting.append(last)
      return waiting.append(event)
    }
    // The piece has one owner then, and is not copied for each byte.
    last = .proceed
    piece += bytes
    waiting.append(.body(piece))
  }
}
