import Foundation

/// Dates as feeds have them (RFC 2822 section 3.3).
enum FeedDate {
  static func text(_ moment: Date) -> String { formatter.string(from: moment) }

  private static let formatter: DateFormatter = {
    let formatter = DateFormatter()
    formatter.locale = Locale(identifier: "en_US_POSIX")
    formatter.timeZone = TimeZone(identifier: "UTC")
    formatter.dateFormat = "EEE, dd MMM yyyy HH:mm:ss Z"
    return formatter
  }()
}
