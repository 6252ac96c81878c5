/// What an origin had seen and done at one moment.
public struct Snapshot: Sendable {
  /// The requests since the start or the last reset, oldest first; at most the youngest 100,000.
  public internal(set) var requests: [RequestRecord] = []
  /// Bytes of content handed to the kernel.
  public internal(set) var totalBodyBytesSent = 0
  /// Connections that are open.
  public internal(set) var activeConnections = 0
  /// The most connections that were open at once.
  public internal(set) var peakConnections = 0
  /// Connections that were accepted.
  public internal(set) var acceptedConnections = 0
  /// Requests that are being answered, stalled ones included.
  public internal(set) var activeRequests = 0
  /// The most requests that were being answered at once.
  public internal(set) var peakConcurrentRequests = 0

  /// The requests for `path`, oldest first. Looks at every request.
  public func requests(path: String) -> [RequestRecord] {
    requests.filter { $0.path == path }
  }

  /// Bytes of content sent for `path`. Looks at every request.
  public func bytesSent(path: String) -> Int {
    requests.reduce(0) { $1.path == path ? $0 + $1.bytesSent : $0 }
  }
}
