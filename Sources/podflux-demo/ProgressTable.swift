import Foundation

/// Formats downloads as lines of text.
struct ProgressTable {
  let columns: Int

  private static let barWidth = 20
  private static let numbersWidth = 13
  private static let rateWidth = 9
  private static let stateWidth = 9
  private static let podcastWidth = 15
  private static let widestTitle = 28

  /// A line for each download, and their sum.
  func lines(for items: [Item]) -> [String] {
    (items.map(line) + [Self.summary(of: items)]).map { "  " + $0.prefix(max(0, columns - 3)) }
  }

  /// The progress of all of them together.
  static func summary(of items: [Item]) -> String {
    let received = items.reduce(0) { $0 + $1.received }
    let rate = items.reduce(0) { $0 + $1.bytesPerSecond }
    let states = ["completed", "running", "queued", "paused", "waiting", "failed"].compactMap { state in
      let count = items.count { $0.state == state }
      return count > 0 ? "\(count) \(state)" : nil
    }
    return "\(megabytes(received)) MB here, \(megabytes(rate)) MB/s: " + states.joined(separator: ", ")
  }

  static func megabytes(_ bytes: Int) -> String {
    String(format: "%.1f", Double(bytes) / 1_000_000)
  }

  private func line(for item: Item) -> String {
    let title = max(
      0,
      min(
        Self.widestTitle,
        columns - Self.barWidth - Self.numbersWidth - Self.rateWidth
          - Self.stateWidth - Self.podcastWidth - 9))
    let total = item.total.map(Self.megabytes) ?? "?"
    let rate = item.bytesPerSecond > 0 ? Self.megabytes(item.bytesPerSecond) + " MB/s" : ""
    return [
      Self.fitted(item.podcast, Self.podcastWidth), Self.fitted(item.title, title), Self.bar(for: item),
      Self.fitted("\(Self.megabytes(item.received))/\(total) MB", Self.numbersWidth), Self.fitted(rate, Self.rateWidth),
      item.state,
    ].joined(separator: " ")
  }

  private static func bar(for item: Item) -> String {
    let share = item.total.map { Double(item.received) / Double(max(1, $0)) } ?? 0
    let full = min(barWidth, Int(share * Double(barWidth)))
    return String(repeating: "━", count: full) + String(repeating: "┄", count: barWidth - full)
  }

  /// Truncates or pads to a width, in characters; the demo's titles have no characters wider than one column.
  private static func fitted(_ text: String, _ width: Int) -> String {
    let cut = text.count > width ? text.prefix(max(0, width - 1)) + "…" : Substring(text)
    return cut + String(repeating: " ", count: max(0, width - cut.count))
  }
}
