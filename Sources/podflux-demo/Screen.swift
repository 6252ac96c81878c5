import Foundation

/// The demo's output: sentences and, on a terminal, a table below them that is redrawn in place.
final class Screen {
  enum Manner: Equatable {
    /// A live table, so many columns wide.
    case live(columns: Int)
    /// Lines only, for logs.
    case plain

    /// Live on a terminal, plain otherwise.
    static var suitable: Manner {
      guard isatty(STDOUT_FILENO) == 1 else { return .plain }
      var size = winsize()
      let isKnown = ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0
      return .live(columns: isKnown ? Int(size.ws_col) : usualColumns)
    }

    private static let usualColumns = 100
  }

  /// How often a plain screen prints the progress, in seconds.
  private static let plainInterval = 2.0
  private static let eraseLine = "\u{1B}[2K"
  private static let bold = "\u{1B}[1m"
  private static let normal = "\u{1B}[0m"

  private let manner: Manner
  private var table: [String] = []
  private var nextPlainLine = Date.distantPast

  init(_ manner: Manner) {
    self.manner = manner
  }

  /// Prints a sentence above the table.
  func say(_ sentence: String = "") {
    write(rewind() + sentence + "\n" + drawn())
  }

  /// Prints a chapter's heading.
  func announce(_ sentence: String) {
    say(manner == .plain ? sentence : Self.bold + sentence + Self.normal)
  }

  /// Shows the downloads' progress.
  func show(_ items: [Item]) {
    switch manner {
    case .live(let columns):
      let erasure = rewind()
      table = ProgressTable(columns: columns).lines(for: items)
      write(erasure + drawn())
    case .plain:
      guard Date() >= nextPlainLine else { return }
      nextPlainLine = Date(timeIntervalSinceNow: Self.plainInterval)
      write("  " + ProgressTable.summary(of: items) + "\n")
    }
  }

  /// Leaves the table in place; later output goes below it.
  func finish() {
    table = []
  }

  /// Moves the cursor to the table's first line, and erases the table.
  private func rewind() -> String {
    String(repeating: "\u{1B}[1A" + Self.eraseLine, count: table.count) + (table.isEmpty ? "" : "\r")
  }

  private func drawn() -> String {
    table.map { $0 + "\n" }.joined()
  }

  private func write(_ text: String) {
    FileHandle.standardOutput.write(Data(text.utf8))
  }
}
