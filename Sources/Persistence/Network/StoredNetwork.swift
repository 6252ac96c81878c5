import Flux
import PodfluxCore

extension SingleRow<NetworkState> {
  static var network: Self { Self(table: "network", isPlausible: \.isPlausible) }
}

extension NetworkState {
  fileprivate var isPlausible: Bool {
    path.device.map(NetworkPath.isDeviceName) ?? true && usage.isPlausible && localTime.isPlausible
  }
}

extension CellularUsage {
  /// The years 0 to 9999, the range of calendars.
  private static let months: Range<Int64> = 0..<120_000

  fileprivate var isPlausible: Bool { Self.months.contains(month) && bytes >= 0 }
}

extension LocalTime {
  fileprivate var isPlausible: Bool {
    ([seconds] + changes.map(\.seconds)).allSatisfy(Self.seconds.contains) && changes.count <= Self.maximumChanges
      && changes.allSatisfy { StoredNumber.moment.range.contains($0.from.milliseconds) }
      && zip(changes, changes.dropFirst()).allSatisfy { $0.from < $1.from }
  }
}

extension SQLTables {
  func save(_ network: NetworkState) throws {
    try SingleRow.network.write(network, to: db)
  }
}

extension NetworkStore {
  /// The store with what its table holds.
  init(from tables: TableReader) throws {
    self.init(state: try tables.network())
  }
}
