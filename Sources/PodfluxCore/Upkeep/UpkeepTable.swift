import Flux

/// The tables of the daily upkeep.
package protocol UpkeepTables {
  /// The day of the last upkeep, and the folders that the engine has made.
  var upkeep: any UpkeepTable { get }
}

/// The folders that the engine has made, to read. Each call costs a bounded number of index look-ups.
package protocol UpkeepTableReader {
  /// The folders on the way to a file that the engine has made. Cost: a look-up for each folder.
  func madeFolders(above path: LibraryPath) throws -> [LibraryPath]
  /// The first folders, behind this one in the order of their bytes, that the engine knows as its own.
  func folders(after folder: String, limit: Int) throws -> [LibraryPath]
}

/// The folders that the engine has made, to read and to write, and the day of the last upkeep. Each call costs a
/// bounded number of index look-ups.
package protocol UpkeepTable: UpkeepTableReader {
  /// Writes on which day, counted from 1970-01-01, it was done last.
  func save(day: Int64) throws
  /// Keeps in mind that the engine has made these folders: a cleanup deletes them when they are empty.
  func note(made folders: [LibraryPath]) throws
  /// Forgets a folder that is gone. It stays known if a download's file lies, or is about to, in it.
  func forget(_ folder: LibraryPath) throws
}

/// What services do once a day.
package struct DailyUpkeep: Hashable, Sendable {
  /// After how many days files leave the quarantine; 0 for never.
  package var quarantineDays: Int

  /// Makes an order.
  package init(quarantineDays: Int) {
    self.quarantineDays = quarantineDays
  }
}

extension UpkeepTables where Self: ForwardingTables {
  /// The tables behind, unchanged.
  package var upkeep: any UpkeepTable { inner.upkeep }
}
