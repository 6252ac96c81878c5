import GRDB
import PodfluxCore

/// Caches the day of the calendar table, on which ages depend: every insert reads it.
///
/// One connection owns it and uses it on its queue; only this process writes to the database.
final class CalendarDay {
  private var day: LocalDay?

  /// The local day of the calendar table.
  func today(in db: Database) throws -> LocalDay {
    if let day { return day }
    let sql = "SELECT day, seconds_east FROM calendar"
    guard let stored = try StoredDay.fetchAll(db.cachedStatement(sql: sql)).first else {
      throw DamagedRow(column: "calendar.day")
    }
    day = stored.day
    return stored.day
  }

  /// Drops the cache: another day has begun, or the transaction was rolled back.
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
