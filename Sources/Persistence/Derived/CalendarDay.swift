import GRDB
import PodfluxCore

/// The day by which ages are told, as the calendar's row says: read once, since every insert asks.
///
/// Owned by one connection and used on its queue only; nobody else writes to the database.
final class CalendarDay {
  private var day: LocalDay?

  /// The day, on the clocks by which it was told.
  func today(in db: Database) throws -> LocalDay {
    if let day { return day }
    let sql = "SELECT day, seconds_east FROM calendar"
    guard let stored = try StoredDay.fetchAll(db.cachedStatement(sql: sql)).first else {
      throw DamagedRow(column: "calendar.day")
    }
    day = stored.day
    return stored.day
  }

  /// Forgets it: another day has begun, or the transaction was undone.
  func forget() {
    day = nil
  }
}

/// The row of the calendar.
private struct StoredDay: StatementRow {
  let day: LocalDay

  init(_ columns: inout ColumnReader) throws {
    let number = try columns.next(.day)
    day = LocalDay(number, secondsEast: try columns.next(StoredNumber(LocalTime.seconds)))
  }
}
