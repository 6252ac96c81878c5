/// The control sequences that are sent to a terminal (ECMA-48, DEC private modes). All are understood or ignored by
/// xterm, VTE, kitty, tmux, screen and the Linux console.
enum ControlSequence {
  static let hideCursor = "\u{1B}[?25l"
  static let showCursor = "\u{1B}[?25h"
  /// Text beyond the last column replaces that column instead of continuing on the next line (DECAWM).
  static let stopWrapping = "\u{1B}[?7l"
  static let startWrapping = "\u{1B}[?7h"
  /// What follows is shown at once when it is complete (synchronized update).
  static let beginUpdate = "\u{1B}[?2026h"
  static let endUpdate = "\u{1B}[?2026l"
  static let eraseToEndOfLine = "\u{1B}[K"
  /// Erases the line of the cursor and all below, and moves the cursor to the line's first column.
  ///
  /// The screen is erased from the second column on: at the first one of the first line tmux takes the same for
  /// clearing the whole screen, and copies it to its history.
  static let eraseFromLine = "\r\u{1B}[K\u{1B}[C\u{1B}[J\r"
  /// To the first column.
  static let carriageReturn = "\r"
  /// To the first column of the next line; also without the terminal driver's translation of line feeds.
  static let newLine = "\r\n"

  /// Moves the cursor up.
  static func up(_ lines: Int) -> String { lines > 0 ? "\u{1B}[\(lines)A" : "" }

  /// Selects how the following text looks; 0 is the default (SGR).
  static func rendition(_ parameter: Int) -> String { "\u{1B}[\(parameter)m" }
}
