/// What waits while a report is committed.
extension RefreshAttempt {
  /// Adds an event to those that wait. Short pieces of the body become one: there may be a million of one byte.
  mutating func wait(_ event: RefreshEvent) {
    guard case .body(let bytes) = event else { return waiting.append(event) }
    waitingBytes += bytes.count
    guard var last = waiting.popLast() else { return waiting.append(event) }
    guard case .body(var piece) = last, piece.count < RefreshLimits.joinedBytes else {
      waiting.append(last)
      return waiting.append(event)
    }
    // The piece has one owner then, and is not copied for each byte.
    last = .proceed
    piece += bytes
    waiting.append(.body(piece))
  }

  /// Takes the first event that waits; there must be one.
  mutating func nextWaiting() -> RefreshEvent {
    let event = waiting.removeFirst()
    if case .body(let bytes) = event { waitingBytes -= bytes.count }
    return event
  }

  /// Forgets the events that wait.
  mutating func forgetWaiting() { (waiting, waitingBytes) = ([], 0) }
}
