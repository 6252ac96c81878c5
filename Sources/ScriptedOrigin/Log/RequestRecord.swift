/// One request that an origin got, and what has become of it so far.
public struct RequestRecord: Sendable {
  /// What became of a request.
  public enum Outcome: Sendable, Hashable {
    /// It is being answered, or it stalls.
    case inProgress
    /// The whole answer was handed to the kernel.
    case answered
    /// The origin broke the connection, as its script told it to.
    case failed(Fault.Kind)
    /// The connection ended before the answer did: the client left, or the origin was stopped.
    case abandoned
  }

  /// Counts the origin's requests from 0 on, over all connections.
  public let sequence: Int
  /// The number of the connection that it came over, counted from 0 on.
  public let connection: Int
  /// The method, in the client's letters.
  public let method: String
  /// The request target as it was sent, with its query.
  public let target: String
  /// The header fields.
  public let headers: HeaderFields
  /// When its head had arrived.
  public let receivedAt: ContinuousClock.Instant

  /// The status of the answer; `nil` as long as there is none, and for ever if the connection failed before the head.
  public internal(set) var status: Int?
  /// Bytes of content handed to the kernel so far, without the framing.
  public internal(set) var bytesSent = 0
  /// What became of it.
  public internal(set) var outcome = Outcome.inProgress
  /// When it came to its end.
  public internal(set) var endedAt: ContinuousClock.Instant?

  /// The target without its query.
  public var path: String {
    String(target.prefix { $0 != "?" })
  }

  /// The `Range` header, if there is one.
  public var rangeHeader: String? {
    headers["Range"]
  }
}
