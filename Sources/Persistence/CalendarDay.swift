import GRDB

/// The day by which ages are told, as the calendar's row says: read once, since every insert asks.
///
/// Owned by one connection and used on its queue only; nobody else writes to the database.
final class CalendarDay {
  private var day: Int64?

  /// The day, counted from 1970-01-01.
  func today(in db: Database) throws -> Int64 {
    if let day { return day }
    guard let stored = try Int64.fetchOne(db.cachedStatement(sql: "SELECT day FROM calendar")),
      StoredNumber.day.range.contains(stored)
    else { throw DamagedRow(column: "calendar.day") }
    day = stored
    return stored
  }

  /// Forgets it: another day has begun, or the transaction was undone.
  func forget() {
    day = nil
  }
}
