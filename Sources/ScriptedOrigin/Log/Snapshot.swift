/// The state of an origin's log.
public struct Snapshot: Sendable {
  /// The requests since the start or the last reset, oldest first; at most the latest 100,000.
  public internal(set) var requests: [RequestRecord] = []
  /// Bytes of content that the kernel has.
  public internal(set) var totalBodyBytesSent = 0
  public internal(set) var activeConnections = 0
  /// The highest number of open connections so far.
  public internal(set) var peakConnections = 0
  public internal(set) var acceptedConnections = 0
  /// Requests that the origin is answering, stalled ones included.
  public internal(set) var activeRequests = 0
  /// The highest number of active requests so far.
  public internal(set) var peakConcurrentRequests = 0

  /// The requests for `path`, oldest first. Cost: all requests.
  public func requests(path: String) -> [RequestRecord] {
    requests.filter { $0.path == path }
  }

  /// Bytes of content sent for `path`. Cost: all requests.
  public func bytesSent(path: String) -> Int {
    requests.reduce(0) { $1.path == path ? $0 + $1.bytesSent : $0 }
  }
}
