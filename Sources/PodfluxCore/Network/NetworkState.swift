import Flux

/// What is known of the network, as it is kept.
public struct NetworkState: Hashable, Sendable, Codable {
  /// Who says what the path is.
  public enum Source: String, Hashable, Sendable, Codable {
    /// The engine looks for itself.
    case auto
    /// A client, or whoever started the engine.
    case reported
  }

  /// The path that counts.
  public var path: NetworkPath
  /// Who says so.
  public var source: Source
  /// What has come over cellular.
  public var usage: CellularUsage
  /// The machine's time zone.
  public var localTime: LocalTime

  /// A path of which nothing is known yet.
  public init(
    path: NetworkPath = .init(status: .online), source: Source = .auto, usage: CellularUsage = .init(),
    localTime: LocalTime = .utc
  ) {
    self.path = path
    self.source = source
    self.usage = usage
    self.localTime = localTime
  }
}

/// How many bytes have come over cellular in a month.
public struct CellularUsage: Hashable, Sendable, Codable {
  /// The month, counted from January of the year 0. It does not go back when the clock is set back: a budget that is used
  /// up would come again with it.
  public var month: Int64
  /// How many bytes have come in it.
  public var bytes: Int64

  /// Nothing in a month.
  public init(month: Int64 = 0, bytes: Int64 = 0) {
    self.month = month
    self.bytes = bytes
  }

  /// The same, or nothing yet if another month has begun.
  public func turned(to current: Int64) -> CellularUsage {
    current > month ? CellularUsage(month: current) : self
  }
}

/// The tables of the network.
public protocol NetworkTables {
  /// Writes what is kept of the network.
  func save(_ network: NetworkState) throws
}
