/// The state of an origin's log.
package struct Snapshot: Sendable {
  /// The requests since the start or the last reset, oldest first; at most the latest 100,000.
  package internal(set) var requests: [RequestRecord] = []
  /// Bytes of content that the kernel has.
  package internal(set) var totalBodyBytesSent = 0
  package internal(set) var activeConnections = 0
  /// The highest number of open connections so far.
  package internal(set) var peakConnections = 0
  package internal(set) var acceptedConnections = 0
  /// Requests that the origin is answering, stalled ones included.
  package internal(set) var activeRequests = 0
  /// The highest number of active requests so far.
  package internal(set) var peakConcurrentRequests = 0

  /// The requests for `path`, oldest first. Cost: all requests.
  package func requests(path: String) -> [RequestRecord] {
    requests.filter { $0.path == path }
  }

  /// Bytes of content sent for `path`. Cost: all requests.
  package func bytesSent(path: String) -> Int {
    requests.reduce(0) { $1.path == path ? $0 + $1.bytesSent : $0 }
  }
}
