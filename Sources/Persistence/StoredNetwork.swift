import Flux
import GRDB
import PodfluxCore

/// What is kept of the network, as JSON.
enum StoredNetwork {
  static func write(_ network: NetworkState, to db: Database) throws {
    let sql = "INSERT INTO network VALUES (1, ?) ON CONFLICT (singleton) DO UPDATE SET json = excluded.json"
    try db.cachedStatement(sql: sql).execute(arguments: [StoredJSON.text(network)])
  }

  /// What the one row holds; of a path nothing is known, if there is none.
  ///
  /// - Throws: `DamagedRow` where it holds what the store keeps never.
  static func read(from db: Database) throws -> NetworkState {
    guard let json = try String.fetchOne(db.cachedStatement(sql: "SELECT json FROM network")) else {
      return NetworkState()
    }
    let state: NetworkState = try StoredJSON.value(of: json, column: "network.json")
    guard state.isPlausible else { throw DamagedRow(column: "network.json") }
    return state
  }
}

extension NetworkState {
  fileprivate var isPlausible: Bool {
    path.device.map(NetworkPath.isDeviceName) ?? true && usage.isPlausible && localTime.isPlausible
  }
}

extension CellularUsage {
  /// The years from 0 to 9999, of which calendars tell.
  private static let months: Range<Int64> = 0..<120_000

  fileprivate var isPlausible: Bool { Self.months.contains(month) && bytes >= 0 }
}

extension LocalTime {
  fileprivate var isPlausible: Bool {
    ([seconds] + changes.map(\.seconds)).allSatisfy(Self.seconds.contains) && changes.count <= Self.maximumChanges
      && zip(changes, changes.dropFirst()).allSatisfy { $0.from < $1.from }
  }
}
