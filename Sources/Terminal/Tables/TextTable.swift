/// Results in columns under a row of titles, for stdout.
package struct TextTable: Sendable {
  /// A column: its title, and the side on which its texts stand.
  package struct Column: Sendable {
    let title: String
    let alignment: Alignment

    /// - Parameters:
    ///   - title: Shown in capitals.
    ///   - alignment: `.trailing` for numbers.
    package init(_ title: String, _ alignment: Alignment = .leading) {
      self.title = title
      self.alignment = alignment
    }
  }

  /// How a column, given by its number, gives way in a terminal that is too narrow.
  package enum Narrowing: Sendable {
    /// Its texts are truncated, to this width if need be: for names and sentences.
    case shrink(Int, to: Int)
    /// The column vanishes: for numbers and dates, which would be wrong if they were truncated.
    case drop(Int)
  }

  /// How wide a column is at most where no terminal limits the lines: one text of 300 characters would pad each row.
  private static let paddedWidth = 60

  private let columns: [Column]
  private let narrowings: [Narrowing]
  private var rows: [[StyledText]] = []

  /// A table without rows.
  ///
  /// - Parameter narrowings: What is done, one after the other, until the table fits.
  package init(_ columns: [Column], narrowings: [Narrowing] = []) {
    self.columns = columns
    self.narrowings = narrowings
  }

  /// Adds a row. It must have a text for each column.
  package mutating func add(_ row: [StyledText]) {
    precondition(row.count == columns.count, "a row of \(row.count) texts in a table of \(columns.count) columns")
    rows.append(row)
  }

  /// The lines, none wider than `limit`. Without a limit, for a file or another program, nothing is truncated: a text
  /// that is wider than 60 columns moves what follows it in its line to the right.
  package func lines(toWidth limit: Int? = nil) -> [StyledText] {
    let all = [columns.map { StyledText($0.title.uppercased(), .strong) }] + rows
    var widths = ColumnWidths(columns.indices.map { column in all.reduce(0) { max($0, $1[column].width) } })
    guard let limit else {
      for column in columns.indices { widths.shrink(column, to: Self.paddedWidth) }
      return all.map { line($0, widths, truncates: false) }
    }
    for narrowing in narrowings where widths.total > limit {
      switch narrowing {
      case .shrink(let column, let least): widths.shrink(column, to: least, toFit: limit)
      case .drop(let column): widths.drop(column)
      }
    }
    return all.map { line($0, widths).truncated(toWidth: limit) }
  }

  private func line(_ row: [StyledText], _ widths: ColumnWidths, truncates: Bool = true) -> StyledText {
    let shown = columns.indices.filter { widths[$0] > 0 }
    let gap = StyledText(String(repeating: " ", count: ColumnWidths.gap))
    return shown.reduce(StyledText("")) { line, column in
      let text = truncates ? row[column].truncated(toWidth: widths[column]) : row[column]
      let isLast = column == shown.last && columns[column].alignment == .leading
      let cell = isLast ? text : text.padded(toWidth: widths[column], columns[column].alignment)
      return column == shown.first ? cell : line + gap + cell
    }
  }
}
