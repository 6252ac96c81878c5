/// One request to an origin, and its result so far.
package struct RequestRecord: Sendable {
  /// The result of a request.
  package enum Outcome: Sendable, Hashable {
    /// The origin is answering it, or stalls.
    case inProgress
    /// The kernel has the whole answer.
    case answered
    /// The origin broke the connection, according to its script.
    case failed(Fault.Kind)
    /// The connection ended before the answer did: the client left, or the origin was stopped.
    case abandoned
  }

  /// The number of the request from 0 on, over all connections.
  package let sequence: Int
  /// The number of its connection, from 0 on.
  package let connection: Int
  /// The method as sent.
  package let method: String
  /// The request target as sent, with its query.
  package let target: String
  /// The header fields as sent, in their order.
  package let headers: HeaderFields
  /// The body of a POST: its first 64 KiB.
  package let form: [UInt8]
  /// When the head had arrived.
  package let receivedAt: ContinuousClock.Instant

  /// The status of the answer; `nil` before there is one, and if the connection failed before the head.
  package internal(set) var status: Int?
  /// Bytes of content that the kernel has so far, without framing.
  package internal(set) var bytesSent = 0
  package internal(set) var outcome = Outcome.inProgress
  /// When it ended.
  package internal(set) var endedAt: ContinuousClock.Instant?

  /// The target without its query.
  package var path: String {
    String(target.prefix { $0 != "?" })
  }

  /// The `Range` header, if there is one.
  package var rangeHeader: String? {
    headers["Range"]
  }
}
