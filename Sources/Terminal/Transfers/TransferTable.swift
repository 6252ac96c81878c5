/// A table of downloads that moves: what a `LiveRegion` draws.
package struct TransferTable: Sendable {
  /// What a frame adds to the screen.
  package struct Frame: Sendable {
    /// Rows of finished downloads, which scroll away above. Only the reason of a failure may be wider than the
    /// terminal.
    package let finished: [StyledText]
    /// The rows of the others, the number of those that have no line, and the summary.
    package let lines: [StyledText]
  }

  private let maximumLines: Int
  private var layout = TransferLayout()

  /// - Parameter maximumLines: The most lines of a frame, also in a higher terminal. Half of what a terminal usually
  ///   has: one that is made narrower wraps each line into two, and what then does not fit on the screen stays above it
  ///   for good.
  package init(maximumLines: Int = 12) {
    self.maximumLines = maximumLines
  }

  /// Puts a frame together.
  ///
  /// The lines leave one of the terminal's for what has scrolled away. What moves comes first, then what will be tried
  /// again, then what waits; in each group the order is that of the rows.
  ///
  /// - Parameters:
  ///   - rows: The downloads. A finished one is given once.
  ///   - unlisted: How many unfinished downloads there are besides, which are not worth a row.
  package mutating func frame(
    _ rows: [TransferRow], unlisted: Int = 0, summary: TransferSummary, on size: TerminalSize
  ) -> Frame {
    let unfinished = rows.filter { !$0.isFinished }
    let ranked = (0...TransferRow.lastRank).flatMap { rank in unfinished.filter { $0.rank == rank } }
    let lines = max(1, min(size.rows - 1, maximumLines))
    let fits = unlisted == 0 && ranked.count < lines
    let listed = ranked.prefix(fits ? ranked.count : max(0, lines - 2))
    let more = ranked.count - listed.count + unlisted

    let finished = rows.filter(\.isFinished)
    let texts = (finished + listed).map { ($0, TransferTexts($0)) }
    for (row, texts) in texts { layout.fit(row, texts) }
    let columns = layout.columns(in: size.columns)
    let drawn = texts.map { row, texts in
      let line = texts.line(columns)
      if case .failed = row.state { return line }
      return line.truncated(toWidth: size.columns)
    }
    var shown = Array(drawn.dropFirst(finished.count))
    if more > 0, lines > 1 { shown.append(Self.indented(StyledText("… and \(more) more", .dim))) }
    shown.append(Self.indented(summary.line(toWidth: max(0, size.columns - TransferLayout.indent))))
    return Frame(
      finished: Array(drawn.prefix(finished.count)), lines: shown.map { $0.truncated(toWidth: size.columns) })
  }

  private static func indented(_ text: StyledText) -> StyledText {
    StyledText(String(repeating: " ", count: TransferLayout.indent)) + text
  }
}
