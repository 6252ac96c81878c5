/// The widths of columns that stand side by side.
struct ColumnWidths: Sendable, Equatable {
  /// The columns between two of them.
  static let gap = 2

  private(set) var widths: [Int]

  /// The widths that the contents would like. A column of width 0 is not there.
  init(_ natural: [Int]) {
    widths = natural
  }

  subscript(column: Int) -> Int { widths[column] }

  /// All of them together, with the gaps.
  var total: Int {
    widths.reduce(0, +) + Self.gap * max(0, widths.count { $0 > 0 } - 1)
  }

  /// Takes from a column what is missing, down to a least width.
  mutating func shrink(_ column: Int, to least: Int, toFit available: Int) {
    let excess = total - available
    guard excess > 0, widths[column] > least else { return }
    widths[column] = max(least, widths[column] - excess)
  }

  /// Makes a column no wider than this.
  mutating func shrink(_ column: Int, to most: Int) {
    widths[column] = min(widths[column], most)
  }

  /// Gives a column what is left, up to a width.
  mutating func grow(_ column: Int, to most: Int, within available: Int) {
    widths[column] = max(widths[column], min(most, widths[column] + available - total))
  }

  /// Takes a column away.
  mutating func drop(_ column: Int) {
    widths[column] = 0
  }
}
