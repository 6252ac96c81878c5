import Flux

/// The network path, where the engine has it from, and what has come over cellular.
///
/// ```swift
/// for await network in podflux.network() { print(network.path.isUnmetered, network.usage.bytes) }
/// ```
public struct NetworkState: Hashable, Sendable, Codable {
  /// Where the engine has the path from.
  ///
  /// Use: `network.source`.
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
  package var localTime: LocalTime

  /// The initial state; the path is unknown.
  package init(
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
///
/// Use: `network.usage`.
public struct CellularUsage: Hashable, Sendable, Codable {
  /// The month, counted from January of the year 0. It does not go back with the clock: otherwise a spent budget would
  /// become available again. Only one that the clock cannot have shown rightly is given up, and its bytes count on.
  public var month: Int64
  public var bytes: Int64

  package init(month: Int64 = 0, bytes: Int64 = 0) {
    self.month = month
    self.bytes = bytes
  }

  /// The usage of the month of a moment: itself, or 0 if a new month has begun.
  package func turned(to now: Timestamp, in localTime: LocalTime) -> CellularUsage {
    let current = localTime.month(at: now)
    return current > month ? CellularUsage(month: current) : corrected(to: now, in: localTime)
  }

  /// The same bytes in the month of a moment, if the present one lies so far ahead that only a wrong clock can have
  /// shown it: the budget would not begin anew for years.
  package func corrected(to now: Timestamp, in localTime: LocalTime) -> CellularUsage {
    let current = localTime.month(at: now)
    guard now.isPossible, month > current + 1 else { return self }
    return CellularUsage(month: current, bytes: bytes)
  }
}

/// The port of the network's table. Saving belongs to the turn's transaction.
package protocol NetworkTables {
  /// Writes what is kept of the network.
  func save(_ network: NetworkState) throws
}

extension NetworkTables where Self: ForwardingTables {
  /// To the tables behind, unchanged.
  package func save(_ network: NetworkState) throws { try inner.save(network) }
}
