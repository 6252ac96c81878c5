import GRDB
import PodfluxCore

extension SingleRow<Settings> {
  static var settings: Self { Self(table: "settings", isPlausible: \.isWithinLimits) }
}

extension SQLTables {
  func save(_ settings: Settings) throws {
    try SingleRow.settings.write(settings, to: db)
  }
}

extension TableReader {
  /// The settings, or the defaults if none were set.
  package func settings() throws -> Settings {
    try SingleRow.settings.read(from: db) ?? Settings()
  }
}

extension SettingsStore {
  /// The store with the state from its table.
  init(from tables: TableReader) throws {
    self.init(settings: try tables.settings())
  }
}
