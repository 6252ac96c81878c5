import Flux

/// The stored state of the network.
public struct NetworkState: Hashable, Sendable, Codable {
  /// The source of the path.
  public enum Source: String, Hashable, Sendable, Codable {
    /// The engine determines the path.
    case auto
    /// A client, or the operator who started the engine, reports the path.
    case reported
  }

  public var path: NetworkPath
  public var source: Source
  /// The bytes received over cellular.
  public var usage: CellularUsage
  public var localTime: LocalTime

  /// The initial state; the path is unknown.
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

/// How many bytes came over cellular in a month.
public struct CellularUsage: Hashable, Sendable, Codable {
  /// The month, counted from January of the year 0. It never goes back, even if the clock does: otherwise a spent
  /// budget would become available again.
  public var month: Int64
  public var bytes: Int64

  public init(month: Int64 = 0, bytes: Int64 = 0) {
    self.month = month
    self.bytes = bytes
  }

  /// The usage of the current month: itself, or 0 if a new month has begun.
  public func turned(to current: Int64) -> CellularUsage {
    current > month ? CellularUsage(month: current) : self
  }
}

public protocol NetworkTables {
  /// Writes what is kept of the network.
  func save(_ network: NetworkState) throws
}
