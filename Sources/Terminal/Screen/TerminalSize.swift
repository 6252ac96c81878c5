/// How many characters a terminal shows.
package struct TerminalSize: Sendable, Hashable {
  package let columns: Int
  package let rows: Int

  /// What a terminal has that says nothing.
  package static let usual = TerminalSize(columns: 80, rows: 24)

  /// At least one column and one row.
  package init(columns: Int, rows: Int) {
    self.columns = max(1, columns)
    self.rows = max(1, rows)
  }

  /// What the device says, else `COLUMNS` and `LINES` of the environment, else the usual size. A serial line and a new
  /// pseudoterminal say 0.
  package init(of device: TerminalDevice, environment: [String: String]) {
    let reported = device.reportedSize
    self.init(
      columns: reported.columns ?? Self.number(environment["COLUMNS"]) ?? Self.usual.columns,
      rows: reported.rows ?? Self.number(environment["LINES"]) ?? Self.usual.rows)
  }

  private static func number(_ text: String?) -> Int? {
    text.flatMap { Int($0) }.flatMap { $0 > 0 && $0 <= maximum ? $0 : nil }
  }

  /// The largest number that is believed.
  private static let maximum = Int(UInt16.max)
}
