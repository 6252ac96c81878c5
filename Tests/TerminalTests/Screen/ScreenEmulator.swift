@testable import Terminal

/// A small terminal: interprets what is written to it, and shows what a person would see.
///
/// Characters take the columns that `Character.displayWidth` says.
struct ScreenEmulator {
  /// What happens to long lines when the width changes.
  enum Resizing: CaseIterable {
    /// They wrap anew, as in VTE, kitty and tmux.
    case reflowing
    /// They are cut, as in xterm.
    case cutting
  }

  private struct Line {
    /// A wide character is followed by an empty cell.
    var cells: [String] = []
    /// Whether the text continues in the next line.
    var wraps = false
  }

  private(set) var size: TerminalSize
  private let resizing: Resizing
  /// All lines, those that have scrolled away first.
  private var lines = [Line()]
  /// The first line on the screen.
  private var top = 0
  private(set) var row = 0
  private(set) var column = 0
  private(set) var showsCursor = true
  private(set) var isWrapping = true
  private(set) var isUpdating = false
  /// Control characters and sequences that it does not know.
  private(set) var unknown: [String] = []

  init(columns: Int, rows: Int, _ resizing: Resizing = .reflowing) {
    size = TerminalSize(columns: columns, rows: rows)
    self.resizing = resizing
  }

  // MARK: What a person sees

  /// The lines on the screen, without blanks at their ends and without empty lines below.
  var screen: [String] { Self.shown(lines[top...]) }
  /// The lines that have scrolled away above it.
  var scrolledAway: [String] { Self.shown(lines[..<top]) }
  /// Both.
  var everything: [String] { Self.shown(lines[...]) }

  private static func shown(_ lines: ArraySlice<Line>) -> [String] {
    var shown = lines.map { line in
      var text = line.cells.joined()
      while text.last == " " { text.removeLast() }
      return text
    }
    while shown.last?.isEmpty == true { shown.removeLast() }
    return shown
  }

  // MARK: Output

  mutating func write(_ bytes: [UInt8]) { write(String(decoding: bytes, as: UTF8.self)) }

  mutating func write(_ text: String) {
    var characters = Array(text)[...]
    while let character = characters.popFirst() {
      switch character {
      case "\r": column = 0
      case "\n": feedLine()
      case "\r\n":
        column = 0
        feedLine()
      case "\u{1B}":
        let sequence =
          characters.prefix { !($0.isLetter && $0.isASCII) }
          + characters.drop { !($0.isLetter && $0.isASCII) }.prefix(1)
        characters = characters.dropFirst(sequence.count)
        obey(String(sequence))
      case let other where other.unicodeScalars.contains { $0.properties.generalCategory == .control }:
        unknown.append("U+" + String(other.unicodeScalars.first?.value ?? 0, radix: 16))
      default: put(character)
      }
    }
  }

  private mutating func put(_ character: Character) {
    let width = character.displayWidth
    guard width > 0 else {
      if column > 0 { lines[row].cells[column - 1].append(character) }
      return
    }
    if column + width > size.columns {
      if isWrapping {
        lines[row].wraps = true
        column = 0
        feedLine()
      } else {
        column = max(0, size.columns - width)
      }
    }
    fill(row, to: column + width)
    lines[row].cells[column] = String(character)
    for next in column + 1..<max(column + 1, column + width) { lines[row].cells[next] = "" }
    column += width
  }

  private mutating func fill(_ row: Int, to count: Int) {
    let missing = count - lines[row].cells.count
    if missing > 0 { lines[row].cells += Array(repeating: " ", count: missing) }
  }

  private mutating func feedLine() {
    row += 1
    if row == lines.count { lines.append(Line()) }
    if row >= top + size.rows { top += 1 }
  }

  private mutating func obey(_ sequence: String) {
    switch sequence {
    case "[?25l": showsCursor = false
    case "[?25h": showsCursor = true
    case "[?7l": isWrapping = false
    case "[?7h": isWrapping = true
    case "[?2026h": isUpdating = true
    case "[?2026l": isUpdating = false
    case "[K": eraseLine()
    case "[C": column = min(column + 1, size.columns - 1)
    case "[J":
      if row == top, column == 0 {
        // tmux takes this for clearing the screen, and keeps what was on it.
        lines.append(Line())
        (top, row) = (lines.count - 1, lines.count - 1)
      }
      eraseLine()
      lines.removeSubrange((row + 1)...)
    default:
      if sequence.hasSuffix("A"), let count = Int(sequence.dropFirst().dropLast()) {
        row = max(top, row - count)
      } else if !(sequence.hasPrefix("[") && sequence.hasSuffix("m")) {
        unknown.append(sequence)
      }
    }
  }

  /// After the last column was filled the cursor is still on it, and it is erased too.
  private mutating func eraseLine() {
    let start = min(column, size.columns - 1)
    lines[row].cells = Array(lines[row].cells.prefix(start))
    lines[row].wraps = false
  }

  // MARK: Resizing

  mutating func resize(columns: Int, rows: Int) {
    if columns != size.columns {
      switch resizing {
      case .reflowing: reflow(columns)
      case .cutting:
        for index in lines.indices { lines[index].cells = Array(lines[index].cells.prefix(columns)) }
        column = min(column, columns - 1)
      }
    }
    size = TerminalSize(columns: columns, rows: rows)
    // Lines below the cursor go first, then those at the top scroll away.
    let below = min(max(0, lines.count - top - rows), lines.count - 1 - row)
    lines.removeLast(below)
    top = max(0, min(resizing == .reflowing ? lines.count - rows : top, row))
    top = max(top, lines.count - rows)
  }

  /// Joins what has wrapped, and wraps it at the new width. The cursor stays with its character.
  private mutating func reflow(_ columns: Int) {
    var wrapped: [Line] = []
    var (text, cursor): ([String], Int?) = ([], nil)
    var newRow = 0
    for (index, line) in lines.enumerated() {
      if index == row { cursor = text.count + column }
      text += line.cells
      if line.wraps { continue }
      let first = wrapped.count
      var part = Line()
      for cell in text where !cell.isEmpty {
        let width = Character(cell).displayWidth
        if part.cells.count + width > columns {
          wrapped.append(Line(cells: part.cells, wraps: true))
          part = Line()
        }
        part.cells += [cell] + Array(repeating: "", count: max(0, width - 1))
      }
      wrapped.append(part)
      if let place = cursor {
        newRow = min(first + place / columns, wrapped.count - 1)
        column = place % columns
      }
      (text, cursor) = ([], nil)
    }
    lines = wrapped
    row = newRow
  }
}
