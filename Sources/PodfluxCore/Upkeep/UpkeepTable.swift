import Flux

/// What the daily upkeep keeps and looks after. Each call costs a bounded number of index look-ups.
public protocol UpkeepTable {
  /// Writes on which day, counted from 1970-01-01, it was done last.
  func save(day: Int64) throws
  /// The first folders, behind this one in the order of their bytes, that the engine knows as its own.
  func folders(after folder: String, limit: Int) throws -> [LibraryPath]
  /// The folder is gone. It stays known if a download's file lies, or is about to, in it.
  func forget(_ folder: LibraryPath) throws
  /// Forgets former files beyond a limit, the oldest first. Those of which nobody knows how old they are count as noted now.
  ///
  /// - Returns: how many were looked at that may go, at most `limit`: with as many there may be more.
  func forgetFormerFiles(beyond keeping: FormerFile.Keeping, now: Timestamp, limit: Int) throws -> Int
}

/// What services do once a day.
public struct DailyUpkeep: Hashable, Sendable {
  /// After how many days files leave the quarantine; 0 for never.
  public var quarantineDays: Int

  /// Makes an order.
  public init(quarantineDays: Int) {
    self.quarantineDays = quarantineDays
  }
}
