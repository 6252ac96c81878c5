/// The columns of a table of downloads: a mark, podcast, title, and the tail, in which transfers have a bar, amount,
/// rate and time left, and others their words.
///
/// Columns grow with what they have shown, and do not shrink again: otherwise the table would jump with every frame.
struct TransferLayout: Sendable {
  /// The column for the mark, and the gap behind it.
  static let indent = 2

  private static let barWidths = (least: 8, usual: 16, most: 24)
  private static let podcastWidths = (least: 12, usual: 24)
  private static let titleWidths = (least: 12, narrow: 20, usual: 40)
  private static let wordWidths = (narrow: 30, usual: 44)

  // What the contents would like, so far.
  private var podcast = 0
  private var title = 0
  private var words = 0
  private var amount = 0
  private var rate = 0
  private var left = 0

  /// Takes note of what a row would like.
  mutating func fit(_ row: TransferRow, _ texts: TransferTexts) {
    podcast = max(podcast, texts.podcast.width)
    title = max(title, texts.title.width)
    switch row.state {
    case .moving, .done:
      amount = max(amount, texts.amount.width, Self.leastAmount)
      rate = max(rate, texts.rate.width, Self.leastRate)
      left = max(left, texts.left.width, Self.leastLeft)
    case .retrying, .waiting: words = max(words, texts.words.width)
    case .failed: break
    }
  }

  /// "18.0/31.2 MB", "2.1 MB/s" and "12:34", which nearly all transfers come to.
  private static let (leastAmount, leastRate, leastLeft) = (12, 8, 5)

  /// The widths in a terminal so many columns wide.
  ///
  /// In a narrow one the bar gives way first, then the podcast, then the title; before that, what is longer than usual.
  func columns(in width: Int) -> Columns {
    let numbers = amount + (rate > 0 ? ColumnWidths.gap + rate + ColumnWidths.gap + left : 0)
    func tail(bar: Int, words limit: Int) -> Int {
      max(bar > 0 && numbers > 0 ? numbers + ColumnWidths.gap + bar : numbers, min(words, limit))
    }
    let available = max(0, width - Self.indent)
    var widths = ColumnWidths([podcast, title, tail(bar: Self.barWidths.most, words: words)])
    let (podcastColumn, titleColumn, tailColumn) = (0, 1, 2)
    for (column, least) in [
      (tailColumn, tail(bar: Self.barWidths.usual, words: Self.wordWidths.usual)),
      (podcastColumn, Self.podcastWidths.usual),
      (titleColumn, Self.titleWidths.usual),
      (tailColumn, tail(bar: Self.barWidths.least, words: Self.wordWidths.narrow)),
      (tailColumn, tail(bar: 0, words: Self.wordWidths.narrow)),
      (podcastColumn, Self.podcastWidths.least),
      (titleColumn, Self.titleWidths.narrow),
    ] {
      widths.shrink(column, to: least, toFit: available)
    }
    if widths.total > available {
      // Some letters of a podcast's name tell nothing.
      widths.drop(podcastColumn)
      widths.grow(titleColumn, to: title, within: available)
    }
    widths.shrink(titleColumn, to: Self.titleWidths.least, toFit: available)
    widths.shrink(tailColumn, to: 0, toFit: available)
    return Columns(
      podcast: widths[podcastColumn], title: widths[titleColumn], tail: widths[tailColumn],
      bar: bar(in: widths[tailColumn] - numbers - ColumnWidths.gap), amount: amount,
      // Of the numbers the amount is the last that goes.
      rate: widths[tailColumn] >= numbers ? rate : 0, left: widths[tailColumn] >= numbers ? left : 0)
  }

  private func bar(in space: Int) -> Int {
    space >= Self.barWidths.least ? min(space, Self.barWidths.most) : 0
  }

  /// The widths of all parts; 0: the part is not there.
  struct Columns: Sendable, Equatable {
    let podcast: Int
    let title: Int
    let tail: Int
    let bar: Int
    let amount: Int
    let rate: Int
    let left: Int
  }
}
