/// The texts of a row of a table of downloads, not yet fitted into columns.
struct TransferTexts: Sendable {
  let mark: StyledText
  let podcast: StyledText
  let title: StyledText
  let amount: StyledText
  let rate: StyledText
  let left: StyledText
  let words: StyledText

  private static let empty = StyledText("")
  private let movement: TransferRow.Movement?

  init(_ row: TransferRow) {
    podcast = StyledText(row.podcast)
    title = StyledText(row.title)
    switch row.state {
    case .moving(let movement):
      self.movement = movement
      mark = StyledText(" ")
      amount = StyledText(ByteCount(movement.received).of(movement.total.map { ByteCount($0) }))
      rate = StyledText(movement.bytesPerSecond > 0 ? ByteCount(movement.bytesPerSecond).perSecond : "")
      left = StyledText(movement.timeLeft?.description ?? "")
      words = Self.empty
    case .done(let bytes, _):
      mark = StyledText("✓", .good)
      amount = StyledText(ByteCount(bytes).description)
      (movement, rate, left, words) = (nil, Self.empty, Self.empty, Self.empty)
    case .retrying(let text):
      (mark, words) = (StyledText(" "), StyledText(text, .attention))
      (movement, amount, rate, left) = (nil, Self.empty, Self.empty, Self.empty)
    case .waiting(let text):
      (mark, words) = (StyledText(" "), StyledText(text, .dim))
      (movement, amount, rate, left) = (nil, Self.empty, Self.empty, Self.empty)
    case .failed(let reason):
      (mark, words) = (StyledText("✗", .bad), StyledText(reason, .bad))
      (movement, amount, rate, left) = (nil, Self.empty, Self.empty, Self.empty)
    }
  }

  /// The row in these columns. Words go on to the end of the line, however long they are.
  func line(_ columns: TransferLayout.Columns) -> StyledText {
    let names = [podcast.fitted(toWidth: columns.podcast), title.fitted(toWidth: columns.title)]
    return (names + (words.width > 0 ? [words] : numbers(columns))).filter { $0.width > 0 }.reduce(mark) { line, cell in
      // A mark without a text is the beginning of a line.
      line + StyledText(String(repeating: " ", count: line.width == mark.width ? 1 : ColumnWidths.gap)) + cell
    }
  }

  /// Bar, amount, rate and time left, as far as they are known.
  private func numbers(_ columns: TransferLayout.Columns) -> [StyledText] {
    let bar = movement.map { ProgressBar.bar($0.received, of: $0.total, width: columns.bar) } ?? Self.empty
    var cells = [bar.fitted(toWidth: columns.bar), amount.fitted(toWidth: columns.amount, .trailing)]
    if rate.width + left.width > 0 { cells.append(rate.fitted(toWidth: columns.rate, .trailing)) }
    if left.width > 0 { cells.append(left.fitted(toWidth: columns.left, .trailing)) }
    return cells
  }
}
