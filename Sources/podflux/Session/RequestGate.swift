import PodfluxEngine

/// Counts a client's requests that are not answered, and says whether one more may be posted: a client that asks faster
/// than it is answered is held up by itself, before its requests and their answers cost memory.
struct RequestGate: Hashable {
  /// How many requests may be unanswered: two batches, so that one is gathered while another is committed.
  static let maximumRequests = 4096
  /// How many of these may be queries, whose answers may be a MiB long each: one is answered while the other waits.
  static let maximumQueries = 2
  /// How many bytes the lines of these may have together; one line alone may have more.
  static let maximumBytes = 8 << 20

  private var requests = 0
  private var queries = 0
  private var bytes = 0
  /// Whether the last one is answered later than others would be: they would overtake it.
  private var isHeld = false

  /// Whether all have been answered.
  var isAnswered: Bool { requests == 0 }

  /// Whether a request may be posted, if it is no query.
  var isOpen: Bool { !isHeld && requests < Self.maximumRequests && bytes < Self.maximumBytes }

  /// Counts a request. Returns false, and counts nothing, if it must wait.
  mutating func admit(_ content: EngineRequest.Content, byteCount: Int) -> Bool {
    guard isOpen, requests == 0 || bytes + byteCount <= Self.maximumBytes else { return false }
    guard !content.isQuery || queries < Self.maximumQueries else { return false }
    requests += 1
    bytes += byteCount
    if content.isQuery { queries += 1 }
    isHeld = content.isAnsweredLater
    return true
  }

  /// A request has been answered, or could not be posted.
  mutating func release(_ content: EngineRequest.Content, byteCount: Int) {
    requests -= 1
    bytes -= byteCount
    if content.isQuery { queries -= 1 }
    if content.isAnsweredLater { isHeld = false }
  }
}
