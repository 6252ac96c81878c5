import Foundation

/// What a device takes for a write and its sync: no program that keeps its promise is faster.
enum DeviceSyncs {
  /// The pages that an enqueue writes to the write-ahead log.
  private static let pagesAtOnce = 20
  private static let pageBytes = 4096
  /// The log is overwritten from its beginning, as SQLite does after a checkpoint.
  private static let logBytes = 4 << 20

  /// The times of writes of some pages, each with fdatasync(2), in a new file beside a path.
  static func milliseconds(of count: Int, beside path: String) throws -> [Double] {
    let name = path + ".syncs"
    let file = open(name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    guard file >= 0 else { throw failure(name) }
    defer {
      close(file)
      unlink(name)
    }
    let pages = [UInt8](repeating: 0x55, count: pagesAtOnce * pageBytes)
    let places = stride(from: 0, to: logBytes - pages.count, by: pages.count).map(\.self)
    for place in places where pwrite(file, pages, pages.count, place) != pages.count { throw failure(name) }
    guard fsync(file) == 0 else { throw failure(name) }
    return try (0..<count).map { number in
      let stopwatch = Stopwatch()
      guard pwrite(file, pages, pages.count, places[number % places.count]) == pages.count, fdatasync(file) == 0 else {
        throw failure(name)
      }
      return stopwatch.milliseconds
    }
  }

  private static func failure(_ name: String) -> MeasurementFailure {
    MeasurementFailure("\(name) cannot be written: \(String(cString: strerror(errno)))")
  }
}
